//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"espy/ui/terminal"
)

// withoutPreviews leaves the screen to the words about pictures.
const withoutPreviews = "[ui]\npreviews = \"off\"\n"

func TestALongSessionIsResumedAndScrolledToItsBeginning(t *testing.T) {
	w := newWorld(t)
	w.converse(500)
	term := w.opened("--continue")
	term.WaitFor("request 500 of a long conversation")
	term.Send("\x1b[1;5H") // ctrl+home
	term.WaitFor("request 0 of a long conversation")
	term.Send("\x1b[1;5F") // ctrl+end
	term.WaitFor("request 500 of a long conversation")
	term.Wheel(10, 10, 40)
	term.Until("older turns", func(s terminal.Screen) bool { return !s.Contains("request 500 ") && s.Contains("request 4") })
	send(term, "hello there")
	term.WaitFor("▌ hello there")
	quit(t, term)
}

func TestAnAnswerThatArrivesWhileScrolledUpDoesNotMoveTheView(t *testing.T) {
	w := newWorld(t)
	w.converse(100)
	w.script("[[answer]]\nsteps = [ { text = \"first part\" }, { delay_ms = 1500 }, { text = \"" + strings.Repeat("more and more\\n", 60) + "the last line\" } ]\n")
	term := w.opened("--continue", "--model", "played/one")
	send(term, "hello there")
	term.WaitFor("first part")
	term.Send(terminal.PageUp + terminal.PageUp)
	before := term.Until("older turns, drawn as Markdown", func(s terminal.Screen) bool {
		return !s.Contains("hello there") && s.Contains("• text: ") && !s.Contains("- text: ")
	})
	s := term.WaitFor(ready)
	for i, line := range before.Lines[:rows/2] {
		if s.Lines[i] != line {
			t.Errorf("line %d was %q and is %q", i+1, line, s.Lines[i])
		}
	}
	term.Send("\x1b[1;5F") // ctrl+end
	term.WaitFor("the last line")
	quit(t, term)
}

func TestManyPicturesOnTheRowAreAllReachableAndRemovable(t *testing.T) {
	w := newWorld(t)
	w.configure(withoutPreviews)
	term := w.opened()
	for i := range 12 {
		term.Paste(w.write(fmt.Sprintf("screenshot number %d.png", i+1), shot(t, 300+i, 100, uint64(i))))
	}
	term.Until("twelve pictures in their order", func(s terminal.Screen) bool {
		row := strings.Join(strings.Fields(composer(s)), " ")
		for i := range 6 { // two a line; three lines show
			if !strings.Contains(row, fmt.Sprintf("%d screenshot number %d.png %dx100", i+1, i+1, 300+i)) {
				return false
			}
		}
		return strings.Contains(row, "(3 lines more)") && !strings.Contains(row, "◌")
	})
	term.Send(terminal.Up)
	for range 12 {
		term.Send("x")
	}
	term.Until("an empty row", func(s terminal.Screen) bool { return !strings.Contains(composer(s), "▣") })
	term.WaitFor(ready)
	quit(t, term)
	if left := everything(t, w.root+"/state"); len(left) > 0 {
		for name := range left {
			if strings.Contains(name, "draft") || strings.Contains(name, "blobs") {
				t.Errorf("a removed picture is still on the disk: %s", name)
			}
		}
	}
}

func TestAPictureKeepsItsNumberFromTheRowToTheModelAndAfterAResume(t *testing.T) {
	w := newWorld(t)
	w.configure(withoutPreviews)
	term := w.opened()
	for i := range 3 {
		term.Paste(w.write(fmt.Sprintf("p%d.png", i+1), shot(t, 300+i, 100, uint64(i))))
		term.WaitFor(fmt.Sprintf("%d p%d.png", i+1, i+1))
	}
	send(term, "three pictures")
	s := term.WaitFor("image/png, 302x100")
	for i := range 3 {
		if !s.Contains(fmt.Sprintf("image %d  p%d.png", i+1, i+1)) {
			t.Errorf("picture %d lost its number:\n%s", i+1, s.Framed())
		}
	}
	quit(t, term)
	again := w.opened("--continue")
	again.Paste(w.write("p4.png", shot(t, 400, 100, 9)))
	again.WaitFor("4 p4.png 400x100")
	quit(t, again)
}
