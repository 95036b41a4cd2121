package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/screen"
)

// rendered brings the Markdown of an answer back from a command.
type rendered struct {
	answer *answer
	index  int
	width  int
	lines  []string
	text   string // what was rendered
}

// live is the rendering of the answer that is being written: one piece of work at a time, on what has
// arrived when the one before it ended.
type live struct {
	busy bool
}

func cellsOf(s string) int { return screen.Width(s) }

// renderAnswer makes the command that renders a finished answer.
func (m *model) renderAnswer(i int, a *answer, width int) tea.Cmd {
	a.asked = width
	text, t := a.text, *m.t
	return m.work.do(func(context.Context) tea.Msg {
		return rendered{answer: a, index: i, width: width, text: text, lines: renderMarkdown(text, width, &t)}
	})
}

// drawLive renders what has arrived of the answer being written.
func (m *model) drawLive() tea.Cmd {
	if m.talk.writing < 0 || m.live.busy {
		return nil
	}
	a := m.talk.answerEntry()
	width := max(m.width-2, 1)
	m.live.busy = true
	return m.renderAnswer(m.talk.writing, a, width)
}

// onRendered takes lines in, unless the answer has changed its width or its text since. Of an answer being
// written an older state is good enough until the next is rendered.
func (m *model) onRendered(r rendered) tea.Cmd {
	a := r.answer
	m.live.busy = m.live.busy && !a.live
	if !a.live && a.text != r.text {
		a.asked = 0
		return nil
	}
	a.lines, a.width = r.lines, r.width
	if r.index < len(m.list.slots) && m.list.slots[r.index].entry == entry(a) {
		m.list.changed(r.index)
	}
	if a.live && a.text != r.text {
		return m.drawLive()
	}
	return nil
}

func renderMarkdown(src string, width int, t *theme) []string {
	return wrap(safe(src), width)
}

func drawDiff(diff string, width int, t *theme) []string {
	return wrap(safe(diff), width)
}
