package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// runTools lists the tools: what each is for, where it comes from, and whether the model is given it from the start.
func (m *model) runTools(string) tea.Cmd {
	if m.o.Tools == nil {
		return m.missing()
	}
	all := m.o.Tools()
	choices := make([]choice, len(all))
	for i, t := range all {
		var facts []string
		if source := toolSource(t.Source); source != "" {
			facts = append(facts, source)
		}
		if t.Deferred {
			facts = append(facts, "deferred")
		}
		if t.ReadOnly {
			facts = append(facts, "only looks")
		}
		about := flat(oneLine(t.About))
		if len(facts) > 0 {
			about = "[" + strings.Join(facts, ", ") + "] " + about
		}
		choices[i] = choice{label: flat(t.Name), about: about}
	}
	m.dialog = newPicker("tools", choices, func(choice, string) tea.Cmd { return nil })
	return nil
}

// toolSource says where a tool comes from; "" for espy's own.
func toolSource(source string) string {
	if server, ok := strings.CutPrefix(source, "mcp:"); ok {
		return "server " + flat(server)
	}
	return flat(source)
}
