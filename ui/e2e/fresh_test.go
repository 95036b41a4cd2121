//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"espy/ui/terminal"
)

func TestAFreshMachineGetsAnAnswerWithoutAnyConfiguration(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	if s := term.Screen(); !s.Alternate || !s.Contains("fake/echo") {
		t.Errorf("the first screen is not full-screen on the offline model:\n%s", s.Framed())
	}
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	quit(t, term)
	if found := everything(t, w.root+"/config"); len(found) > 0 {
		t.Errorf("a first run wrote settings nobody asked for: %v", found)
	}
}

func TestATerminalThatAnswersNothingIsWorkedInAllTheSame(t *testing.T) {
	p := newWorld(t).program()
	p.Silent = true
	term := terminal.Start(t, p)
	term.WaitFor(ready)
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	quit(t, term)
}

func TestInTmuxARequestGetsItsAnswerAndThePaneIsGivenBack(t *testing.T) {
	w := newWorld(t)
	w.write("notes.txt", []byte("words"))
	picture := w.write("tall shot.png", shot(t, 300, 200, 1))
	pane := terminal.StartTmux(t, w.program())
	pane.WaitFor(ready)
	pane.SendKeys("hello there")
	pane.WaitFor("› hello there")
	pane.SendKeys("Enter")
	pane.WaitFor("text: 11 characters")
	pane.Paste("'" + picture + "'")
	pane.WaitFor("1 tall shot.png 300x200")
	pane.SendKeys("Enter")
	refOf(t, pane.WaitFor("image/png, 300x200"))
	pane.SendKeys("C-c")
	pane.WaitFor("again")
	pane.SendKeys("C-c")
	pane.Until("the program to be gone", func(string) bool { return pane.Dead() })
}

func TestTwoTimesCtrlCQuitsOnlyWhenThereIsNothingToLose(t *testing.T) {
	term := newWorld(t).opened()
	term.Send("half a thought")
	term.WaitFor("› half a thought")
	term.Send(terminal.CtrlC)
	term.WaitFor("brings the text back")
	term.Send("\x1bz") // alt+z, undo
	term.WaitFor("› half a thought")
	term.Send(terminal.CtrlC)
	term.WaitFor("brings the text back")
	term.Send(terminal.CtrlC)
	if code := term.Wait(); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
	restored(t, term)
}

func TestTheProgramTakesTheWholeWindowAndFollowsItsSize(t *testing.T) {
	term := newWorld(t).opened()
	if !term.Mode(ansi.ModeBracketedPaste) {
		t.Error("bracketed paste is not on")
	}
	for _, size := range []struct{ cols, rows int }{{60, 20}, {30, 8}, {200, 50}, {80, 24}} {
		term.Resize(size.cols, size.rows)
		term.Until("the status line at the bottom of the new window", func(s terminal.Screen) bool {
			return len(s.Lines) == size.rows && strings.HasPrefix(s.Lines[size.rows-1], " ask  ")
		})
	}
	quit(t, term)
}

func TestAnIdleProgramWritesNothingToTheTerminal(t *testing.T) {
	const window, tries = 3 * time.Second, 5
	term := newWorld(t).opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.WaitFor(ready)
	for range tries { // the last frame of a start may be late on a busy machine
		before := len(term.Output())
		select {
		case <-term.Exited():
			t.Fatal("the program has ended")
		case <-time.After(window): // that nothing comes can only be seen by time passing
		}
		if len(term.Output()) == before {
			quit(t, term)
			return
		}
	}
	t.Errorf("in each of %d windows of %v an idle program wrote to the terminal", tries, window)
}
