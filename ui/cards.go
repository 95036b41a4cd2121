package ui

import (
	"strings"

	"espy/agent"
	"espy/agent/message"
	"espy/media"
	"espy/providers"
)

// A card is a picture on the row with its small drawing: the drawing to the left, three lines of words beside it.

// cards is the gallery that draws the row's pictures, nil where they stand as words.
func (m *model) cards() *gallery {
	if !m.gallery.on() || m.height < smallHeight+6 || m.dialog != nil {
		return nil
	}
	return m.gallery
}

// card is one of them, as cardLines lines of equal width.
type card struct {
	lines []string
	width int
}

// cardsView lays the cards out side by side, the selected one among them.
func (r *row) cardsView(width int, t *theme, route providers.Route, g *gallery) []string {
	all := make([]card, 0, len(r.pictures)+1)
	for i := range r.pictures {
		all = append(all, r.card(i, min(width-4, cardCols), t, route, g))
	}
	for _, w := range r.waiting {
		text := cut("◌ "+w, min(width-4, 40))
		all = append(all, card{[]string{t.warn.Render(text), strings.Repeat(" ", cellsOf(text)), strings.Repeat(" ", cellsOf(text))}, cellsOf(text)})
	}
	from, to := cardsThatFit(all, width-2, r.selected, r.focused)
	lines := make([]string, cardLines)
	for i := range lines {
		lines[i] = "  "
		for j := from; j < to; j++ {
			if j > from {
				lines[i] += "   "
			}
			lines[i] += all[j].lines[i]
		}
	}
	if more := len(all) - (to - from); more > 0 {
		lines[0] += t.dim.Render("  +" + grouped(more) + " more")
	}
	return append(lines, "")
}

// cardsThatFit is the range of cards that shows: with the focus it holds the selected one, else the newest.
func cardsThatFit(all []card, width, selected int, focused bool) (from, to int) {
	const gap, more = 3, 10
	last := len(all) - 1
	if focused {
		last = min(selected, last)
	}
	used := all[last].width
	from, to = last, last+1
	fits := func(i int) bool {
		room := width
		if from > 0 || to < len(all) {
			room -= more
		}
		return used+gap+all[i].width <= room
	}
	for from > 0 && fits(from-1) {
		from--
		used += gap + all[from].width
	}
	for to < len(all) && fits(to) {
		used += gap + all[to].width
		to++
	}
	return from, to
}

func (r *row) card(i, width int, t *theme, route providers.Route, g *gallery) card {
	a := r.pictures[i]
	cols, rows := fitCells(a.Image.Width, a.Image.Height, min(thumbCols, width/2), cardLines)
	thumb := g.lines(a.Image.Ref, message.Rect{}, cols, rows)
	words := r.cardWords(i, route)
	wide := 0
	for j := range words {
		words[j] = cut(words[j], width-cols-1)
		wide = max(wide, cellsOf(words[j]))
	}
	c := card{width: cols + 1 + wide}
	for j := range cardLines {
		picture := strings.Repeat(" ", cols)
		if j < len(thumb) {
			picture = thumb[j]
		}
		style := t.dim
		if j == 0 {
			style = r.style(i, t, route)
		}
		c.lines = append(c.lines, picture+" "+style.Render(words[j])+strings.Repeat(" ", wide-cellsOf(words[j])))
	}
	return c
}

// cardWords are "▣ 1 shot.png 2048x1152", its price, and what was done to it.
func (r *row) cardWords(i int, route providers.Route) [cardLines]string {
	a := r.pictures[i]
	parts := r.parts(i, route)
	return [cardLines]string{"▣ " + strings.Join(parts[:3], " "), "  " + strings.Join(parts[3:], " "), "  " + doneTo(a)}
}

// doneTo is what the person did to a picture: its detail, crop and redactions.
func doneTo(a agent.Attachment) string {
	var parts []string
	if d := a.Record.Detail; d != "" && d != string(media.DetailAuto) {
		parts = append(parts, "detail "+d)
	}
	if a.Record.Crop != nil {
		parts = append(parts, "cropped")
	}
	if n := len(a.Record.Redacted); n > 0 {
		parts = append(parts, amount(n, "area")+" blacked out")
	}
	return strings.Join(parts, ", ")
}

// beside puts two drawings next to each other, a gap between them; the left one is cols wide.
func beside(left []string, cols int, right []string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		} else {
			out[i] = strings.Repeat(" ", cols)
		}
		if i < len(right) {
			out[i] += "  " + right[i]
		}
	}
	return out
}

// previewOf draws a picture of the conversation, as large as a reader wants it.
func (l look) previewOf(i message.Image, width int) []string {
	if !l.gallery.on() || width < 12 {
		return nil
	}
	cols, rows := fitCells(i.Width, i.Height, min(previewCols, width), l.previewRows())
	return l.gallery.lines(i.Ref, message.Rect{}, cols, rows)
}

func (l look) previewRows() int {
	if l.tall {
		return previewRows
	}
	return previewRowsSmall
}

// lookedAt draws where on a picture a tool looked, and beside it what it saw.
func (l look) lookedAt(i message.Image, r message.PictureRecord, width int) []string {
	if r.Crop == nil || r.Original == "" || r.Width <= 0 || r.Height <= 0 || width < 40 {
		return l.previewOf(i, width)
	}
	if !l.gallery.on() {
		return nil
	}
	cols, rows := fitCells(r.Width, r.Height, min(previewCols, (width-2)/2), l.previewRows())
	where := l.gallery.lines(r.Original, message.Rect{Width: r.Width, Height: r.Height}, cols, rows, mark{rect: *r.Crop})
	sawCols, sawRows := fitCells(i.Width, i.Height, min(previewCols, width-2-cols), l.previewRows())
	return beside(where, cols, l.gallery.lines(i.Ref, message.Rect{}, sawCols, sawRows))
}
