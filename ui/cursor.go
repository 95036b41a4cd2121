package ui

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

func (b *buffer) line() []cell { return b.lines[b.at.row] }

func (b *buffer) moved() { b.goal, b.run = -1, false }

func (b *buffer) left() {
	b.moved()
	b.at = b.before(b.at)
}

func (b *buffer) right() {
	b.moved()
	b.at = b.after(b.at)
}

func (b *buffer) before(s spot) spot {
	switch {
	case s.col > 0:
		s.col--
	case s.row > 0:
		s = spot{s.row - 1, len(b.lines[s.row-1])}
	}
	return s
}

func (b *buffer) after(s spot) spot {
	switch {
	case s.col < len(b.lines[s.row]):
		s.col++
	case s.row < len(b.lines)-1:
		s = spot{s.row + 1, 0}
	}
	return s
}

// wordBefore is where the word before a spot begins: blanks, then letters, are passed.
func (b *buffer) wordBefore(s spot) spot {
	for s != (spot{}) && !b.letter(b.before(s)) {
		s = b.before(s)
	}
	for s != (spot{}) && b.letter(b.before(s)) && b.before(s).row == s.row {
		s = b.before(s)
	}
	return s
}

func (b *buffer) wordAfter(s spot) spot {
	end := spot{len(b.lines) - 1, len(b.lines[len(b.lines)-1])}
	for s != end && !b.letter(s) {
		s = b.after(s)
	}
	for s != end && b.letter(s) {
		s = b.after(s)
	}
	return s
}

// letter reports whether the cell at a spot belongs to a word. A chip is a word of its own.
func (b *buffer) letter(s spot) bool {
	line := b.lines[s.row]
	if s.col >= len(line) {
		return false
	}
	if line[s.col].chip != nil {
		return true
	}
	r, _ := utf8.DecodeRuneInString(line[s.col].text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsSymbol(r)
}

func (b *buffer) lineStart() { b.moved(); b.at.col = 0 }
func (b *buffer) lineEnd()   { b.moved(); b.at.col = len(b.line()) }
func (b *buffer) textStart() { b.moved(); b.at = spot{} }
func (b *buffer) textEnd() {
	b.moved()
	b.at = spot{len(b.lines) - 1, len(b.lines[len(b.lines)-1])}
}

// remove deletes what lies between the cursor and another spot; keep puts it where yank finds it.
func (b *buffer) remove(to spot, keep bool) {
	from := b.at
	if less(to, from) {
		from, to = to, from
	}
	if from == to {
		return
	}
	b.remember(false)
	if keep {
		b.cut = b.between(from, to)
	}
	joined := slices.Concat(b.lines[from.row][:from.col], b.lines[to.row][to.col:])
	b.lines = slices.Concat(b.lines[:from.row], [][]cell{joined}, b.lines[to.row+1:])
	b.at = from
}

func less(a, b spot) bool { return a.row < b.row || a.row == b.row && a.col < b.col }

func (b *buffer) between(from, to spot) []cell {
	var out []cell
	for s := from; s != to; s = b.after(s) {
		if s.col == len(b.lines[s.row]) {
			out = append(out, cell{text: "\n"})
			continue
		}
		out = append(out, b.lines[s.row][s.col])
	}
	return out
}

func (b *buffer) killEnd() {
	to := spot{b.at.row, len(b.line())}
	if to == b.at {
		to = b.after(b.at)
	}
	b.remove(to, true)
}

func (b *buffer) killStart() {
	to := spot{b.at.row, 0}
	if to == b.at {
		to = b.before(b.at)
	}
	b.remove(to, true)
}

func (b *buffer) yank() {
	if len(b.cut) == 0 {
		return
	}
	b.remember(false)
	b.place(slices.Clone(b.cut))
}

// unfold replaces the chip at or before the cursor by its text. It reports what it found.
func (b *buffer) unfold() (found, fits bool) {
	for _, s := range []spot{b.at, b.before(b.at)} {
		line := b.lines[s.row]
		if s.col >= len(line) || line[s.col].chip == nil || line[s.col].chip.waiting {
			continue
		}
		c := line[s.col].chip
		if len(c.text) > unfoldBytes {
			return true, false
		}
		b.remember(false)
		b.settle(c, cells(c.text))
		return true, true
	}
	return false, false
}

// edit does the actions that change the text or move in it, lines as they are drawn set aside. It reports
// whether the action was one of these.
func (b *buffer) edit(a action) bool {
	switch a {
	case actLeft:
		b.left()
	case actRight:
		b.right()
	case actWordLeft:
		b.moved()
		b.at = b.wordBefore(b.at)
	case actWordRight:
		b.moved()
		b.at = b.wordAfter(b.at)
	case actLineStart:
		b.lineStart()
	case actLineEnd:
		b.lineEnd()
	case actTextStart:
		b.textStart()
	case actTextEnd:
		b.textEnd()
	case actDelLeft:
		b.remove(b.before(b.at), false)
	case actDelRight:
		b.remove(b.after(b.at), false)
	default:
		return b.cutting(a)
	}
	return true
}

func (b *buffer) cutting(a action) bool {
	switch a {
	case actDelWordLeft:
		b.remove(b.wordBefore(b.at), true)
	case actDelWord:
		b.remove(b.wordAfter(b.at), true)
	case actKillEnd:
		b.killEnd()
	case actKillStart:
		b.killStart()
	case actYank:
		b.yank()
	case actUndo:
		b.undoStep()
	case actRedo:
		b.redoStep()
	case actNewline:
		b.insert("\n")
	default:
		return false
	}
	return true
}
