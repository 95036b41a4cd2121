package ui

import (
	"fmt"
	"strings"
)

// composer is where a message is written: the buffer as wrapped rows, history, and folded pastes.
type composer struct {
	vim    vim
	buf    buffer
	keys   keymap
	width  int // columns of text
	height int // rows that show
	top    int // first row that shows

	rows   []visual // the buffer as drawn, for rev and rowsAt
	rev    int
	rowsAt int

	past    []Past   // what was sent before, oldest first
	recall  int      // index into past; len(past) is the text being written
	stashed [][]cell // that text, while history is shown
}

// visual is a row as drawn: cells from..to of a line.
type visual struct{ line, from, to int }

func newComposer(keys keymap) composer {
	return composer{buf: newBuffer(), keys: keys, width: 1, height: 1, rev: -1}
}

// layout wraps the buffer where it or the width changed. Rows break after a blank where there is one.
func (c *composer) layout() []visual {
	if c.rev == c.buf.rev && c.rowsAt == c.width {
		return c.rows
	}
	c.rev, c.rowsAt, c.rows = c.buf.rev, c.width, c.rows[:0]
	for i, line := range c.buf.lines {
		c.rows = wrapCells(c.rows, i, line, c.width)
	}
	return c.rows
}

func wrapCells(rows []visual, index int, line []cell, width int) []visual {
	from, used, blank := 0, 0, -1
	for i := 0; i < len(line); i++ {
		if used+line[i].width > width && i > from {
			to := i
			if blank > from {
				to = blank
			}
			rows = append(rows, visual{index, from, to})
			from, blank, used = to, -1, 0
			for _, c := range line[from:i] {
				used += c.width
			}
		}
		used += line[i].width
		if line[i].text == " " || line[i].text == "\t" {
			blank = i + 1
		}
	}
	rows = append(rows, visual{index, from, len(line)})
	if used >= width && len(line) > 0 { // the cursor needs a cell behind a full row
		rows = append(rows, visual{index, len(line), len(line)})
	}
	return rows
}

// cursorRow is the drawn row the cursor is on.
func (c *composer) cursorRow() int {
	at, found := c.buf.at, 0
	for i, r := range c.layout() {
		if r.line == at.row && r.from <= at.col {
			found = i
		} else if r.line > at.row {
			break
		}
	}
	return found
}

// vertical moves the cursor by drawn rows and reports whether there was one to move to.
func (c *composer) vertical(by int) bool {
	rows, now := c.layout(), c.cursorRow()
	next := now + by
	if next < 0 || next >= len(rows) {
		return false
	}
	if c.buf.goal < 0 {
		c.buf.goal = span(c.buf.lines[rows[now].line][rows[now].from:c.buf.at.col])
	}
	goal, r := c.buf.goal, rows[next]
	col, used := r.from, 0
	line := c.buf.lines[r.line]
	for col < r.to && used+line[col].width <= goal {
		used += line[col].width
		col++
	}
	if col == r.to && r.to < len(line) && col > r.from { // that place belongs to the next row
		col--
	}
	c.buf.at, c.buf.run = spot{r.line, col}, false
	return true
}

func span(line []cell) int {
	n := 0
	for _, c := range line {
		n += c.width
	}
	return n
}

// wants is how many rows the composer would like, at most the number given.
func (c *composer) wants(width, most int) int {
	c.width = max(width-gutter, 1)
	return min(max(len(c.layout()), 1), max(most, 1))
}

// gutter is the columns before the text: the prompt sign and a blank.
const gutter = 2

// view draws the rows that show. Focused says whether the cursor is seen.
func (c *composer) view(width, height int, t *theme, focused bool, hint string) []string {
	c.width, c.height = max(width-gutter, 1), height
	rows, now := c.layout(), c.cursorRow()
	c.top = min(max(c.top, now-height+1), now)
	c.top = max(min(c.top, len(rows)-height), 0)
	out := make([]string, 0, height)
	for i := c.top; i < len(rows) && len(out) < height; i++ {
		sign := "  "
		if i == 0 {
			sign = c.sign(t)
		}
		out = append(out, sign+c.drawRow(rows[i], i == now && focused, t))
	}
	if c.buf.empty() && hint != "" {
		out[0] = t.accent.Render("›") + " " + placeholder(hint, c.width, t, focused)
	}
	for len(out) < height {
		out = append(out, "")
	}
	return out
}

// sign stands before the text; it warns where the line goes to the shell.
func (c *composer) sign(t *theme) string {
	if first := c.buf.lines[0]; len(first) > 0 && first[0].text == "!" {
		return t.warn.Render("$") + " "
	}
	return t.accent.Render("›") + " "
}

func placeholder(hint string, width int, t *theme, focused bool) string {
	hint = cut(hint, width-1)
	if !focused {
		return t.faint.Render(hint)
	}
	return caretMark + " " + t.faint.Render(hint)
}

func (c *composer) drawRow(r visual, cursor bool, t *theme) string {
	var out, run strings.Builder
	flush := func() {
		out.WriteString(safe(run.String()))
		run.Reset()
	}
	line := c.buf.lines[r.line]
	for i := r.from; i < r.to; i++ {
		text, here := drawnCell(line[i]), cursor && i == c.buf.at.col
		switch {
		case here:
			flush()
			out.WriteString(caretMark)
			if line[i].chip != nil {
				text = t.chip.Render(text)
			}
			out.WriteString(text)
		case line[i].chip != nil:
			flush()
			out.WriteString(t.chip.Render(text))
		default:
			run.WriteString(text)
		}
	}
	flush()
	if cursor && c.buf.at.col >= r.to {
		out.WriteString(caretMark)
	}
	return out.String()
}

func drawnCell(c cell) string {
	switch {
	case c.chip != nil:
		return safe(c.chip.label)
	case c.text == "\t":
		return tab
	}
	return drawn(c.text)
}

// paste puts pasted text in; what is long becomes a chip that can be unfolded.
func (c *composer) paste(text string) {
	text = newlines(text)
	if ch := foldPaste(text); ch != nil {
		c.buf.insertChip(ch)
		return
	}
	c.buf.insert(text)
}

// pasteCells is what a waiting chip settles to when it turned out to be text.
func pasteCells(text string) []cell {
	text = newlines(text)
	if ch := foldPaste(text); ch != nil {
		return []cell{chipCell(ch)}
	}
	return cells(text)
}

func foldPaste(text string) *chip {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	switch {
	case lines > foldLines:
		return &chip{text: text, label: fmt.Sprintf("[pasted %s]", amount(lines, "line"))}
	case len(text) > foldBytes:
		return &chip{text: text, label: fmt.Sprintf("[pasted %s]", amount(len([]rune(text)), "character"))}
	}
	return nil
}

// older and newer walk through what was sent before. They report whether there was anything to show.
func (c *composer) older() bool {
	if c.recall == 0 || len(c.past) == 0 {
		return false
	}
	if c.recall == len(c.past) {
		c.stashed = c.buf.lines
	}
	c.recall--
	c.show(c.past[c.recall].Text)
	return true
}

func (c *composer) newer() bool {
	if c.recall >= len(c.past) {
		return false
	}
	c.recall++
	if c.recall == len(c.past) {
		c.buf.remember(false)
		c.buf.lines = c.stashed
		c.buf.textEnd()
		return true
	}
	c.show(c.past[c.recall].Text)
	return true
}

// show replaces the text, folding what is too long to move in.
func (c *composer) show(text string) {
	if len(text) <= unfoldBytes {
		c.buf.set(text)
		return
	}
	c.buf.clear()
	c.paste(text)
}

// sent empties the composer and adds what was sent to the history.
func (c *composer) sent(p Past) {
	if n := len(c.past); !p.empty() && (n == 0 || !c.past[n-1].same(p)) {
		c.past = append(c.past, p)
	}
	c.recall, c.stashed = len(c.past), nil
	c.buf.clear()
	c.buf.undo, c.buf.redo = nil, nil
}

// putBack brings a text back in front of what was written meanwhile.
func (c *composer) putBack(text string) {
	if text == "" {
		return
	}
	if now := c.buf.text(); now != "" {
		if c.buf.hasChips() { // chips stay chips
			c.buf.textStart()
			c.buf.insert(text + "\n\n")
			c.buf.textEnd()
			return
		}
		text += "\n\n" + now
	}
	c.show(text)
}
