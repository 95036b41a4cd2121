package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// twice is how soon a second press must follow to count as one of two.
const twice = 600 * time.Millisecond

// escaped is a press of the interrupting key with nothing to interrupt: two of them, with nothing written, go back
// to an earlier message.
func (m *model) escaped() tea.Cmd {
	now := m.o.Clock()
	before := m.escapedAt
	m.escapedAt = now
	if before.IsZero() || now.Sub(before) > twice || !m.comp.buf.empty() || !m.row.empty() {
		return nil
	}
	m.escapedAt = time.Time{}
	return m.runRewind("")
}

// runRewind lists what the person said, the newest first, to go back to before one of them.
func (m *model) runRewind(string) tea.Cmd {
	points := m.conv.Points
	if points == nil {
		return m.missing()
	}
	if m.talk.busy {
		m.say("the conversation can go back when the running turn has ended", false)
		return nil
	}
	now := m.o.Clock()
	return m.work.do(func(context.Context) tea.Msg {
		list := points()
		if len(list) == 0 {
			return sentence{"nothing was said in this session yet", false}
		}
		slices.Reverse(list)
		choices := make([]choice, len(list))
		for i, p := range list {
			about := []string{ago(now.Sub(p.Time))}
			if p.Pictures > 0 {
				about = append(about, amount(p.Pictures, "picture"))
			}
			if p.Files > 0 {
				about = append(about, amount(p.Files, "file")+" changed since")
			}
			label := flat(firstOf(p.Text))
			if label == "" {
				label = "(pictures only)"
			}
			choices[i] = choice{label: label, about: strings.Join(about, " · "), value: p}
		}
		return panelReady{newPicker("go back to before", choices, func(c choice, _ string) tea.Cmd { return m.rewindTo(c.value.(agent.Point)) })}
	})
}

func firstOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// rewindTo asks what is to go back, where there is more than the conversation.
func (m *model) rewindTo(p agent.Point) tea.Cmd {
	if p.Files == 0 {
		m.conv.Loop.Send(agent.Rewind{To: p.ID, What: agent.RewindConversation})
		return nil
	}
	d := newPicker("what goes back", []choice{
		{label: "the conversation and the files", about: amount(p.Files, "file"), value: agent.RewindBoth},
		{label: "only the conversation", value: agent.RewindConversation},
		{label: "only the files", value: agent.RewindFiles},
	}, func(c choice, _ string) tea.Cmd {
		m.conv.Loop.Send(agent.Rewind{To: p.ID, What: c.value.(agent.RewindWhat)})
		return nil
	})
	d.filters = false
	m.dialog = d
	return nil
}

func (m *model) runRedo(string) tea.Cmd {
	m.conv.Loop.Send(agent.Redo{})
	return nil
}

// onRewindAsked has the person decide about files that somebody else changed.
func (m *model) onRewindAsked(e agent.RewindAsked) {
	words := []string{"These files were changed by somebody else, so they are not written over unasked:"}
	for _, f := range e.Files {
		words = append(words, "  "+f.Path+": "+f.Why)
	}
	d := newPicker("go back", []choice{
		{label: "leave everything as it is"},
		{label: "go back, and leave these files", value: agent.ConflictKeep},
		{label: "go back, and write them over", about: "/redo brings back what they hold now", value: agent.ConflictOverwrite},
	}, func(c choice, _ string) tea.Cmd {
		how, ok := c.value.(agent.ConflictChoice)
		switch {
		case !ok:
		case e.Redo:
			m.conv.Loop.Send(agent.Redo{Conflicts: how})
		default:
			again := e.Rewind
			again.Conflicts = how
			m.conv.Loop.Send(again)
		}
		return nil
	})
	d.filters = false
	d.body = func(width int) []string { return wrapAll(words, width) }
	m.dialog = d
}

// onRewound draws the conversation anew and puts what was said back into the composer.
func (m *model) onRewound(e agent.Rewound) {
	if e.Conversation {
		list := newTranscript(look{t: m.t, keys: m.keys.key}, m.renderAnswer)
		m.list = &list
		was := m.talk
		m.talk = newSession(m.list, m.o.Folder)
		m.talk.open(agent.Opened{Session: was.id, Folder: was.folder, Route: was.route, Effort: was.effort, Mode: was.mode, Sandbox: was.sandbox,
			Queue: was.queue, Meter: e.Meter, Messages: e.Messages, Pictures: e.Pictures})
		m.talk.busy, m.talk.started, m.talk.jobs = was.busy, was.started, was.jobs
		m.live = live{}
		m.list.end()
		m.putBack(e.Prompt)
	}
	for _, f := range e.Faults {
		m.list.add(&told{agent.NoticeError, f.Path + " did not go back: " + f.Why})
	}
	m.say(rewoundSentence(e), len(e.Faults) > 0)
}

func rewoundSentence(e agent.Rewound) string {
	var parts []string
	if e.Conversation {
		parts = append(parts, "the conversation")
	}
	if n := len(e.Files); n > 0 {
		parts = append(parts, amount(n, "file"))
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	way, hint := "went back", "; /redo goes forward again"
	if e.Redo {
		way = "went forward"
	}
	if !e.CanRedo {
		hint = ""
	}
	return fmt.Sprintf("%s %s%s", strings.Join(parts, " and "), way, hint)
}

// runFork goes on in a copy of this session.
func (m *model) runFork(string) tea.Cmd {
	if m.o.Fork == nil {
		return m.missing()
	}
	if m.talk.busy {
		m.say("the session can be forked when the running turn has ended", false)
		return nil
	}
	return m.switchTo(func(ctx context.Context) (Conversation, error) { return m.o.Fork(ctx, "") })
}

func (m *model) runRename(args string) tea.Cmd {
	if args == "" {
		m.comp.show("/rename ")
		m.say("give the session a title: /rename TITLE", false)
		return nil
	}
	m.conv.Loop.Send(agent.Rename{Title: args})
	return nil
}
