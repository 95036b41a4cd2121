package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"espy/agent"
	"espy/media"
	"espy/providers"
)

// row is the pictures that will go with the next message, and what is being looked at for it.
type row struct {
	pictures []agent.Attachment
	waiting  []string // "looking at the clipboard…"
	selected int      // the picture the keys act on, while the row has the focus
	focused  bool
	cost     func(rule string, w, h int, detail string) int
}

func (r *row) empty() bool { return len(r.pictures) == 0 && len(r.waiting) == 0 }

func (r *row) add(more ...agent.Attachment) { r.pictures = append(r.pictures, more...) }

func (r *row) has(a agent.Attachment) bool {
	return slices.ContainsFunc(r.pictures, func(b agent.Attachment) bool { return a.Image.Ref == b.Image.Ref })
}

// focus gives the keys to the row; it reports whether there is a picture to act on.
func (r *row) focus() bool {
	if len(r.pictures) == 0 {
		return false
	}
	r.focused = true
	r.selected = min(max(r.selected, 0), len(r.pictures)-1)
	return true
}

func (r *row) leave() { r.focused = false }

func (r *row) move(by int) {
	r.selected = min(max(r.selected+by, 0), len(r.pictures)-1)
}

func (r *row) current() (agent.Attachment, bool) {
	if r.selected < 0 || r.selected >= len(r.pictures) {
		return agent.Attachment{}, false
	}
	return r.pictures[r.selected], true
}

// remove takes the selected picture off.
func (r *row) remove() (agent.Attachment, bool) {
	a, ok := r.current()
	if !ok {
		return a, false
	}
	r.pictures = slices.Delete(slices.Clone(r.pictures), r.selected, r.selected+1)
	r.selected = min(r.selected, len(r.pictures)-1)
	if len(r.pictures) == 0 {
		r.selected, r.focused = 0, false
	}
	return a, true
}

// replace puts a picture in another's place; it reports whether that one was still there.
func (r *row) replace(old, with agent.Attachment) bool {
	for i, a := range r.pictures {
		if a.Image.Ref == old.Image.Ref && a.Record.Number == old.Record.Number {
			r.pictures = slices.Clone(r.pictures)
			r.pictures[i] = with
			return true
		}
	}
	return false
}

// drop takes a picture off, wherever it stands.
func (r *row) drop(a agent.Attachment) {
	r.pictures = slices.DeleteFunc(slices.Clone(r.pictures), func(b agent.Attachment) bool { return a.Image.Ref == b.Image.Ref })
	r.selected = max(min(r.selected, len(r.pictures)-1), 0)
	r.focused = r.focused && len(r.pictures) > 0
}

// take empties the row for sending.
func (r *row) take() []agent.Attachment {
	all := r.pictures
	r.pictures, r.selected, r.focused = nil, 0, false
	return all
}

// details is the order in which a key goes through them.
func details() []media.Detail {
	return []media.Detail{media.DetailLow, media.DetailAuto, media.DetailHigh, media.DetailOriginal}
}

func nextDetail(now string) media.Detail {
	all := details()
	i := slices.Index(all, media.Detail(now))
	if i < 0 {
		i = 1 // the empty detail means auto
	}
	return all[(i+1)%len(all)]
}

// tokens is what a picture of a size costs on a route.
func (r *row) tokens(route providers.Route, w, h int) int {
	return r.cost(route.Model.ImageCost, w, h, route.Model.Quirks.ImageDetail)
}

// label is "1 shot.png 2048x1152 1,466 tok", and what was done to the picture.
func (r *row) label(i int, route providers.Route) string {
	parts := r.parts(i, route)
	if done := doneTo(r.pictures[i]); done != "" {
		parts = append(parts, done)
	}
	return strings.Join(parts, " ")
}

// parts are a picture's number, name, size and, where it is known, price.
func (r *row) parts(i int, route providers.Route) []string {
	a := r.pictures[i]
	number := a.Record.Number
	if number == 0 {
		number = i + 1
	}
	parts := []string{fmt.Sprint(number), shortName(flat(a.Record.Name)), fmt.Sprintf("%dx%d", a.Image.Width, a.Image.Height)}
	if n := r.tokens(route, a.Image.Width, a.Image.Height); n > 0 {
		parts = append(parts, grouped(n)+" tok")
	}
	return parts
}

// shortName keeps both ends of a long name: the end tells more.
func shortName(name string) string {
	const most = 28
	if name == "" {
		return "picture"
	}
	if cellsOf(name) <= most {
		return name
	}
	runes := []rune(name)
	for cellsOf(string(runes)) > most-10 && len(runes) > 1 {
		runes = runes[1:]
	}
	return cut(name, 10) + string(runes)
}

// view lays the pictures out in as few lines as they need, at most the number given, the selected one shown.
// With a gallery they are cards.
func (r *row) view(width, most int, t *theme, route providers.Route, g *gallery) []string {
	if r.empty() || most < 1 {
		return nil
	}
	if g != nil && most >= cardLines {
		if lines := r.cardsView(width, t, route, g); lines != nil {
			return lines
		}
	}
	var lines []string
	line, used, keep := "", 0, 0
	put := func(text string, drawn string) {
		n := cellsOf(text)
		if used > 0 && used+2+n > width-2 {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line, used = line+"  ", used+2
		}
		line, used = line+drawn, used+n
	}
	for i := range r.pictures {
		text := cut("▣ "+r.label(i, route), width-2)
		put(text, r.style(i, t, route).Render(text))
		if r.focused && i == r.selected {
			keep = len(lines)
		}
	}
	for _, w := range r.waiting {
		text := cut("◌ "+w, width-2)
		put(text, t.warn.Render(text))
		keep = len(lines)
	}
	return around(indent(append(lines, line)), keep, most, t)
}

func indent(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// around keeps at most so many lines, the one named among them, and says that there are more.
func around(lines []string, keep, most int, t *theme) []string {
	if len(lines) <= most {
		return lines
	}
	from := min(max(keep-most+1, 0), len(lines)-most)
	shown := slices.Clone(lines[from : from+most])
	if more := len(lines) - most; most > 1 {
		shown[most-1] += t.dim.Render(fmt.Sprintf("  (%s more)", amount(more, "line")))
	}
	return shown
}

func (r *row) style(i int, t *theme, route providers.Route) lipgloss.Style {
	switch {
	case r.focused && i == r.selected:
		return t.selected
	case !route.Sees():
		return t.bad
	}
	return t.chip
}
