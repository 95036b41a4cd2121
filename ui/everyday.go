package ui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
)

// runInit has the model write or improve the folder's AGENTS.md, through the ordinary tools and permissions.
func (m *model) runInit(args string) tea.Cmd {
	m.list.end()
	m.conv.Loop.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{
		{Text: strings.TrimSpace("/init " + args), Origin: message.OriginTyped},
		{Text: agent.InitPrompt(args), Origin: message.OriginEspy}}}})
	return nil
}

// runClear begins a new session in the same folder. The one before stays, and its name is told.
func (m *model) runClear(string) tea.Cmd {
	if m.o.New == nil {
		return m.missing()
	}
	left := ""
	for _, s := range m.list.slots {
		if _, ok := s.entry.(*said); ok {
			left = m.talk.id
			break
		}
	}
	jobs := len(m.talk.jobs)
	cmd := m.switchTo(m.o.New)
	if m.moving {
		m.left = leftSession{id: left, jobs: jobs}
	}
	return cmd
}

// leftSession is the session before a new one, to be told of.
type leftSession struct {
	id   string // "" where nothing was said in it
	jobs int    // that ended with it
}

func (l leftSession) sentence() string {
	var parts []string
	if l.id != "" {
		parts = append(parts, "the session before is kept: /resume "+flat(l.id))
	}
	if l.jobs > 0 {
		parts = append(parts, amount(l.jobs, "job")+" ended with it")
	}
	return strings.Join(parts, "; ")
}

// runUndo takes the last turn back: what was said, and the files espy changed in it.
func (m *model) runUndo(string) tea.Cmd {
	points := m.conv.Points
	if points == nil {
		return m.missing()
	}
	if m.talk.busy {
		m.say("the last turn can be taken back when it has ended; "+m.keys.key(actInterrupt)+" stops it", false)
		return nil
	}
	return m.work.do(func(context.Context) tea.Msg {
		list := points()
		if len(list) == 0 {
			return sentence{"there is nothing to take back", false}
		}
		return undoTo{list[len(list)-1]}
	})
}

// undoTo brings the message whose turn is taken back.
type undoTo struct{ point agent.Point }

func (m *model) onUndo(u undoTo) {
	m.conv.Loop.Send(agent.Rewind{To: u.point.ID, What: agent.RewindBoth})
}
