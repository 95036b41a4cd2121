// Package diffview draws unified diffs for a terminal: file names, line numbers, added and removed lines, and within lines
// that were changed the part that differs.
//
// Lines stand alone and are never wider than was asked; text is made harmless by package screen. What is not a diff is drawn
// as it is. The package knows nothing of Bubble Tea or of where a diff comes from. Its functions are pure.
package diffview

import (
	"strconv"
	"strings"

	"espy/ui/markdown"
	"espy/ui/screen"
)

const (
	// minNumbered is the least width, in columns, at which line numbers are shown.
	minNumbered = 30

	// maxDigits is the most digits of a line number that are believed; a hunk header with more is taken for text.
	maxDigits = 7

	// maxPaired is the longest run of removed lines, each set against an added one, that is searched for what differs.
	maxPaired = 200

	// changed is how the part of a line that differs is set off: the line's colours reversed.
	changed markdown.Style = "7"
)

// Render draws diff, unified diff text of any number of files, in lines of at most width columns; a width below 2 counts as 2.
func Render(diff string, width int, theme markdown.Theme) []string {
	d := drawing{width: max(width, 2), theme: theme}
	lines := parse(diff)
	if d.width >= minNumbered {
		d.digits = digits(lines)
	}
	pair(lines)
	for _, l := range lines {
		d.line(l)
	}
	return d.out
}

// Stat counts the added and removed lines of diff.
func Stat(diff string) (added, removed int) {
	for _, l := range parse(diff) {
		switch l.kind {
		case add:
			added++
		case remove:
			removed++
		}
	}
	return added, removed
}

// drawing gathers the lines of one diff.
type drawing struct {
	width  int
	digits int // width of the line numbers, 0 for none
	theme  markdown.Theme
	out    []string
}

func (d *drawing) line(l line) {
	t := d.theme
	switch l.kind {
	case title:
		if len(d.out) > 0 {
			d.out = append(d.out, "")
		}
		d.wrapped("", l.text, t.FileName)
	case hunk:
		d.out = append(d.out, t.Hunk.Render(screen.Truncate(l.text, d.width)))
	case note:
		d.wrapped("", l.text, t.LineNumber)
	case add:
		d.numbered(l, "+", t.Added)
	case remove:
		d.numbered(l, "-", t.Removed)
	case same:
		d.numbered(l, " ", "")
	default:
		d.wrapped("", l.text, "")
	}
}

// numbered draws a line of a file behind its number and sign. Lines too long go on below their own text.
func (d *drawing) numbered(l line, sign string, style markdown.Style) {
	gutter := ""
	if d.digits > 0 {
		n := strconv.Itoa(l.number)
		gutter = d.theme.LineNumber.Render(strings.Repeat(" ", max(d.digits-len(n), 0))+n) + " "
	}
	text := style.Render(l.text[:l.from]) + style.With(d.emphasis(style)).Render(l.text[l.from:l.to]) + style.Render(l.text[l.to:])
	d.wrapped(gutter+style.Render(sign)+" ", text, "")
}

// emphasis is how the part that differs is set off; without colours there is nothing to reverse.
func (d *drawing) emphasis(style markdown.Style) markdown.Style {
	if style == "" {
		return ""
	}
	return changed
}

// wrapped adds text in as many lines as it needs, the first behind prefix, the others behind as many spaces.
func (d *drawing) wrapped(prefix, text string, style markdown.Style) {
	used := screen.Width(prefix)
	if d.width-used < 2 {
		prefix, used = "", 0
	}
	for i, part := range screen.Chop(style.Render(text), d.width-used) {
		if i > 0 {
			prefix = strings.Repeat(" ", used)
		}
		d.out = append(d.out, strings.TrimRight(prefix+part, " "))
	}
}

// digits is how many the largest line number has.
func digits(lines []line) int {
	most := 0
	for _, l := range lines {
		most = max(most, l.number)
	}
	if most == 0 {
		return 0
	}
	return len(strconv.Itoa(most))
}
