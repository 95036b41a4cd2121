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
	d := newPicker("tools", toolChoices(m.o.Tools()), func(c choice, _ string) tea.Cmd {
		for _, t := range m.o.Tools() {
			if t.Name == c.value {
				m.showTool(t)
			}
		}
		return nil
	})
	d.renew = func() []choice { return toolChoices(m.o.Tools()) } // servers come late
	d.footer = "enter shows what the model is told of one · esc closes"
	m.dialog = d
	return nil
}

func toolChoices(all []Tool) []choice {
	choices := make([]choice, len(all))
	for i, t := range all {
		about := flat(oneLine(t.About))
		if facts := toolFacts(t); len(facts) > 0 {
			about = "[" + strings.Join(facts, ", ") + "] " + about
		}
		choices[i] = choice{label: flat(t.Name), about: about, value: t.Name}
	}
	return choices
}

// toolFacts are where a tool comes from and its marks.
func toolFacts(t Tool) []string {
	if source := toolSource(t.Source); source != "" {
		return append([]string{source}, toolMarks(t)...)
	}
	return toolMarks(t)
}

func toolMarks(t Tool) (marks []string) {
	if t.Deferred {
		marks = append(marks, "deferred")
	}
	if t.ReadOnly {
		marks = append(marks, "only looks")
	}
	return marks
}

// toolSource says where a tool comes from; "" for espy's own.
func toolSource(source string) string {
	if server, ok := strings.CutPrefix(source, "mcp:"); ok {
		return "server " + flat(server)
	}
	return flat(source)
}
