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

// cardsView lays the cards out side by side; nil where they do not all fit, and the pictures stand as words.
func (r *row) cardsView(width int, t *theme, route providers.Route, g *gallery) []string {
	const gap = "   "
	all := make([]card, 0, len(r.pictures)+1)
	used := 0
	for i := range r.pictures {
		all = append(all, r.card(i, min(width-4, cardCols), t, route, g))
	}
	for _, w := range r.waiting {
		text := cut("◌ "+w, min(width-4, cardCols))
		pad := strings.Repeat(" ", cellsOf(text))
		all = append(all, card{[]string{t.warn.Render(text), pad, pad}, cellsOf(text)})
	}
	lines := make([]string, cardLines, cardLines+1)
	for i, c := range all {
		if used += c.width + len(gap); used > width-2+len(gap) {
			return nil
		}
		for j := range lines {
			if i > 0 {
				lines[j] += gap
			}
			lines[j] += c.lines[j]
		}
	}
	return append(indent(lines), "")
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
		switch {
		case i < len(left):
			out[i] = left[i]
		default:
			out[i] = strings.Repeat(" ", cols)
		}
		if i < len(right) {
			out[i] += "  " + right[i]
		}
	}
	return out
}

// band draws the pictures of a message side by side, the smaller the more there are, as many as a line holds.
func (l look) band(images []message.Image, width int) []string {
	if !l.gallery.on() || width < 12 || len(images) == 0 {
		return nil
	}
	if len(images) == 1 {
		return l.previewOf(images[0], width)
	}
	most := max(l.previewRows()*2/3, 3)
	if len(images) > 3 {
		most = max(most/2, 3)
	}
	var lines []string
	used := 0
	for _, i := range images {
		cols, rows := fitCells(i.Width, i.Height, min(previewCols, width/min(len(images), 3)-2), most)
		if used > 0 && used+2+cols > width {
			break
		}
		drawn := l.gallery.lines(i.Ref, message.Rect{}, cols, rows)
		if used == 0 {
			lines, used = drawn, cols
			continue
		}
		lines, used = beside(lines, used, drawn), used+2+cols
	}
	return lines
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
