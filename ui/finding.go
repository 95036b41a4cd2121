package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"espy/ui/markdown"
)

// finder searches the transcript. While it is written in, the nearest entry that holds the words is shown with every
// letter; each step looks no further than to the next one.
type finder struct {
	writing bool // keys go to the words
	words   buffer
	from    int // the entry that was picked when the search began
	missed  bool
}

// query is what is looked for, in lower case; "" looks for nothing.
func (f *finder) query() string { return strings.ToLower(f.words.text()) }

// startFinding gives the keys to the search.
func (m *model) startFinding() {
	m.find = finder{writing: true, words: newBuffer(), from: m.list.picked}
	m.list.seek = ""
}

// onFindKey writes the search. Enter keeps what was found, esc goes back to where it began.
func (m *model) onFindKey(name, typed string) {
	f := &m.find
	switch {
	case m.keys.find(inDialog, name) == actDismiss:
		m.list.pick(f.from)
		m.stopFinding()
		return
	case m.keys.find(inDialog, name) == actChoose:
		f.writing = false
		if f.query() == "" {
			m.stopFinding()
		}
		return
	case typed != "":
		f.words.insert(strings.ReplaceAll(typed, "\n", " "))
	default:
		if a := m.keys.find(inComposer, name); a != actNewline {
			f.words.edit(a)
		}
	}
	m.list.seek = f.query()
	m.findFrom(f.from, -1, true)
}

func (m *model) stopFinding() {
	m.find = finder{}
	m.list.seek = ""
}

// findNext goes on to the next place up or down.
func (m *model) findNext(by int) {
	if m.find.query() == "" {
		m.startFinding()
		return
	}
	m.findFrom(m.list.picked+by, by, false)
}

// findFrom picks the nearest entry that holds the words, beginning with one and going one way, then from the other end.
func (m *model) findFrom(at, by int, again bool) {
	query, n := m.find.query(), len(m.list.slots)
	m.find.missed = false
	if query == "" || n == 0 {
		return
	}
	for i := range n {
		j := ((at+i*by)%n + n) % n
		if strings.Contains(strings.ToLower(m.list.slots[j].entry.plain()), query) {
			m.list.show(j, query)
			return
		}
	}
	m.find.missed = true
	if again {
		m.list.pick(m.find.from)
	}
}

// show picks an entry and brings the line with the words into the window; where they are folded away it is unfolded.
func (l *transcript) show(i int, query string) {
	l.picked = i
	line := l.lineWith(i, query)
	if line < 0 {
		if f, ok := l.slots[i].entry.(folding); ok && f.folds() && l.look.open == l.slots[i].flip {
			l.toggle(i)
			line = l.lineWith(i, query)
		}
	}
	l.reveal(i, max(line, 0))
}

func (l *transcript) lineWith(i int, query string) int {
	for n, line := range l.linesOf(i) {
		if strings.Contains(strings.ToLower(ansi.Strip(line)), query) {
			return n
		}
	}
	return -1
}

// reveal puts a line of an entry into the middle of the window.
func (l *transcript) reveal(i, line int) {
	l.follow = false
	l.last, l.hidden = i, max(len(l.linesOf(i))-1-line, 0)
	l.down(l.height / 2)
}

// lit marks the words that are looked for in a line of the window.
func (l *transcript) lit(line string) string {
	if l.seek == "" {
		return line
	}
	plain := ansi.Strip(line)
	lower := strings.ToLower(plain)
	if len(lower) != len(plain) || !strings.Contains(lower, l.seek) { // letters whose cases differ in bytes are found, not marked
		return line
	}
	var out strings.Builder
	done, width := 0, cellsOf(plain)
	for rest := 0; ; {
		k := strings.Index(lower[rest:], l.seek)
		if k < 0 {
			break
		}
		from := cellsOf(plain[:rest+k])
		to := from + cellsOf(plain[rest+k:rest+k+len(l.seek)])
		out.WriteString(ansi.Cut(line, done, from) + l.look.t.found.Render(plain[rest+k:rest+k+len(l.seek)]))
		done, rest = to, rest+k+len(l.seek)
	}
	return out.String() + ansi.Cut(line, done, width)
}

// findText is what the line over the composer says while something is looked for.
func (m *model) findText() string {
	text := "find: " + safe(m.find.words.text())
	if m.find.writing {
		text += caretMark
	}
	switch k := m.keys.key; {
	case m.find.missed:
		text += "  is nowhere"
	case m.find.writing:
		text += " · " + k(actChoose) + " keeps it · " + k(actDismiss) + " goes back"
	default:
		text += "  " + k(actItemNext) + " older · " + k(actItemBefore) + " newer · " + k(actItemLeave) + " back"
	}
	return text
}

// message is the next entry up or down that the person wrote; where there is none, the end that way.
func (l *transcript) message(by int) int {
	for i := l.picked + by; i >= 0 && i < len(l.slots); i += by {
		if _, ok := l.slots[i].entry.(*said); ok {
			return i
		}
	}
	return l.picked
}

// copyCode copies the code block of the picked entry; of several it asks which.
func (m *model) copyCode() tea.Cmd {
	blocks := markdown.Code(m.list.slots[m.list.picked].entry.plain())
	switch len(blocks) {
	case 0:
		m.say("there is no code block in this entry", false)
		return nil
	case 1:
		return m.copyText(blocks[0])
	}
	choices := make([]choice, len(blocks))
	for i, b := range blocks {
		first, _, _ := strings.Cut(strings.TrimSpace(b), "\n")
		choices[i] = choice{label: first, about: amount(strings.Count(strings.TrimRight(b, "\n"), "\n")+1, "line"), value: b}
	}
	m.dialog = newPicker("copy a code block", choices, func(c choice, _ string) tea.Cmd { return m.copyText(c.value.(string)) })
	return nil
}
