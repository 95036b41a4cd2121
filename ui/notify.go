package ui

import (
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/screen"
)

// notices from outside the window: its title says what espy is at, and where a person has turned away a notification
// says that a long turn ended or a question waits.

// titleText is the window's title: the folder, with a sign before it that needs no colour.
func (m *model) titleText() string {
	sign := ""
	switch {
	case len(m.talk.asks)+len(m.talk.inquiries) > 0:
		sign = "? "
	case m.talk.busy:
		sign = "… "
	}
	return sign + "espy: " + flat(filepath.Base(m.talk.folder))
}

// retitle writes the title where it changed.
func (m *model) retitle() tea.Cmd {
	if !m.o.Title || m.out == nil {
		return nil
	}
	title := m.titleText()
	if title == m.title {
		return nil
	}
	m.title = title
	return m.tellGraphics([]byte("\x1b]2;" + title + "\x1b\\"))
}

// notify tells the person outside the window. It is for what comes after a pause in which he may have turned away.
func (m *model) notify(text string) tea.Cmd {
	now := m.o.Clock()
	if m.o.Notify == "off" || now.Sub(m.lastKey) < awayAfter {
		return nil
	}
	return m.tellGraphics([]byte(notification(m.o.Notify, m.caps.Name, "espy", text)))
}

// notification is how a terminal is told of something: OSC 9 or 777 where its name says that it knows them, else the bell.
func notification(how, terminal, title, text string) string {
	text = strings.ReplaceAll(screen.Truncate(flat(text), notifyCells), ";", ",")
	switch {
	case how == "bell":
		return "\a"
	case strings.Contains(terminal, "kitty"), strings.Contains(terminal, "ghostty"), strings.Contains(terminal, "wezterm"), strings.Contains(terminal, "iterm"):
		return "\x1b]9;" + title + ": " + text + "\x1b\\"
	case strings.Contains(terminal, "foot"), strings.Contains(terminal, "vte"), strings.Contains(terminal, "rxvt"):
		return "\x1b]777;notify;" + title + ";" + text + "\x1b\\"
	}
	return "\a"
}

// tellOutside notifies of what an event is worth turning back for.
func (m *model) tellOutside(e agent.Event) tea.Cmd {
	switch e := e.(type) {
	case agent.PermissionAsked:
		return m.notify("a question waits: " + e.Call.Name)
	case agent.QuestionAsked:
		return m.notify("a question waits: " + e.Question.Text)
	case agent.JobChanged:
		if e.Job.Running() {
			return nil
		}
		return m.notify(jobEnded(e.Job))
	case agent.TurnEnded:
		if e.Reason == agent.EndInterrupted || m.o.Clock().Sub(m.talk.started) < longTurn {
			return nil
		}
		return m.notify("the turn has ended" + m.lastWords())
	}
	return nil
}

// lastWords is how the answer begins.
func (m *model) lastWords() string {
	for i := len(m.list.slots) - 1; i >= 0; i-- {
		if a, ok := m.list.slots[i].entry.(*answer); ok {
			return ": " + flat(message.Message{Blocks: []message.Block{message.Text{Text: head(a.text, 200)}}}.PlainText())
		}
	}
	return ""
}
