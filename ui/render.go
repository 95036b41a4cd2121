package ui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/diffview"
	"espy/ui/markdown"
	"espy/ui/screen"
)

// rendered brings the Markdown of a finished answer back from a command.
type rendered struct {
	answer *answer
	index  int
	width  int
	source string
	lines  []string // behind an empty one
	final  bool
}

// spacedOut is a copy of lines behind an empty one.
func spacedOut(lines []string) []string { return append([]string{""}, lines...) }

// live is the rendering of the answer that is being written. One piece of work is under way at a time, on
// what had arrived when it began; a stream is drawn by that work only.
type live struct {
	busy   bool
	answer *answer
	stream *markdown.Stream
	fed    int // bytes of the text that the stream has
}

func cellsOf(s string) int { return screen.Width(s) }

// renderAnswer makes the command that renders a finished answer.
func (m *model) renderAnswer(i int, a *answer, width int) tea.Cmd {
	a.asked = width
	text, theme := a.text, m.t.markdown
	return m.work.do(func(context.Context) tea.Msg {
		return rendered{a, i, width, text, spacedOut(markdown.Render(text, width, theme)), true}
	})
}

// drawLive renders what has arrived of the answer being written.
func (m *model) drawLive() tea.Cmd {
	if m.talk.writing < 0 || m.live.busy {
		return nil
	}
	i, a, l := m.talk.writing, m.talk.answerEntry(), &m.live
	if l.answer != a || l.fed > len(a.text) { // another answer, or one that began anew
		*l = live{answer: a, stream: markdown.NewStream(m.t.markdown)}
	}
	if l.fed == len(a.text) && a.width == m.list.width {
		return nil
	}
	l.busy = true
	text, piece, stream, width := a.text, a.text[l.fed:], l.stream, max(m.list.width, 1)
	l.fed = len(text)
	return m.work.do(func(context.Context) tea.Msg {
		stream.Append(piece)
		return rendered{a, i, width, text, spacedOut(stream.Lines(width)), false}
	})
}

// onRendered takes lines in, unless the answer has become another since. Of an answer being written an older
// state is good until the next is rendered.
func (m *model) onRendered(r rendered) tea.Cmd {
	a := r.answer
	if !r.final && m.live.answer == a {
		m.live.busy = false
	}
	switch {
	case r.final && (a.text != r.source || a.live):
		a.asked = 0
		return nil
	case !r.final && (a.final || !strings.HasPrefix(a.text, r.source)):
		return m.drawLive()
	}
	a.set(r.lines)
	a.width, a.source, a.final = r.width, r.source, r.final
	if r.final {
		a.asked = 0
	}
	if r.index < len(m.list.slots) && m.list.slots[r.index].entry == entry(a) {
		m.list.changed(r.index)
	}
	return m.drawLive()
}

func drawDiff(diff string, width int, t *theme) []string {
	return diffview.Render(diff, width, t.markdown)
}
