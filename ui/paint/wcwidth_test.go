package paint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// wcTerminal is a terminal that counts columns character by character, as xterm and most others do: joined emoji take the
// sum of their parts there, and what text is laid out with does not hold. Nothing wraps.
type wcTerminal struct {
	cells         [][]string // what was written to a cell, with its style; "" is blank, "<" the right half of a wide one
	width, height int
	x, y          int
	stuck         bool // the cursor stands on the last cell, which was written
	style         string
	hidden        bool
}

func newWcTerminal(width, height int) *wcTerminal {
	w := &wcTerminal{width: width, height: height, cells: make([][]string, height)}
	for y := range w.cells {
		w.cells[y] = make([]string, width)
	}
	return w
}

func (w *wcTerminal) write(out string) {
	for out != "" {
		if out[0] == '\x1b' {
			end := 2 + strings.IndexFunc(out[2:], func(r rune) bool { return r >= '@' && r <= '~' })
			w.sequence(out[2:end], out[end])
			out = out[end+1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(out)
		w.put(r)
		out = out[size:]
	}
}

func (w *wcTerminal) sequence(body string, final byte) {
	switch final {
	case 'm':
		w.style = restyled(w.style, "\x1b["+body+"m")
	case 'H':
		w.x, w.y, w.stuck = 0, 0, false
		fmt.Sscanf(body, "%d;%d", &w.y, &w.x)
		w.x, w.y = min(max(w.x-1, 0), w.width-1), min(max(w.y-1, 0), w.height-1)
	case 'K':
		w.erase(w.y, w.x)
	case 'J':
		w.erase(w.y, w.x)
		for y := w.y + 1; y < w.height; y++ {
			w.erase(y, 0)
		}
	case 'h', 'l':
		if body == "?25" {
			w.hidden = final == 'l'
		}
	}
}

func (w *wcTerminal) erase(y, from int) {
	for x := from; x < w.width; x++ {
		w.set(y, x, "")
	}
}

// set puts something in a cell; of a wide character it tears, both halves go.
func (w *wcTerminal) set(y, x int, text string) {
	row := w.cells[y]
	if row[x] == "<" && x > 0 {
		row[x-1] = ""
	}
	if x+1 < w.width && row[x+1] == "<" {
		row[x+1] = ""
	}
	row[x] = text
}

func (w *wcTerminal) put(r rune) {
	n := ansi.StringWidthWc(string(r))
	if n == 0 { // it sits on what was written before
		x := w.x - 1
		if w.stuck {
			x = w.x
		}
		if x > 0 && w.cells[w.y][x] == "<" {
			x--
		}
		if x >= 0 {
			w.cells[w.y][x] += string(r)
		}
		return
	}
	if n > w.width {
		return
	}
	w.x = min(w.x, w.width-n)
	for i := range n {
		w.set(w.y, w.x+i, "<")
	}
	w.cells[w.y][w.x] = w.style + string(r)
	w.x += n
	w.stuck = w.x >= w.width
	w.x = min(w.x, w.width-1)
}

func (w *wcTerminal) String() string {
	var out strings.Builder
	for _, row := range w.cells {
		fmt.Fprintf(&out, "%q\n", row)
	}
	if w.hidden {
		return out.String() + "hidden"
	}
	return fmt.Sprintf("%scursor %d,%d", out.String(), w.x, w.y)
}

func TestATerminalThatCountsColumnsOtherwiseShowsTheLastFrameToo(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 9))
		f := Frame{Width: 1 + random.IntN(40), Height: 1 + random.IntN(8)}
		w := newWcTerminal(f.Width, f.Height)
		var s shown
		var before []string
		for i := range 40 {
			next := after(random, f)
			if next.Width != f.Width || next.Height != f.Height {
				next = Frame{Width: f.Width, Height: f.Height, Caret: f.Caret}
			}
			out := string(s.paint(next, seed%2 == 0))
			w.write(out)
			alone := newWcTerminal(f.Width, f.Height)
			var first shown
			alone.write(string(first.paint(next, false)))
			if w.String() != alone.String() {
				t.Fatalf("seed %d, frame %d: the terminal shows\n%s\nand alone the frame is\n%s\nit was painted by %q over\n%q\nthe frame is %q", seed, i, w, alone, out, before, next.Lines)
			}
			f, before = next, next.Lines
		}
	}
}
