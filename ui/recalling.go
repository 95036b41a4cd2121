package ui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// older and newer walk through what was sent before, its pictures with it.
func (m *model) older() tea.Cmd {
	if !m.comp.older() {
		return nil
	}
	m.walked()
	return m.recallHere()
}

func (m *model) newer() tea.Cmd {
	if !m.comp.newer() {
		return nil
	}
	m.walked()
	return m.recallHere()
}

// walked keeps up and down going through history: the row that a recalled message filled does not take them,
// nor does a list of completions for the word it ends with.
func (m *model) walked() {
	m.walking = true
	m.hints.closed = wantedAt(&m.comp.buf)
}

// at shows one message of the past.
func (c *composer) at(i int) {
	if c.recall == len(c.past) {
		c.stashed = c.buf.lines
	}
	c.recall = i
	c.show(c.past[i].Text)
}

// recallHere puts the pictures of the message that is shown on the row, and takes off those that the one shown
// before had brought. Pictures the person attached stay.
func (m *model) recallHere() tea.Cmd {
	off := m.takeRecalledOff()
	if m.comp.recall >= len(m.comp.past) {
		return off
	}
	at, p := m.comp.recall, m.comp.past[m.comp.recall]
	if len(p.Images) == 0 {
		return off
	}
	session := p.Session
	if session == m.talk.id {
		session = ""
	}
	in := m.conv.Intake
	back := m.start("bringing back "+amount(len(p.Images), "picture"), nil, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.Recall(ctx, session, p.Images)
		return func(m *model) tea.Cmd {
			if m.comp.recall != at { // the person went on meanwhile
				return m.discard(got)
			}
			for _, a := range got {
				if !m.row.has(a) {
					m.recalled = append(m.recalled, a.Image.Ref)
				}
			}
			m.attach(got...)
			if err != nil {
				m.fail(err)
			}
			return nil
		}
	})
	return tea.Batch(off, back)
}

func (m *model) takeRecalledOff() tea.Cmd {
	var off []agent.Attachment
	m.row.pictures = slices.DeleteFunc(m.row.pictures, func(a agent.Attachment) bool {
		if slices.Contains(m.recalled, a.Image.Ref) {
			off = append(off, a)
			return true
		}
		return false
	})
	m.recalled = nil
	return m.discard(off)
}

// discard forgets pictures that are not on the row any more.
func (m *model) discard(off []agent.Attachment) tea.Cmd {
	off = slices.DeleteFunc(off, m.row.has)
	if len(off) == 0 {
		return nil
	}
	in := m.conv.Intake
	return m.work.do(func(context.Context) tea.Msg {
		for _, a := range off {
			in.Discard(a)
		}
		return nil
	})
}

// pastPictures says how many pictures a sent message had.
func pastPictures(p Past) string {
	if len(p.Images) == 0 {
		return ""
	}
	return amount(len(p.Images), "picture")
}
