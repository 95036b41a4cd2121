//go:build unix

package terminal

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Screen is what the terminal shows at one moment.
type Screen struct {
	Lines            []string // one a row, blanks at the end cut off
	Cells            [][]Cell // [row][column]
	CursorX, CursorY int
	CursorHidden     bool
	Alternate        bool // the alternate screen is on
	Title            string
}

// Cell is one place of the screen. The second half of a wide character is a Cell with Width 0.
type Cell struct {
	Text                                            string
	Width                                           int
	Foreground, Background                          color.Color // nil for the terminal's own
	Bold, Faint, Italic, Underline, Reverse, Struck bool
	Link                                            string
}

// Contains says whether a row holds text.
func (s Screen) Contains(text string) bool {
	return slices.ContainsFunc(s.Lines, func(line string) bool { return strings.Contains(line, text) })
}

// Row returns the number of the first row that holds text, and -1 where none does.
func (s Screen) Row(text string) int {
	return slices.IndexFunc(s.Lines, func(line string) bool { return strings.Contains(line, text) })
}

// String is the rows, without the empty ones at the bottom.
func (s Screen) String() string { return strings.TrimRight(strings.Join(s.Lines, "\n"), "\n") }

// Framed is the screen in a frame, for failures.
func (s Screen) Framed() string {
	width := 0
	if len(s.Cells) > 0 {
		width = len(s.Cells[0])
	}
	edge := "+" + strings.Repeat("-", width) + "+\n"
	var b strings.Builder
	b.WriteString(edge)
	for _, line := range s.Lines {
		b.WriteString("|" + line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line))) + "|\n")
	}
	b.WriteString(edge)
	fmt.Fprintf(&b, "cursor %d,%d hidden %v, alternate screen %v, title %q", s.CursorX, s.CursorY, s.CursorHidden, s.Alternate, s.Title)
	return b.String()
}

// Screen returns what is shown now.
func (term *Terminal) Screen() Screen {
	term.mu.Lock()
	defer term.mu.Unlock()
	s, _ := term.snapshot()
	return s
}

// snapshot also returns the channel that is closed on the next change. mu is held.
func (term *Terminal) snapshot() (Screen, chan struct{}) {
	emu := term.emu
	at := emu.CursorPosition()
	s := Screen{CursorX: at.X, CursorY: at.Y, CursorHidden: emu.CursorHidden(), Alternate: emu.IsAltScreen(), Title: term.title}
	for y := range emu.Height() {
		row := make([]Cell, 0, emu.Width())
		var line strings.Builder
		for x := range emu.Width() {
			cell := cellOf(emu.CellAt(x, y))
			row = append(row, cell)
			line.WriteString(cell.Text)
		}
		s.Cells = append(s.Cells, row)
		s.Lines = append(s.Lines, strings.TrimRight(line.String(), " "))
	}
	return s, term.changed
}

func cellOf(c *uv.Cell) Cell {
	if c == nil {
		return Cell{Text: " ", Width: 1}
	}
	text := c.Content
	if text == "" && c.Width > 0 {
		text = " "
	}
	has := func(attr uint8) bool { return c.Style.Attrs&attr != 0 }
	return Cell{
		Text: text, Width: c.Width, Foreground: c.Style.Fg, Background: c.Style.Bg, Link: c.Link.URL,
		Bold: has(uv.AttrBold), Faint: has(uv.AttrFaint), Italic: has(uv.AttrItalic), Reverse: has(uv.AttrReverse),
		Struck: has(uv.AttrStrikethrough), Underline: c.Style.Underline != uv.UnderlineNone,
	}
}

// Replay is what a terminal of a size without automatic wrapping shows that is given these bytes. They must ask nothing:
// nobody answers.
func Replay(cols, rows int, out []byte) Screen {
	term := &Terminal{emu: vt.NewEmulator(cols, rows)}
	_, _ = term.emu.Write(append([]byte("\x1b[?7l"), out...))
	s, _ := term.snapshot()
	return s
}

// Same says whether two screens show the same cells with the cursor at the same place.
func (s Screen) Same(other Screen) bool {
	if s.CursorHidden != other.CursorHidden || !s.CursorHidden && (s.CursorX != other.CursorX || s.CursorY != other.CursorY) {
		return false
	}
	return slices.EqualFunc(s.Cells, other.Cells, slices.Equal[[]Cell])
}

// WaitFor waits until a row holds text and returns the screen that does.
func (term *Terminal) WaitFor(text string) Screen {
	term.t.Helper()
	return term.Until(fmt.Sprintf("%q", text), func(s Screen) bool { return s.Contains(text) })
}

// Until waits for a condition of the screen and returns the screen that meets it. It is looked at once for
// every piece of output, so that what flashes by between two pieces may be missed.
func (term *Terminal) Until(what string, ready func(Screen) bool) Screen {
	term.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for drained := term.drained; ; {
		term.mu.Lock()
		s, changed := term.snapshot()
		term.mu.Unlock()
		if ready(s) {
			return s
		}
		if drained == nil {
			term.fail("waited for " + what + ", but the program has ended")
		}
		select {
		case <-changed:
		case <-drained:
			drained = nil // one more look at what it left
		case <-late.C:
			term.fail("waited for " + what + " in vain")
		}
	}
}

// Output is every byte the program has written so far.
func (term *Terminal) Output() []byte {
	term.mu.Lock()
	defer term.mu.Unlock()
	return slices.Clone(term.log)
}

// UntilOutput waits until the bytes written hold text: a query, a restore sequence, a clipboard write.
func (term *Terminal) UntilOutput(text string) {
	term.t.Helper()
	term.Until(fmt.Sprintf("the bytes %q", text), func(Screen) bool { return strings.Contains(string(term.Output()), text) })
}

// Mode says whether the program has a mode on: Mode(ansi.ModeBracketedPaste).
func (term *Terminal) Mode(mode ansi.Mode) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	on, known := term.modes[mode]
	if !known {
		return term.defaultOf(mode)
	}
	return on
}

// Changed lists the modes that are not as the terminal started: "?2004 on". After a program has ended there
// must be none.
func (term *Terminal) Changed() []string {
	term.mu.Lock()
	defer term.mu.Unlock()
	var out []string
	for mode, on := range term.modes {
		if on == term.initial[mode] {
			continue
		}
		prefix, state := "", "off"
		if _, private := mode.(ansi.DECMode); private {
			prefix = "?"
		}
		if on {
			state = "on"
		}
		out = append(out, fmt.Sprintf("%s%d %s", prefix, mode.Mode(), state))
	}
	slices.Sort(out)
	return out
}
