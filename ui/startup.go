package ui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// Actions lists the names of what keys can do, for checking the settings.
func Actions() []string {
	var names []string
	for _, b := range bindings() {
		if name := string(b.action); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// startUp does what the command line asked for: pictures for the row, the session picker.
func (m *model) startUp() tea.Cmd {
	var cmds []tea.Cmd
	if m.o.Held != nil {
		m.dialog = m.heldDialog(m.o.Held)
	}
	for _, name := range m.o.Attach {
		cmds = append(cmds, m.attachFile(name))
	}
	if m.o.ChooseSession {
		cmds = append(cmds, m.pickSession())
	}
	return tea.Batch(cmds...)
}

// attachFile attaches one file by its name, taken as it stands.
func (m *model) attachFile(name string) tea.Cmd {
	in := m.conv.Intake
	return m.start("attaching "+shortName(flat(name)), nil, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.AttachFile(ctx, name)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			m.attach(got)
			return nil
		}
	})
}
