package ui

import (
	"encoding/json"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/markdown"
	"espy/ui/screen"
)

// planTool is the tool whose argument is a plan.
const planTool = "exit_plan"

// plan is the plan a call shows; "" for any other call.
func (c *call) plan() string {
	if c.call.Name != planTool {
		return ""
	}
	var args struct {
		Plan string `json:"plan"`
	}
	if json.Unmarshal([]byte(c.call.Args), &args) != nil {
		return ""
	}
	return args.Plan
}

// planLines is the plan rendered, with what cannot be seen made visible: it is read to be approved.
func planLines(plan string, width int, t *theme) []string {
	return markdown.Render(screen.Visible(plan), width, t.markdown)
}

// runPlan shows the newest plan of the session.
func (m *model) runPlan(string) tea.Cmd {
	for i := len(m.list.slots) - 1; i >= 0; i-- {
		c, ok := m.list.slots[i].entry.(*call)
		if !ok || c.plan() == "" {
			continue
		}
		plan := c.plan()
		d := &dialog{title: "the plan, " + planStanding(c), footer: "↑↓ pgup pgdown scroll · esc closes"}
		d.body = func(width int) []string { return planLines(plan, width, m.t) }
		m.dialog = d
		return nil
	}
	m.say("there is no plan in this session yet; in mode plan the model makes one ("+m.keys.key(actMode)+" changes the mode)", false)
	return nil
}

func planStanding(c *call) string {
	switch c.state {
	case callDone:
		return "approved"
	case callRefused:
		return "not approved"
	case callFailed:
		return "which was cut off"
	}
	return "which waits for you"
}
