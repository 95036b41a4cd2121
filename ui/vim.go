package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// vim is modal editing of the composer: esc leaves writing, i, a, I, A, o and O go back to it. Between them letters are
// commands: motions (h j k l w b e 0 ^ $ g G), counts, d c y with a motion or doubled, x D C p P u J. Everything it does is an
// edit of the buffer like any other, so that undo, chips and wide letters behave as they do elsewhere.
type vim struct {
	on       bool
	commands bool   // letters are commands
	operator string // d, c or y, waiting for its motion
	count    int    // written before a command, 0 for none
	whole    bool   // what was cut are whole lines
}

// onVimKey takes a key of the composer in. It reports whether it was one of vim's.
func (m *model) onVimKey(name, typed string) (tea.Cmd, bool) {
	v, b := &m.comp.vim, &m.comp.buf
	if !v.on {
		return nil, false
	}
	if !v.commands {
		if m.keys.find(inVim, name) != actVimCommands || m.hints.open() || len(m.jobs) > 0 || m.pending != nil {
			return nil, false
		}
		v.commands = true
		if b.at.col > 0 {
			b.left()
		}
		return nil, true
	}
	if typed == "" || v.count == 0 && v.operator == "" && b.empty() && (typed == "/" || typed == "!" || typed == "@") {
		v.commands = v.commands && typed == "" // what begins a command of espy is written
		v.operator, v.count = "", 0
		return nil, false
	}
	m.say("", false)
	m.walking = false
	for _, r := range typed {
		if cmd := m.vimCommand(string(r)); cmd != nil {
			return cmd, true
		}
	}
	return nil, true
}

// vimCommand does one letter.
func (m *model) vimCommand(key string) tea.Cmd {
	v, b := &m.comp.vim, &m.comp.buf
	if key >= "1" && key <= "9" || key == "0" && v.count > 0 {
		v.count = min(v.count*10+int(key[0]-'0'), mostVimCount)
		return nil
	}
	times := max(v.count, 1)
	switch {
	case v.operator != "":
		m.vimOperate(v.operator, key, times)
		v.operator, v.count = "", 0
	case key == "d" || key == "c" || key == "y":
		v.operator = key
	case (key == "j" || key == "k") && len(b.lines) == 1: // a message of one line: history, as the arrows
		v.count = 0
		if key == "k" {
			return m.older()
		}
		return m.newer()
	case key == "j" || key == "k":
		for range times {
			m.comp.vertical(map[string]int{"j": 1, "k": -1}[key])
		}
		v.count = 0
	default:
		if to, ok := b.vimMotion(key, times); ok {
			b.moved()
			b.at = to
			v.clamp(b)
		} else {
			v.change(b, key, times)
		}
		v.count = 0
	}
	return nil
}

// vimMotion is where a motion leads.
func (b *buffer) vimMotion(key string, times int) (spot, bool) {
	at := b.at
	for range times {
		switch key {
		case "h":
			at.col = max(at.col-1, 0)
		case "l", " ":
			at.col = min(at.col+1, len(b.lines[at.row]))
		case "w":
			at = b.nextWord(at)
		case "b":
			at = b.wordBefore(at)
		case "e":
			at = b.before(b.wordAfter(b.after(at)))
		case "0":
			at.col = 0
		case "^":
			at.col = 0
			for at.col < len(b.lines[at.row]) && b.lines[at.row][at.col].text == " " {
				at.col++
			}
		case "$":
			at.col = len(b.lines[at.row])
		case "g":
			at = spot{}
		case "G":
			at = spot{len(b.lines) - 1, 0}
		default:
			return at, false
		}
	}
	return at, true
}

// nextWord is where the next word begins.
func (b *buffer) nextWord(s spot) spot {
	end := spot{len(b.lines) - 1, len(b.lines[len(b.lines)-1])}
	for s != end && b.letter(s) {
		s = b.after(s)
	}
	for s != end && !b.letter(s) {
		s = b.after(s)
	}
	return s
}

// vimOperate deletes, changes or copies up to where a motion leads, or whole lines where the operator is doubled.
func (m *model) vimOperate(op, key string, times int) {
	v, b := &m.comp.vim, &m.comp.buf
	if key == op {
		v.lines(b, op, times)
		return
	}
	if op == "c" && key == "w" { // as vim does: the blanks after the word stay
		key = "e"
	}
	to, ok := b.vimMotion(key, times)
	if !ok {
		return
	}
	if key == "e" {
		to = b.after(to)
	}
	v.whole = false
	v.cutTo(b, op, to)
	v.clamp(b)
}

// cutTo takes what lies between the cursor and a spot.
func (v *vim) cutTo(b *buffer, op string, to spot) {
	if op == "y" {
		from := b.at
		if less(to, from) {
			from, to = to, from
		}
		b.cut, b.at = b.between(from, to), from
		return
	}
	b.remove(to, true)
	v.commands = op != "c"
}

// lines takes whole lines.
func (v *vim) lines(b *buffer, op string, times int) {
	last := min(b.at.row+times-1, len(b.lines)-1)
	row := b.at.row
	kept := b.between(spot{row, 0}, spot{last, len(b.lines[last])})
	v.whole = true
	switch {
	case op == "y":
	case op == "c":
		b.at = spot{row, 0}
		b.remove(spot{last, len(b.lines[last])}, false)
		v.commands = false
	case last < len(b.lines)-1:
		b.at = spot{row, 0}
		b.remove(spot{last + 1, 0}, false)
	case row > 0:
		b.at = spot{row - 1, len(b.lines[row-1])}
		b.remove(spot{last, len(b.lines[last])}, false)
		b.at.col = 0
	default:
		b.at = spot{row, 0}
		b.remove(spot{last, len(b.lines[last])}, false)
	}
	b.cut = kept
}

// change does what is neither a motion nor an operator.
func (v *vim) change(b *buffer, key string, times int) {
	switch key {
	case "i", "a", "I", "A", "o", "O":
		v.write(b, key)
	case "x":
		v.whole = false
		b.remove(spot{b.at.row, min(b.at.col+times, len(b.line()))}, true)
	case "D", "C":
		v.whole = false
		b.remove(spot{b.at.row, len(b.line())}, true)
		v.commands = key == "D"
	case "p", "P":
		v.put(b, key == "p")
	case "u":
		for range times {
			b.undoStep()
		}
	case "J":
		if b.at.row < len(b.lines)-1 {
			b.lineEnd()
			b.remove(b.after(b.at), false)
			b.insert(" ")
		}
	}
	v.clamp(b)
}

// write goes back to writing.
func (v *vim) write(b *buffer, key string) {
	v.commands = false
	switch key {
	case "a":
		b.moved()
		b.at.col = min(b.at.col+1, len(b.line()))
	case "I":
		b.at, _ = b.vimMotion("^", 1)
	case "A":
		b.lineEnd()
	case "o":
		b.lineEnd()
		b.insert("\n")
	case "O":
		b.lineStart()
		b.insert("\n")
		b.at = spot{b.at.row - 1, 0}
	}
}

// put puts back what was cut, whole lines as lines of their own.
func (v *vim) put(b *buffer, after bool) {
	if len(b.cut) == 0 {
		return
	}
	cut := slices.Clone(b.cut)
	b.remember(false)
	switch {
	case v.whole && after:
		b.at.col = len(b.line())
		cut = append([]cell{{text: "\n"}}, cut...)
	case v.whole:
		b.at.col = 0
		cut = append(cut, cell{text: "\n"})
	case after:
		b.at.col = min(b.at.col+1, len(b.line()))
	}
	b.place(cut)
	b.left()
}

// clamp keeps the cursor on a letter, where letters are commands.
func (v *vim) clamp(b *buffer) {
	if v.commands && b.at.col >= len(b.line()) {
		b.at.col = max(len(b.line())-1, 0)
	}
}
