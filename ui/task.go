package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/message"
)

// taskView is what a call of the task tool shows of the conversation it runs: how far it is, and its own calls.
type taskView struct {
	state agent.TaskState
	other bool // it runs on another model than the session
	steps []agent.TaskStep
}

// takeTask applies what is told of a task.
func (s *session) takeTask(callID string, state agent.TaskState, step *agent.TaskStep) {
	c, i := s.call(callID)
	if c == nil {
		return
	}
	if c.task == nil {
		c.task = &taskView{}
	}
	c.task.take(state, step)
	c.task.other = state.Model != s.route.Name()
	s.list.changed(i)
}

func (v *taskView) take(state agent.TaskState, step *agent.TaskStep) {
	v.state = state
	if step == nil {
		return
	}
	for i := len(v.steps) - 1; i >= 0; i-- {
		if v.steps[i].N == step.N {
			v.steps[i] = *step
			return
		}
	}
	v.steps = append(v.steps, *step)
	if more := len(v.steps) - mostSteps; more > 0 {
		v.steps = append(v.steps[:0], v.steps[more:]...)
	}
}

// storedTask is a task that ran in an earlier life of the program, from what its result kept.
func storedTask(r message.ToolResult) *taskView {
	if r.Meta[message.MetaTask] == "" {
		return nil
	}
	v := &taskView{}
	if json.Unmarshal([]byte(r.Meta[message.MetaSteps]), &v.steps) != nil {
		v.steps = nil
	}
	return v
}

// taskWaits shows that a task waits for the person.
func (s *session) taskWaits(callID string) {
	c, i := s.call(callID)
	if c == nil || c.state > callWaits {
		return
	}
	waits := false
	for _, a := range s.asks {
		waits = waits || a.Task == callID
	}
	switch {
	case waits:
		c.state = callWaits
	case c.state == callWaits:
		c.state = callRuns
	}
	s.list.changed(i)
}

// draw is how far a task is while it runs, with its newest steps; when it is done the beginning of its answer, and its
// steps where the call is unfolded.
func (v *taskView) draw(c *call, width int, l look) []string {
	running := c.state <= callWaits
	steps := v.steps
	var lines []string
	switch {
	case running:
		lines = append(lines, "  "+l.t.dim.Render(cut("└ "+v.progress(), width-2)))
		if most := l.newestSteps(); !l.open && len(steps) > most {
			steps = steps[len(steps)-most:]
		}
	case !l.open:
		return v.gist(c, width, l)
	}
	bar := l.t.faint.Render("  │ ")
	if l.open {
		lines = append(lines, v.assignment(c, width, l)...)
	}
	for _, s := range steps {
		lines = append(lines, bar+stepLine(s, width-4, l.t))
	}
	if !running && len(lines) > 0 {
		lines = append(lines, bar) // the answer follows
	}
	return lines
}

// assignment is what the task was told, as words; arguments that cannot be read stand as they are.
func (v *taskView) assignment(c *call, width int, l look) []string {
	var asked struct{ Prompt, Model string }
	if len(c.call.Args) > argBytes || json.Unmarshal([]byte(c.call.Args), &asked) != nil {
		return c.arguments(width, l)
	}
	lines := c.indented(wrap(safe(strings.TrimSpace(asked.Prompt)), width-4), openLines, width, l, l.t.dim.Italic(true).Render)
	if asked.Model != "" {
		lines = append(lines, l.t.faint.Render("  │ ")+l.t.dim.Render(cut("on "+flat(asked.Model), width-4)))
	}
	return lines
}

func (l look) newestSteps() int {
	if l.tall {
		return mostNewest
	}
	return fewNewest
}

// progress is "3 calls · 12.3k tokens · waiting for Opus".
func (v *taskView) progress() string {
	var parts []string
	if v.other {
		parts = append(parts, flat(v.state.Model))
	}
	if v.state.Calls > 0 {
		parts = append(parts, amount(v.state.Calls, "call"))
	}
	if used := v.state.Input + v.state.Output; used > 0 {
		parts = append(parts, thousands(used)+" tokens")
	}
	if v.state.Cost != nil && *v.state.Cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", *v.state.Cost))
	}
	return strings.Join(nonEmpty(append(parts, flat(v.state.Doing))), " · ")
}

// gist is the first line of a task's answer. What failed says so by itself.
func (v *taskView) gist(c *call, width int, l look) []string {
	if c.state != callDone {
		return nil
	}
	for line := range strings.Lines(c.result.Text) {
		if line = flat(line); line != "" {
			return []string{"  " + l.t.dim.Render(cut("└ "+line, width-2))}
		}
	}
	return nil
}

// stepLine is one call of a task, marked as the session's own calls are.
func stepLine(s agent.TaskStep, width int, t *theme) string {
	mark, style := "◌ ", t.accent
	switch s.State {
	case agent.StepWaits:
		mark, style = "? ", t.warn
	case agent.StepDone:
		mark, style = "● ", t.ok
	case agent.StepFailed:
		mark, style = "✗ ", t.bad
	case agent.StepRefused:
		mark, style = "⊘ ", t.warn
	}
	tail := ""
	switch {
	case s.State == agent.StepWaits:
		tail = "  waits for you"
	case s.State == agent.StepRefused:
		tail = "  refused"
	case s.Millis >= worthTelling.Milliseconds():
		tail = "  " + duration(time.Duration(s.Millis)*time.Millisecond)
	}
	head := cut(flat(s.Summary), width-2-cellsOf(tail))
	return style.Render(mark) + t.dim.Render(head+tail)
}
