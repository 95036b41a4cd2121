package ui

import (
	"reflect"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/ui/input"
)

// runReload has the person's files read again. The loop says what came of it.
func (m *model) runReload(string) tea.Cmd {
	m.conv.Loop.Send(agent.Reload{})
	return nil
}

// onReloaded takes up what changed in the settings: keys, colours, previews, commands.
func (m *model) onReloaded() tea.Cmd {
	if m.o.Fresh == nil {
		return nil
	}
	fresh := m.o.Fresh()
	newKeys, newVim := !reflect.DeepEqual(m.o.Keys, fresh.Keys), m.o.Vim != fresh.Vim
	m.o.Theme, m.o.Previews, m.o.Keys, m.o.Vim = fresh.Theme, fresh.Previews, fresh.Keys, fresh.Vim
	m.o.Title, m.o.Notify, m.o.Commands, m.o.Skills = fresh.Title, fresh.Notify, fresh.Commands, fresh.Skills
	if newKeys {
		m.keys = newKeymap(fresh.Keys)
		m.comp.keys = m.keys
		m.list.look.keys = m.keys.key
		m.list.restyle()
	}
	if newVim {
		m.comp.vim = vim{on: fresh.Vim}
	}
	m.dress(m.caps.Shade == input.Dark || m.caps.Shade == input.UnknownShade && m.o.Dark)
	return m.choosePreviews()
}
