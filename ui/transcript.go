package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// transcript is the conversation as a list that draws only what is in its window.
//
// The window hangs on an anchor from below: the last entry that shows and how many of its lines are hidden
// under the window's lower edge. What grows or is drawn anew above the anchor moves nothing that is being
// read below it. While it follows, the anchor is the end. Heights are known of drawn entries only, and drawn
// lines are dropped far from the window, so that a conversation of any length costs what its window costs.
type transcript struct {
	slots  []slot
	look   look
	width  int
	height int

	follow bool
	head   bool // the window hangs on the beginning until it is moved, however the entries grow as they are drawn
	last   int  // anchor: the last entry in the window
	hidden int  // its lines under the lower edge

	window   []string // what shows, top first
	owner    []int    // the entry each line of the window belongs to, -1 for none
	drawn    []int    // entries that hold lines
	picked   int      // the entry the keys act on, -1 where the transcript has not the focus
	seek     string   // words to mark in the window, lower case
	unseen   bool     // something came below the window
	renderer func(i int, a *answer, width int) tea.Cmd
}

// slot is an entry with its lines as last drawn.
type slot struct {
	entry entry
	flip  bool // folded where the others are open, or open where they are folded
	lines []string
	width int // the lines were drawn for; 0 where they are stale
}

// entry is one thing in the transcript. Draw depends on nothing but the entry, the width and the look.
type entry interface {
	draw(width int, l look) []string
	// plain is the entry as text to copy.
	plain() string
}

// folding is an entry that has more to show than it shows.
type folding interface{ folds() bool }

// compact is an entry that stands without a blank line under another of its kind.
type compact interface{ compact() bool }

// look is how entries are drawn.
type look struct {
	t    *theme
	open bool // unfold; for one entry it says whether that one is unfolded
	keys func(action) string

	gallery *gallery
	tall    bool // there is room for pictures at their full size
}

// pictured is an entry that draws pictures.
type pictured interface {
	pictured() bool
	shots() []agent.Attachment
}

func newTranscript(l look, renderer func(int, *answer, int) tea.Cmd) transcript {
	return transcript{look: l, follow: true, picked: -1, renderer: renderer}
}

// add appends an entry and returns its index.
func (l *transcript) add(e entry) int {
	l.slots = append(l.slots, slot{entry: e})
	if !l.follow {
		l.unseen = true
	}
	return len(l.slots) - 1
}

// changed says that an entry is to be drawn anew.
func (l *transcript) changed(i int) {
	if i >= 0 && i < len(l.slots) {
		l.slots[i].width = 0
	}
}

// restyle draws everything anew: another theme, or all entries unfolded.
func (l *transcript) restyle() {
	for _, i := range l.drawn {
		l.slots[i].width = 0
	}
}

// repaint draws the entries with pictures anew: one came, or they are drawn another way.
func (l *transcript) repaint() {
	for _, i := range l.drawn {
		if p, ok := l.slots[i].entry.(pictured); ok && p.pictured() {
			l.slots[i].width = 0
		}
	}
}

// tall says whether there is room for pictures at their full size.
func (l *transcript) tall(on bool) {
	if l.look.tall != on {
		l.look.tall = on
		l.repaint()
	}
}

func (l *transcript) toggleAll() {
	l.look.open = !l.look.open
	for i := range l.slots {
		l.slots[i].flip = false
	}
	l.restyle()
}

func (l *transcript) toggle(i int) {
	if i < 0 || i >= len(l.slots) {
		return
	}
	if f, ok := l.slots[i].entry.(folding); ok && f.folds() {
		l.slots[i].flip = !l.slots[i].flip
		l.changed(i)
	}
}

// linesOf returns an entry's lines, drawn for the present width. A redrawn anchor keeps what is read in place.
func (l *transcript) linesOf(i int) []string {
	s := &l.slots[i]
	if s.width == l.width && s.lines != nil {
		return s.lines
	}
	before := len(s.lines)
	if s.lines == nil {
		l.drawn = append(l.drawn, i)
	}
	s.lines = l.drawSlot(i)
	s.width = l.width
	if i == l.last && !l.follow && before > 0 {
		l.hidden = keepPlace(l.hidden, before, len(s.lines), l.height)
	}
	return s.lines
}

// spaced is an entry that may have its lines behind an empty one already, nil where it has not.
type spaced interface{ drawSpaced(width int) []string }

func (l *transcript) drawSlot(i int) []string {
	s := &l.slots[i]
	look := l.look
	look.open = l.look.open != s.flip
	if e, ok := s.entry.(spaced); ok && l.gap(i) {
		if lines := e.drawSpaced(l.width); lines != nil {
			return lines
		}
	}
	lines := s.entry.draw(l.width, look)
	if len(lines) > 0 && l.gap(i) {
		lines = slices.Insert(lines, 0, "")
	}
	if lines == nil {
		lines = []string{}
	}
	return lines
}

func (l *transcript) gap(i int) bool {
	if i == 0 {
		return false
	}
	a, okA := l.slots[i-1].entry.(compact)
	b, okB := l.slots[i].entry.(compact)
	return !(okA && okB && a.compact() && b.compact())
}

// keepPlace is how many lines of an entry stay hidden below the window after it was drawn anew: where its
// top shows, the top stays; where it fills the window, the place stays in proportion.
func keepPlace(hidden, before, after, height int) int {
	shown := before - hidden
	if shown > height && before > 0 {
		shown = shown * after / before
	}
	return min(max(after-shown, 0), max(after-1, 0))
}

// resize sets the window's size.
func (l *transcript) resize(width, height int) { l.width, l.height = max(width, 1), max(height, 0) }

// layout draws what the window shows and asks for the Markdown of what is in it.
func (l *transcript) layout() tea.Cmd {
	l.window, l.owner = l.window[:0], l.owner[:0]
	if len(l.slots) == 0 || l.height == 0 {
		return nil
	}
	if l.follow || l.last >= len(l.slots) {
		l.last, l.hidden = len(l.slots)-1, 0
	}
	if l.head {
		l.descend(l.height)
	}
	first, above := l.climb(l.height)
	if above < 0 { // the top is inside the window: hang it on the top instead
		l.descend(l.height)
		first, above = l.climb(l.height)
	}
	l.fill(first, max(above, 0))
	l.atEnd()
	l.forget(first)
	return l.ask(first)
}

// climb finds the entry the window begins in and how many of its lines are above the window. A negative
// count says how many lines are missing to fill it.
func (l *transcript) climb(height int) (first, above int) {
	room := height
	for i := l.last; ; i-- {
		n := len(l.linesOf(i))
		if i == l.last {
			n -= l.hidden
		}
		if n >= room || i == 0 {
			return i, n - room
		}
		room -= n
	}
}

// descend sets the anchor so that the window begins with the first line.
func (l *transcript) descend(height int) {
	for i := range l.slots {
		n := len(l.linesOf(i))
		if n >= height || i == len(l.slots)-1 {
			l.last, l.hidden = i, max(n-height, 0)
			return
		}
		height -= n
	}
}

func (l *transcript) fill(first, above int) {
	for i := first; i <= l.last && len(l.window) < l.height; i++ {
		lines := l.linesOf(i)
		if i == first {
			lines = lines[min(above, len(lines)):]
		}
		lines = lines[:min(len(lines), l.height-len(l.window))]
		for _, line := range lines {
			l.window = append(l.window, line)
			l.owner = append(l.owner, i)
		}
	}
}

// atEnd lets the window follow again when it shows the end.
func (l *transcript) atEnd() {
	if l.last == len(l.slots)-1 && l.hidden == 0 {
		l.follow, l.head, l.unseen = true, false, false
	}
}

// forget drops the lines of entries far from the window.
func (l *transcript) forget(first int) {
	if len(l.drawn) <= 3*keepItems {
		return
	}
	l.drawn = slices.DeleteFunc(l.drawn, func(i int) bool {
		if i >= first-keepItems && i <= l.last+keepItems {
			return false
		}
		l.slots[i].lines, l.slots[i].width = nil, 0
		if a, ok := l.slots[i].entry.(*answer); ok {
			a.forget()
		}
		return true
	})
}

// ask returns the commands that render the Markdown of the answers in the window.
func (l *transcript) ask(first int) tea.Cmd {
	if l.renderer == nil {
		return nil
	}
	var cmds []tea.Cmd
	for i := first; i <= l.last; i++ {
		if a, ok := l.slots[i].entry.(*answer); ok && a.wants(l.width) {
			cmds = append(cmds, l.renderer(i, a, l.width))
		}
	}
	return tea.Batch(cmds...)
}

// scroll moves the window by lines; up is negative.
func (l *transcript) scroll(by int) {
	if len(l.slots) == 0 {
		return
	}
	if l.follow {
		l.last, l.hidden = len(l.slots)-1, 0
	}
	l.follow, l.head = false, false
	if by < 0 {
		l.up(-by)
	} else {
		l.down(by)
	}
}

func (l *transcript) up(by int) {
	l.hidden += by
	for l.hidden >= len(l.linesOf(l.last)) {
		if l.last == 0 {
			l.hidden = max(len(l.linesOf(0))-1, 0)
			return
		}
		l.hidden -= len(l.linesOf(l.last))
		l.last--
	}
}

func (l *transcript) down(by int) {
	for by > l.hidden {
		if l.last == len(l.slots)-1 {
			l.hidden = 0
			return
		}
		by -= l.hidden
		l.last++
		l.hidden = len(l.linesOf(l.last))
	}
	l.hidden -= by
}

func (l *transcript) top() {
	l.follow = len(l.slots) == 0
	l.head = !l.follow
	l.last, l.hidden = 0, 0
	if len(l.slots) > 0 {
		l.descend(l.height)
	}
}

func (l *transcript) end() { l.follow, l.head, l.unseen = true, false, false }

// pick moves the keys to an entry and brings it into the window.
func (l *transcript) pick(i int) {
	l.picked = min(max(i, 0), len(l.slots)-1)
	if l.picked < 0 {
		return
	}
	top, ok := l.firstShown()
	switch {
	case !ok || l.picked > l.last || l.picked == l.last && l.hidden > 0:
		l.follow, l.head = false, false
		l.last, l.hidden = l.picked, 0
	case l.picked <= top:
		l.follow, l.head = false, false
		l.last, l.hidden = l.picked, max(len(l.linesOf(l.picked))-l.height, 0)
		l.down(max(l.height-len(l.linesOf(l.picked)), 0))
	}
}

func (l *transcript) firstShown() (int, bool) {
	if len(l.owner) == 0 {
		return 0, false
	}
	return l.owner[0], true
}

// entryAt is the entry under a line of the window, -1 for none.
func (l *transcript) entryAt(row int) int {
	if row < 0 || row >= len(l.owner) {
		return -1
	}
	return l.owner[row]
}

// step is the next entry up or down that has something to show.
func (l *transcript) step(by int) int {
	for i := l.picked + by; i >= 0 && i < len(l.slots); i += by {
		if len(l.linesOf(i)) > 0 {
			return i
		}
	}
	return l.picked
}

// view is the window, always height lines, the picked entry marked.
func (l *transcript) view() []string {
	lines := make([]string, l.height)
	for i, line := range l.window {
		mark := " "
		if l.owner[i] == l.picked && l.picked >= 0 && line != "" {
			mark = l.look.t.accent.Render("▎")
		}
		lines[i] = mark + l.lit(line)
	}
	return lines
}
