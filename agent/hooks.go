package agent

import (
	"context"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/message"
)

// hookWord is what the pre_tool hooks said of a call; they are asked once, however often it is judged.
type hookWord struct {
	asked   bool
	verdict guard.Verdict
	reason  string
}

// hooked lets the hooks narrow what the guard decided. A call the guard refuses is not shown to them, and what
// it asks about is asked all the same: a hook's "allow" only means that it does not object.
func (a *Agent) hooked(ctx context.Context, j *job, decision guard.Decision) guard.Decision {
	if decision.Verdict == guard.Deny {
		return decision
	}
	if !j.hook.asked {
		j.hook.asked = true
		j.hook.verdict, j.hook.reason = a.hooks.Judge(ctx, j.call)
	}
	switch {
	case j.hook.verdict == guard.Deny:
		return guard.Decision{Verdict: guard.Deny, Reason: j.hook.reason}
	case j.hook.verdict == guard.Ask && decision.Verdict == guard.Allow:
		return guard.Decision{Verdict: guard.Ask, Reason: j.hook.reason}
	case j.hook.verdict == guard.Ask:
		decision.Offer = nil // a rule would not spare the question
		decision.Reason += "; and " + j.hook.reason
	}
	return decision
}

// observed tells the post_tool hooks how a call ended: never what it said or showed.
func (a *Agent) observed(j *job, r message.ToolResult) {
	a.hooks.Observe(extend.PostTool, &j.call, &extend.HookOutcome{OK: !r.IsError, Refused: r.Meta[message.MetaRefused] != "", Millis: j.took.Milliseconds()})
}
