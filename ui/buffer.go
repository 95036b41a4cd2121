package ui

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"espy/ui/screen"
)

// cell is one step of the cursor: a grapheme as it was typed, or a chip.
type cell struct {
	text  string // the bytes that are sent, for a grapheme
	chip  *chip
	width int // columns on the screen
}

// chip stands in the text for something longer: a folded paste, or a paste that is being looked at.
type chip struct {
	text    string // what is sent in its place
	label   string
	waiting bool // whether it is text or pictures is being found out
}

// spot is a place in the buffer: before cell col of line row.
type spot struct{ row, col int }

// buffer is the text being written: lines of cells, a cursor, what was cut, and steps to undo.
// A line is never changed in place, so that a snapshot for undo is the list of lines only.
type buffer struct {
	lines [][]cell
	at    spot
	goal  int // column that up and down aim for, -1 where none
	cut   []cell
	undo  []snapshot
	redo  []snapshot // what was undone, the last first to come back
	run   bool       // the last edit was typing, which the next letter goes on with
	rev   int        // changes with every edit
}

type snapshot struct {
	lines [][]cell
	at    spot
}

func newBuffer() buffer { return buffer{lines: [][]cell{nil}, goal: -1} }

// cells splits text into graphemes; newlines stay cells of their own until place splits lines there.
func cells(text string) []cell {
	out := make([]cell, 0, len(text))
	state := -1
	for text != "" {
		var g string
		g, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		out = append(out, cell{text: g, width: cellWidth(g)})
	}
	return out
}

func cellWidth(g string) int {
	switch g {
	case "\n":
		return 0
	case "\t":
		return len(tab)
	}
	return screen.Width(drawn(g))
}

// drawn is a grapheme as it is drawn; what cannot be seen shows as its number, so that it can be deleted.
func drawn(g string) string {
	if s := screen.Safe(g); s != "" {
		return s
	}
	return screen.Visible(g)
}

// tab is how a tab is drawn in the composer.
const tab = "    "

// newlines makes the line ends of a paste the ones the composer knows: terminals send CR for them.
func newlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// remember keeps a step to undo. Typing letter after letter is one step up to a blank.
func (b *buffer) remember(typing bool) {
	if !(typing && b.run) {
		b.undo = append(b.undo, snapshot{slices.Clone(b.lines), b.at})
		if len(b.undo) > undoSteps {
			b.undo = slices.Delete(b.undo, 0, len(b.undo)-undoSteps)
		}
	}
	b.run = typing
	b.redo = nil
	b.goal = -1
	b.rev++
}

func (b *buffer) undoStep() { b.step(&b.undo, &b.redo) }

func (b *buffer) redoStep() { b.step(&b.redo, &b.undo) }

// step takes the text back to the newest state of one list and keeps what it was on the other.
func (b *buffer) step(from, to *[]snapshot) {
	if len(*from) == 0 {
		return
	}
	last := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	*to = append(*to, snapshot{slices.Clone(b.lines), b.at})
	b.lines, b.at, b.run, b.goal = last.lines, last.at, false, -1
	b.rev++
}

// insert puts text at the cursor, which then stands behind it.
func (b *buffer) insert(text string) {
	if text == "" {
		return
	}
	b.remember(len(text) <= 8 && !strings.ContainsAny(text, " \n"))
	b.place(cells(newlines(text)))
}

func (b *buffer) insertChip(c *chip) {
	b.remember(false)
	b.place([]cell{chipCell(c)})
}

func chipCell(c *chip) cell { return cell{chip: c, width: screen.Width(c.label)} }

// place puts cells at the cursor without a step to undo.
func (b *buffer) place(in []cell) {
	line := b.lines[b.at.row]
	head, tail := slices.Clone(line[:b.at.col]), slices.Clone(line[b.at.col:])
	in, head, tail = join(head, in, tail)
	rows := splitRows(in)
	if len(rows) == 1 {
		b.at.col = len(head) + len(rows[0])
		b.lines = slices.Clone(b.lines)
		b.lines[b.at.row] = slices.Concat(head, rows[0], tail)
		return
	}
	last := len(rows) - 1
	b.at.col = len(rows[last])
	rows[0] = slices.Concat(head, rows[0])
	rows[last] = slices.Concat(rows[last], tail)
	b.lines = slices.Concat(b.lines[:b.at.row], rows, b.lines[b.at.row+1:])
	b.at.row += last
}

// append puts lines of cells at the cursor.
func (b *buffer) append(lines [][]cell) {
	for i, line := range lines {
		if i > 0 {
			b.place([]cell{{text: "\n"}})
		}
		b.place(line)
	}
	b.rev++
}

// join lets what is put in grow together with the graphemes on its sides: a combining mark typed behind its
// letter is one cell with it.
func join(head, in, tail []cell) (all, before, after []cell) {
	if n := len(head); n > 0 && head[n-1].chip == nil && len(in) > 0 && in[0].chip == nil {
		if both := cells(head[n-1].text + in[0].text); len(both) == 1 {
			return append(both, in[1:]...), head[:n-1], tail
		}
	}
	return in, head, tail
}

func splitRows(in []cell) [][]cell {
	var rows [][]cell
	start := 0
	for i, c := range in {
		if c.text == "\n" {
			rows = append(rows, in[start:i])
			start = i + 1
		}
	}
	return append(rows, in[start:])
}

// text is what is sent: every chip in full.
func (b *buffer) text() string { return b.render(func(c *chip) string { return c.text }) }

// typed is the text without its chips.
func (b *buffer) typed() string { return b.render(func(*chip) string { return "" }) }

func (b *buffer) render(ofChip func(*chip) string) string {
	var out strings.Builder
	for i, line := range b.lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, c := range line {
			if c.chip != nil {
				out.WriteString(ofChip(c.chip))
			} else {
				out.WriteString(c.text)
			}
		}
	}
	return out.String()
}

func (b *buffer) empty() bool { return len(b.lines) == 1 && len(b.lines[0]) == 0 }

func (b *buffer) hasChips() bool {
	for _, line := range b.lines {
		if slices.ContainsFunc(line, func(c cell) bool { return c.chip != nil }) {
			return true
		}
	}
	return false
}

// set replaces the text; the cursor stands at its end. Undo brings the old text back.
func (b *buffer) set(text string) {
	b.remember(false)
	b.lines, b.at = [][]cell{nil}, spot{}
	b.place(cells(newlines(text)))
}

// clear empties the text.
func (b *buffer) clear() {
	b.remember(false)
	b.lines, b.at = [][]cell{nil}, spot{}
}

// settle replaces a waiting chip by what it turned out to be: the cells given, or nothing. The cursor stays
// where it stands in the text around it. It reports whether the chip was still there.
func (b *buffer) settle(c *chip, with []cell) bool {
	c.waiting = false // in the steps to undo it stands for its text from now on
	for row, line := range b.lines {
		col := slices.IndexFunc(line, func(x cell) bool { return x.chip == c })
		if col < 0 {
			continue
		}
		after := b.at.row == row && b.at.col > col
		back, moved := b.at, b.at.row-row
		tail := len(line) - b.at.col
		b.lines = slices.Clone(b.lines)
		b.lines[row] = slices.Concat(line[:col], line[col+1:])
		b.at = spot{row, col}
		b.place(with)
		switch {
		case after:
			b.at.col = len(b.lines[b.at.row]) - tail
		case moved > 0:
			b.at = spot{b.at.row + moved, back.col}
		default:
			b.at = back
		}
		b.rev++
		return true
	}
	return false
}
