package ui

import (
	"fmt"
	"strings"

	"espy/agent"
)

// layoutViewer draws the screen of a picture: the picture, what is known of it beside or under it, where one is, and the
// keys.
func (m *model) layoutViewer() {
	v, t := m.viewer, m.t
	side := 0
	if m.width >= sideFactsWidth {
		side = factsCols
	}
	under := 0
	if side == 0 && m.height >= smallHeight+4 {
		under = 5
	}
	v.cols, v.rows = max(m.width-side-4, 1), max(m.height-4-under, 1)
	v.lines = append(v.lines[:0], (&dialog{title: pictureLine(v.a.Image, v.a.Record)}).rule(m.width, t))
	picture := m.drawViewed()
	var facts []string
	if side > 0 {
		facts = m.pictureFacts(v.a, side-2)
	}
	for i := range v.rows {
		line := strings.Repeat(" ", v.cols+2)
		if i < len(picture) {
			line = picture[i]
		}
		if i < len(facts) {
			line += "  " + facts[i]
		}
		v.lines = append(v.lines, line)
	}
	if under > 0 {
		brief := m.briefFacts(v.a, m.width-4)
		for i := range under {
			line := ""
			if i > 0 && i <= len(brief) {
				line = "  " + brief[i-1]
			}
			v.lines = append(v.lines, line)
		}
	}
	v.lines = append(v.lines, m.whereLine(), m.viewerNotice(), "  "+t.dim.Render(fitting(m.width-4, m.viewerKeys()...)))
	v.lines = v.lines[:min(len(v.lines), m.height)]
}

// drawViewed is the picture in the middle of its box, as lines of cols+2 columns.
func (m *model) drawViewed() []string {
	v := m.viewer
	if !m.gallery.on() {
		return m.undrawn()
	}
	s := v.shows()
	cols, rows := fitCells(s.Width, s.Height, v.cols, v.rows)
	lines := m.gallery.lines(v.ref, s, cols, rows, v.marks()...)
	if len(lines) < rows {
		return []string{"  " + screenPad("the picture cannot be read", v.cols)}
	}
	left, top := (v.cols-cols)/2, (v.rows-rows)/2
	out := make([]string, top, top+rows)
	for i := range out {
		out[i] = strings.Repeat(" ", v.cols+2)
	}
	for _, line := range lines {
		out = append(out, strings.Repeat(" ", left+2)+line+strings.Repeat(" ", v.cols-cols-left))
	}
	return out
}

// undrawn stands where a picture would be drawn and is not: all that is known of it.
func (m *model) undrawn() []string {
	v := m.viewer
	lines := []string{m.t.dim.Render(cut("pictures are not drawn here; sizes and rectangles hold all the same", v.cols)), ""}
	if m.width < sideFactsWidth {
		lines = append(lines, m.pictureFacts(v.a, v.cols)...)
	}
	for i, line := range lines {
		lines[i] = "  " + line + strings.Repeat(" ", max(v.cols-cellsOf(line), 0))
	}
	return lines
}

// briefFacts is what matters most of a picture, for a screen without room for all of it.
func (m *model) briefFacts(a agent.Attachment, width int) []string {
	if !m.gallery.on() {
		return nil
	}
	sent := fmt.Sprintf("%s → sent as %s  %dx%d", sourceFacts(a), a.Image.MediaType, a.Image.Width, a.Image.Height)
	if s := a.Receipt.Scale; s > 0 && s != 1 {
		sent += fmt.Sprintf("  scale %.4g", s)
	}
	lines := []string{m.t.dim.Render(cut(flat(a.Record.Source), width)), cut(sent, width)}
	if done := doneTo(a); done != "" {
		lines = append(lines, cut(done, width))
	}
	return append(lines, m.briefPrices(a, width))
}

// briefPrices is "low 786 · auto 3,145 · high 12,582 tokens".
func (m *model) briefPrices(a agent.Attachment, width int) string {
	if !m.talk.route.Sees() {
		return m.t.bad.Render(cut("this model cannot see images", width))
	}
	var parts []string
	for _, d := range details() {
		w, h := detailSize(a, d)
		parts = append(parts, string(d)+" "+grouped(m.row.tokens(m.talk.route, w, h)))
	}
	return m.t.dim.Render(cut(strings.Join(parts, " · ")+" tokens on "+flat(m.talk.route.Name()), width))
}

func screenPad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(width-cellsOf(s), 0))
}

// whereLine says which pixels show, and where the rectangle is.
func (m *model) whereLine() string {
	v, t := m.viewer, m.t
	s := v.shows()
	text := fmt.Sprintf("showing %s of %dx%d", rectangle(s), v.w, v.h)
	if r := v.rect; r != nil {
		text = fmt.Sprintf("rectangle x %d  y %d  width %d  height %d  ", r.X, r.Y, r.Width, r.Height) + "step " + amount(v.step, "pixel")
		return "  " + t.strong.Render(cut(text, m.width-4))
	}
	if crop, black := v.result(); len(v.edits) > 0 {
		if crop != nil {
			text += "  crop " + rectangle(*crop)
		}
		if len(black) > 0 {
			text += "  " + amount(len(black), "area") + " blacked out"
		}
	}
	return "  " + t.dim.Render(cut(text, m.width-4))
}

func (m *model) viewerNotice() string {
	switch {
	case len(m.talk.asks) > 0:
		return "  " + m.t.warn.Render(cut("a permission question waits; "+m.keys.key(actViewLeave)+" goes back to it", m.width-4))
	case m.notice.bad:
		return "  " + m.t.bad.Render(cut("✗ "+flat(m.notice.text), m.width-4))
	case m.notice.text != "":
		return "  " + m.t.dim.Render(cut("· "+flat(m.notice.text), m.width-4))
	}
	return ""
}

// viewerKeys are the keys that mean something now, those that lead on first.
func (m *model) viewerKeys() []string {
	k := m.keys.key
	leave := k(actViewLeave)
	look := []string{k(actViewIn) + k(actViewOut) + " zoom", "arrows pan", k(actViewAll) + " all of it", k(actViewOpen) + " open", k(actViewCopy) + " copy path"}
	switch v := m.viewer; {
	case v.rect != nil:
		return []string{leave + " no rectangle", k(actViewCrop) + " crop", k(actViewBlack) + " black out", "arrows move", "shift+arrows size", k(actViewStep) + " step", k(actViewIn) + k(actViewOut) + " zoom"}
	case v.editable && len(v.edits) > 0:
		return append([]string{leave + " keeps it and goes back", k(actViewUndo) + " undo", k(actViewMark) + " rectangle"}, look...)
	case v.editable:
		return append([]string{leave + " back", k(actViewMark) + " crop or black out"}, look...)
	}
	return append([]string{leave + " back"}, look...)
}

// viewSelected opens the selected picture of the row.
func (m *model) viewSelected() {
	if a, ok := m.row.current(); ok {
		m.view(a, true)
	}
}

// viewStored opens a picture of the conversation.
func (m *model) viewStored(a agent.Attachment) { m.view(a, false) }
