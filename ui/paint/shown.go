package paint

import (
	"strconv"
	"strings"
)

// What a terminal is told. All of it is understood by everything that calls itself xterm, or ignored.
const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
	showCursor = "\x1b[?25h"
	hideCursor = "\x1b[?25l"
	plainStyle = "\x1b[m"
	eraseRest  = "\x1b[K"
	eraseBelow = "\x1b[J"
)

// shown is what the terminal shows. The zero value knows nothing.
type shown struct {
	known         bool
	lines         []string
	width, height int
	caret         Caret
	out           []byte // reused
}

// forget makes the next frame paint everything: what the terminal shows is no longer known. The shape of its cursor is,
// which no other program is left with.
func (s *shown) forget() { s.known = false }

// paint returns what must be written for the terminal to show a frame, nothing where it does, and takes it as written.
// Marked says that the terminal takes whole frames. What is returned holds until the next call.
func (s *shown) paint(f Frame, marked bool) []byte {
	whole := !s.known || s.width != f.Width || s.height != f.Height
	s.out = append(s.out[:0], beginFrame...)
	s.out = append(s.out, hideCursor...)
	start := len(s.out)
	if whole {
		s.out = append(s.out, plainStyle...)
	}
	lines := f.Lines[:min(len(f.Lines), max(f.Height, 0))]
	for y := range max(len(lines), min(len(s.lines), f.Height)) {
		line, old := lineAt(lines, y), lineAt(s.lines, y)
		switch {
		case whole:
			cells, sure := measure(line)
			s.line(y, f.Width, line, place{}, cells, sure, true)
		case line != old:
			s.changed(y, f.Width, old, line)
		}
	}
	if whole && len(lines) < f.Height {
		s.goTo(0, len(lines))
		s.out = append(s.out, eraseBelow...)
	}
	body := len(s.out) - start
	quiet := body == 0
	s.caret = s.moveCaret(f.Caret, whole, quiet, body >= markedBytes)
	s.known, s.lines, s.width, s.height = true, lines, f.Width, f.Height
	switch {
	case body < markedBytes: // the terminal draws it at once, its cursor never seen on the way
		return s.out[start:]
	case marked:
		s.out = append(s.out, endFrame...)
		return s.out
	}
	return s.out[len(beginFrame):]
}

// lineAt is a line, blank where there is none.
func lineAt(lines []string, y int) string {
	if y < len(lines) {
		return lines[y]
	}
	return ""
}

// changed writes a line over another, from where they differ.
func (s *shown) changed(y, width int, old, line string) {
	from := shared(old, line)
	if from.cell >= width {
		from = place{}
	}
	was, known := measure(old)
	cells, sure := measure(line)
	s.line(y, width, line, from, cells, sure, !known || was > cells)
}

// line writes a line of so many cells, surely or not, from a place on. Rest says that something may stand behind its end,
// which is erased: after it was written where all terminals agree how far that is, else before.
func (s *shown) line(y, width int, line string, from place, cells int, sure, rest bool) {
	s.goTo(from.cell, y)
	if !sure {
		s.out = append(s.out, eraseRest...)
	}
	s.out = append(s.out, from.style...)
	s.out = append(s.out, line[from.at:]...)
	if from.style != "" || strings.IndexByte(line[from.at:], '\x1b') >= 0 {
		s.out = append(s.out, plainStyle...)
	}
	if sure && rest && cells < width { // in a full line the cursor still stands on the last cell, which would go
		s.out = append(s.out, eraseRest...)
	}
}

// moveCaret puts the cursor where it belongs. Quiet says that nothing was written that moved it, hidden that it was hidden
// for the frame. It returns the cursor as it is then.
func (s *shown) moveCaret(c Caret, whole, quiet, hidden bool) Caret {
	was := s.caret
	if !c.Shown {
		if was.Shown && !hidden || whole {
			s.out = append(s.out, hideCursor...)
		}
		return Caret{Shape: was.Shape} // nobody sees it
	}
	if c.Shape != was.Shape {
		s.shape(c.Shape)
	}
	if !quiet || !was.Shown || c.X != was.X || c.Y != was.Y {
		s.goTo(c.X, c.Y)
	}
	if hidden || whole || !was.Shown {
		s.out = append(s.out, showCursor...)
	}
	return c
}

func (s *shown) shape(shape Shape) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(shape), 10)
	s.out = append(s.out, " q"...)
}

// undo is what takes back how the cursor looks.
func (s *shown) undo() []byte {
	s.out = s.out[:0]
	if s.caret.Shape != Usual {
		s.caret.Shape = Usual
		s.shape(Usual)
	}
	return s.out
}

// goTo moves the cursor to a cell.
func (s *shown) goTo(x, y int) {
	s.out = append(s.out, "\x1b["...)
	s.out = strconv.AppendInt(s.out, int64(y+1), 10)
	if x > 0 {
		s.out = append(s.out, ';')
		s.out = strconv.AppendInt(s.out, int64(x+1), 10)
	}
	s.out = append(s.out, 'H')
}
