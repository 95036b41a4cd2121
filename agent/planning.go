package agent

import (
	"fmt"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
)

// approve ends plan mode where the person approved the plan that was shown: what follows asks as ever, or, where
// they said so, edits in the workspace run. A denial leaves the mode as it is.
func (a *Agent) approve(j *job, answer Answer) {
	if !a.settled(j, answer) {
		return
	}
	mode := guard.ModeAsk
	if answer.Choice == guard.ChoiceSession {
		mode = guard.ModeAuto
	}
	a.setMode(mode)
	j.outcome = tools.Outcome{Result: message.ToolResult{Text: fmt.Sprintf("The user approved the plan. Plan mode is over (the mode is %s now); carry the plan out.", mode)}}
	j.done = true
}
