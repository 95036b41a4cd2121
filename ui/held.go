package ui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"espy/store"
)

// heldDialog asks what is to become of a session that another espy has open: only one may write it.
func (m *model) heldDialog(held *store.InUseError) *dialog {
	holder := "another espy"
	if held.PID > 0 {
		holder = fmt.Sprintf("another espy (process %d)", held.PID)
	}
	words := []string{fmt.Sprintf("Session %s is open in %s, and a session is written by one at a time. Nothing in it was changed.", held.ID, holder)}
	type way func() tea.Cmd
	ways := []choice{
		{label: "go on in a copy", about: "a fork: all that was said so far; the two then go on apart", value: way(func() tea.Cmd { return m.goTo(m.o.ForkOf, held.ID) })},
		{label: "only read it", about: "scroll, search and copy; nothing is written", value: way(func() tea.Cmd { return m.lookAt(held.ID) })},
		{label: "another session", about: "choose one of this folder's", value: way(m.pickSession)},
		{label: "a new session", value: way(func() tea.Cmd { return m.runNew("") })},
		{label: "try again", about: "where it was closed there meanwhile", value: way(func() tea.Cmd { return m.goTo(m.o.Open, held.ID) })},
	}
	d := newPicker("this session is open elsewhere", ways, func(c choice, _ string) tea.Cmd {
		m.dialog = nil
		return c.value.(way)()
	})
	d.body = func(width int) []string { return wrapAll(words, width) }
	d.leaves = "leaves things as they are"
	if m.looksAt(held.ID) {
		d.leaves = "reads it"
	}
	return d
}

// goTo goes on in a session that a function makes of another.
func (m *model) goTo(open func(context.Context, string) (Conversation, error), session string) tea.Cmd {
	if open == nil {
		return m.missing()
	}
	return m.switchTo(func(ctx context.Context) (Conversation, error) { return open(ctx, session) })
}

// lookAt shows a session without writing it, unless that is what the screen shows already.
func (m *model) lookAt(session string) tea.Cmd {
	if m.looksAt(session) {
		return nil
	}
	return m.goTo(m.o.Read, session)
}

// looksAt reports whether the screen shows a session that is only read. Before the session has told its name it is
// the one the program was started with.
func (m *model) looksAt(session string) bool {
	return m.conv.ReadOnly != nil && (m.talk.id == session || !m.talk.opened && m.o.Held != nil && m.o.Held.ID == session)
}

// onlyRead says that nothing can be said in this session, if so.
func (m *model) onlyRead() bool {
	if m.conv.ReadOnly != nil {
		m.say(m.conv.ReadOnly.Error(), true)
	}
	return m.conv.ReadOnly != nil
}
