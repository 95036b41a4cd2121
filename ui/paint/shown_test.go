package paint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// screen is a terminal without automatic wrapping, as the program sets it.
func screen(width, height int) *vt.Emulator {
	emu := vt.NewEmulator(width, height)
	_, _ = emu.WriteString("\x1b[?7l")
	return emu
}

// cellsOf is what every cell of a terminal holds, with its style, and where its cursor is.
func cellsOf(emu *vt.Emulator) string {
	var out strings.Builder
	for y := range emu.Height() {
		for x := range emu.Width() {
			c := emu.CellAt(x, y)
			if c == nil || (c.Content == "" || c.Content == " ") && c.Width <= 1 && c.Style.IsZero() {
				out.WriteString("·")
				continue
			}
			fmt.Fprintf(&out, "%q%d%s", c.Content, c.Width, c.Style.String())
		}
		out.WriteString("\n")
	}
	at := emu.CursorPosition()
	if emu.CursorHidden() {
		return out.String() + "hidden"
	}
	return fmt.Sprintf("%scursor %d,%d", out.String(), at.X, at.Y)
}

// fresh is what a terminal shows that is given one frame.
func fresh(f Frame) string {
	emu := screen(f.Width, f.Height)
	var s shown
	_, _ = emu.Write(s.paint(f, false))
	return cellsOf(emu)
}

var pieces = []string{
	"a", "b", "word ", "the same words ", "  ", "→", "─────", "│", "你好", "世界", "한글", "é", "e\u0301", "›", "…",
	"👨‍👩‍👧‍👦", "❤️", "⚠️", "1️⃣", "🇩🇪", "ｶﾞ", "नमस्ते", "👍🏽", "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "か\u3099", "\u0301", "\u3099", "\u1112\u1161\u11ab",
	"\x1b[1mbold\x1b[0m", "\x1b[38;2;1;2;3mtrue", "\x1b[31mred ", "\x1b[m", "\x1b[48;5;9m", "\x1b[7m \x1b[27m", "▀▀", "⠋",
	"\x1b[38;5;7m\U0010eeee\u0305\u0305\u030d\U0010eeee\u0305\u030d\u030d\x1b[39m",
}

// randomLine is a line of at most width cells.
func randomLine(random *rand.Rand, width int) string {
	var line strings.Builder
	for range random.IntN(12) {
		line.WriteString(pieces[random.IntN(len(pieces))])
	}
	return ansi.Truncate(line.String(), width, "")
}

// after is a frame that follows another: some lines are edited, the size may be another.
func after(random *rand.Rand, f Frame) Frame {
	next := Frame{Width: f.Width, Height: f.Height}
	if f.Width == 0 || random.IntN(12) == 0 {
		next.Width, next.Height = 1+random.IntN(50), 1+random.IntN(12)
	}
	for y := range random.IntN(next.Height + 1) {
		line := lineAt(f.Lines, y)
		switch random.IntN(5) {
		case 0:
			line = randomLine(random, next.Width)
		case 1: // an edit at some character
			cells := random.IntN(ansi.StringWidth(line) + 1)
			line = ansi.Truncate(line, cells, "") + pieces[random.IntN(len(pieces))] + ansi.TruncateLeft(line, cells, "")
		case 2:
			line = lineAt(f.Lines, y+1)
		}
		next.Lines = append(next.Lines, ansi.Truncate(line, next.Width, ""))
	}
	if random.IntN(4) > 0 {
		next.Caret = Caret{X: random.IntN(next.Width), Y: random.IntN(next.Height), Shown: true, Shape: Shape(2 * random.IntN(4))}
	}
	return next
}

// check paints frames one after the other; after each the terminal must show what one shows that is given this frame
// alone.
func check(t *testing.T, frames []Frame, marked bool) {
	t.Helper()
	emu := screen(1, 1)
	var s shown
	for i, f := range frames {
		if emu.Width() != f.Width || emu.Height() != f.Height {
			emu.Resize(f.Width, f.Height)
		}
		out := string(s.paint(f, marked))
		_, _ = emu.WriteString(out)
		if got, want := cellsOf(emu), fresh(f); got != want {
			t.Fatalf("after frame %d the terminal shows\n%s\nand alone the frame is\n%s\nit was painted by %q over\n%q\nthe frame is %q", i, got, want, out, frames[max(i-1, 0)].Lines, f.Lines)
		}
	}
}

func TestAnySequenceOfFramesEndsOnTheCellsOfTheLastOne(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 8))
		var f Frame
		var frames []Frame
		for range 40 {
			f = after(random, f)
			frames = append(frames, f)
		}
		check(t, frames, seed%2 == 0)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(uint64(1), "a\nb", "a\nc")
	f.Add(uint64(2), "\x1b[1m你好\x1b[0m e", "\x1b[1m你e\u0301")
	f.Add(uint64(3), "❤️ x", "❤ x")
	f.Fuzz(func(t *testing.T, seed uint64, first, second string) {
		random := rand.New(rand.NewPCG(seed, 0))
		frame := Frame{Width: 1 + int(seed%40), Height: 8}
		var frames []Frame
		for _, text := range []string{first, second, first + second} {
			frame.Lines = nil
			for _, line := range strings.Split(text, "\n")[:min(strings.Count(text, "\n")+1, 8)] {
				frame.Lines = append(frame.Lines, ansi.Truncate(printable(line), frame.Width, ""))
			}
			frames = append(frames, frame, after(random, frame))
		}
		check(t, frames, false)
	})
}

// printable leaves of a text what a frame may hold: characters with a width, and styles.
func printable(s string) string {
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(s, "") {
		if r >= ' ' && r != 0x7f && (r < 0x80 || ansi.StringWidth(string(r)) > 0) && !(r >= 0x80 && r < 0xa0) {
			out.WriteRune(r)
		}
	}
	return out.String()
}
