//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

func TestEverySignalThatEndsAProgramLeavesTheTerminalRightAndNothingLost(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			w := newWorld(t)
			term := w.opened()
			send(term, "hello there")
			term.WaitFor("text: 11 characters")
			term.Send("half a thought")
			term.WaitFor("› half a thought")
			term.Signal(sig)
			term.Wait()
			restored(t, term)
			if s := term.Output(); bytes.Contains(s, []byte("goroutine ")) {
				t.Error("it printed its goroutines")
			}
			again := w.open("--continue")
			again.WaitFor("hello there")
			again.WaitFor("› half a thought")
			quitWith(t, again)
		})
	}
}

func TestASignalInTheMiddleOfATurnLeavesAWellFormedLogAndNoCommandRunning(t *testing.T) {
	for _, request := range []string{"first", "run it"} {
		w := newWorld(t)
		w.script(slowScript)
		term := w.opened()
		send(term, request)
		command := 0
		if request == "first" {
			term.WaitFor("I am working")
		} else {
			command = running(t, w, term)
		}
		term.Signal(syscall.SIGTERM)
		term.Wait()
		restored(t, term)
		if command > 0 {
			ended(t, command)
		}
		wellFormed(t, w)
		again := w.opened("--continue")
		again.WaitFor(request)
		send(again, "go on")
		again.WaitFor("quick answer")
		quit(t, again)
		wellFormed(t, w)
	}
}

func TestATerminalThatGoesAwayEndsTheProgramWithEverythingKept(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.Send("half a thought")
	term.WaitFor("› half a thought")
	term.Hangup()
	term.Wait()
	again := w.open("--continue")
	again.WaitFor("hello there")
	again.WaitFor("› half a thought")
	quitWith(t, again)
}

func TestCtrlZGivesTheTerminalToTheShellAndFgBringsEverythingBack(t *testing.T) {
	desktop.Need(t, "bash")
	w := newWorld(t).with("PS1=prompt> ", "HISTFILE=")
	p := w.program()
	p.Args = []string{"bash", "--norc", "--noprofile", "-i"}
	term := terminal.Start(t, p)
	term.WaitFor("prompt>")
	term.Send("'" + program(t) + "'\r")
	term.WaitFor(ready)
	term.Send("half a thought")
	term.WaitFor("› half a thought")
	for range 2 {
		term.Send("\x1a") // ctrl+z
		term.Until("the shell's prompt", func(s terminal.Screen) bool { return !s.Alternate && s.Contains("Stopped") })
		if left := shellModes(term); len(left) > 0 {
			t.Errorf("the shell got the terminal with modes changed: %v", left)
		}
		term.Send("echo $((6*7))\r")
		term.WaitFor("42")
		term.Send("fg\r")
		term.Until("the program with its text", func(s terminal.Screen) bool {
			return s.Alternate && strings.Contains(composer(s), "› half a thought")
		})
		if !term.Mode(ansi.ModeBracketedPaste) {
			t.Error("bracketed paste is off after fg")
		}
		term.Send("\x0c") // ctrl+l, so that the next round sees no old words
	}
	term.Send(" more")
	term.WaitFor("› half a thought more")
	term.Send(terminal.CtrlC)
	term.WaitFor("again quits")
	term.Send(terminal.CtrlC)
	term.Until("the shell", func(s terminal.Screen) bool { return !s.Alternate })
	term.Send("exit\r")
	term.Wait()
}

// shellModes are the modes changed, but for those that an interactive shell sets itself.
func shellModes(term *terminal.Terminal) []string {
	var out []string
	for _, mode := range term.Changed() {
		if mode != "?2004 on" {
			out = append(out, mode)
		}
	}
	return out
}

func TestCtrlZWithoutAShellToReturnToDoesNotFreeze(t *testing.T) {
	term := newWorld(t).opened() // it leads its own session: nothing could bring it back
	term.Send("\x1a")
	term.Send("still here")
	term.WaitFor("› still here")
	quitWith(t, term)
}

func TestAKilledProgramsSessionIsNotHeldByADeadProcess(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.Signal(os.Kill)
	term.Wait()
	lock, _ := os.ReadFile(filepath.Join(w.session(), "lock"))
	if !bytes.Contains(lock, []byte(strconv.Itoa(term.Pid()))) {
		t.Logf("the lock does not name its holder: %q", lock)
	}
	w.expect(0, "request: 3 messages", "", "run", "--resume", sessionID(w), "hello")
}
