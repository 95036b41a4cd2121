//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// silence is how long a program must have written nothing to count as quiet: silence can only be seen by letting time pass.
const silence = 400 * time.Millisecond

// quiet waits until the program writes nothing any more.
func quiet(t testing.TB, term *terminal.Terminal) {
	t.Helper()
	for deadline := time.Now().Add(runDeadline); ; {
		before := len(term.Output())
		time.Sleep(silence)
		if len(term.Output()) == before {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program never comes to rest\n%s", term.Screen().Framed())
		}
	}
}

// asFresh proves that a quiet program's screen is what a terminal shows that is given the same frame alone.
func asFresh(t testing.TB, term *terminal.Terminal) {
	t.Helper()
	quiet(t, term)
	painted, from := term.Screen(), len(term.Output())
	term.Send("\x0c") // ctrl+l paints everything
	var fresh terminal.Screen
	term.Until("everything to be painted once more", func(s terminal.Screen) bool {
		fresh = terminal.Replay(len(s.Cells[0]), len(s.Cells), term.Output()[from:])
		return fresh.Same(s)
	})
	if !fresh.Same(painted) {
		t.Errorf("the screen was\n%s\nand alone its frame is\n%s", painted.Framed(), fresh.Framed())
	}
}

// longScript answers slowly, in pieces, with words of all widths.
const longScript = `[[answer]]
steps = [ { text = """
# A long answer

It has **words** of all kinds: 你好世界, ❤️ and 👨‍👩‍👧‍👦, שלום, مرحبا, e\u0301.

` + "```go\nfunc main() { fmt.Println(\"hello\") }\n```" + `

| name | value |
|---|---|
| 你好 | 1 |
| two | ⚠️ |

The end of it comes after many more words, so that they wrap: one two three four five six seven eight nine ten eleven twelve.
""", piece = 3, delay_ms = 12 } ]
`

func TestSixtyResizesOfABusySessionEndOnTheCellsOfAFreshDraw(t *testing.T) {
	w := newWorld(t)
	w.script(longScript)
	term := w.opened()
	send(term, "hello 你好")
	term.WaitFor("A long answer")
	random := rand.New(rand.NewPCG(60, 1))
	tick := time.NewTicker(20 * time.Millisecond) // the answer goes on meanwhile
	defer tick.Stop()
	for range 60 {
		term.Resize(2+random.IntN(160), 2+random.IntN(60))
		<-tick.C
	}
	term.Resize(cols, rows)
	term.Until("the end of the turn", func(s terminal.Screen) bool { return s.Contains(ready) && s.Contains("twelve") })
	asFresh(t, term)
	quit(t, term)
}

func TestTheSameSizeTwiceIsPaintedWhole(t *testing.T) {
	term := newWorld(t).opened()
	quiet(t, term)
	for range 3 { // the program may see only the last size of several
		term.Resize(40, 10)
		term.Resize(cols, rows)
	}
	asFresh(t, term)
	if s := term.Screen(); !s.Contains("A coding assistant that sees") {
		t.Errorf("the welcome is gone:\n%s", s.Framed())
	}
	quit(t, term)
}

func TestAStormOfTheWheelInASessionOf5000MessagesKeepsUp(t *testing.T) {
	w := newWorld(t)
	w.converse(2500)
	term := w.opened("--continue")
	term.WaitFor("request 2500 of a long conversation")
	tick := time.NewTicker(5 * time.Millisecond) // 200 a second
	defer tick.Stop()
	for i := range 600 {
		term.Wheel(10, 10, 1-2*(i/400)) // up, then down again
		<-tick.C
	}
	term.Send("typed after it")
	term.WaitFor("› typed after it")
	if s := term.Screen(); s.Contains("request 2500 of") || !s.Contains("request 2") {
		t.Errorf("after scrolling up more than down it shows\n%s", s.Framed())
	}
	asFresh(t, term)
	quitWith(t, term)
}

func TestATerminalThatTakesNothingLosesFramesAndNoKeys(t *testing.T) {
	term := newWorld(t).opened()
	quiet(t, term)
	thaw := term.Freeze()
	text := ""
	tick := time.NewTicker(8 * time.Millisecond)
	defer tick.Stop()
	for i := range 60 {
		word := fmt.Sprintf("word%d ", i)
		text += word
		term.Send("\x0c" + word) // each time the whole screen, until the terminal takes no more
		<-tick.C
	}
	thaw()
	term.Until("all that was typed", func(s terminal.Screen) bool {
		return strings.Contains(strings.ReplaceAll(unwrapped(s), "› ", ""), strings.TrimSpace(text))
	})
	asFresh(t, term)
	quitWith(t, term)
}

func TestATerminalThatTakesNothingDoesNotKeepAProgramFromEnding(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.Send("half a thought")
	term.WaitFor("› half a thought")
	quiet(t, term)
	thaw := term.Freeze()
	tick := time.NewTicker(8 * time.Millisecond)
	defer tick.Stop()
	for range 60 {
		term.Send("\x0c") // each time the whole screen, until the terminal takes no more
		<-tick.C
	}
	term.Send(" and more")
	term.Signal(syscall.SIGTERM)
	select {
	case <-term.Exited():
	case <-time.After(runDeadline):
		t.Error("the program waits for a terminal that takes nothing")
	}
	thaw()
	again := w.open("--continue")
	again.WaitFor("› half a thought")
	quitWith(t, again)
}

func TestTheCursorOfTheTerminalStandsWhereTextIsWritten(t *testing.T) {
	w := newWorld(t)
	w.configure("[ui]\nvim = true\npreviews = \"off\"\n")
	w.write("shot.png", shot(t, 320, 200, 1))
	term := w.opened()
	at := func(what string, x int, shape string) {
		t.Helper()
		term.Until("the cursor "+what, func(s terminal.Screen) bool {
			return !s.CursorHidden && s.CursorX == x && s.CursorY == rows-2 && strings.HasSuffix(lastShape(term.Output()), shape)
		})
	}
	at("in the empty composer", 2, "\x1b[6 q")
	term.Send("you 你好 x")
	at("behind words of all widths", 12, "\x1b[6 q")
	term.Send(terminal.Esc)
	at("on a letter in the mode of commands", 11, "\x1b[2 q")
	term.Send("b")
	at("on the first of two wide letters", 6, "\x1b[2 q")
	term.Send("i")
	at("where text goes in", 6, "\x1b[6 q")
	term.Paste(filepath.Join(w.work, "shot.png"))
	term.WaitFor("1 shot.png 320x200")
	term.Send(terminal.Up)
	term.Until("no cursor while the row has the keys", func(s terminal.Screen) bool { return s.CursorHidden })
	term.Send(terminal.Down)
	at("back in the text", 6, "\x1b[6 q")
	quitWith(t, term)
}

// lastShape is the last thing a program said about how the cursor looks.
func lastShape(out []byte) string {
	all := shaped.FindAll(out, -1)
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1])
}

var shaped = regexp.MustCompile(`\x1b\[\d q`)

func TestAnotherProgramFindsTheTerminalAsItWasAndGivesItBackWhole(t *testing.T) {
	w := newWorld(t)
	seen := filepath.Join(w.root, "seen")
	editor := w.write(filepath.Join(w.root, "editor"), []byte("#!/bin/sh\nstty -a > '"+seen+"'\nprintf 'in the editor'\nread line\nprintf ' edited' >> \"$1\"\n"))
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	term := w.with("VISUAL=" + editor).opened()
	term.Send("begun")
	term.WaitFor("› begun")
	term.Send("\x07") // ctrl+g
	term.WaitFor("in the editor")
	if left := term.Changed(); len(left) > 0 {
		t.Errorf("the editor got the terminal with modes changed: %v", left)
	}
	term.Send(terminal.Enter)
	term.WaitFor("› begun edited")
	for _, mode := range []ansi.Mode{ansi.ModeBracketedPaste, ansi.ModeMouseButtonEvent, ansi.ModeMouseExtSgr} {
		if !term.Mode(mode) {
			t.Errorf("mode %d is off after the editor", mode.Mode())
		}
	}
	if stty, err := os.ReadFile(seen); err != nil || strings.Contains(string(stty), "-echo ") || strings.Contains(string(stty), "-icanon") {
		t.Errorf("in the editor the line settings are %s (%v)", stty, err)
	}
	asFresh(t, term)
	quitWith(t, term)
}

// endings are the ways a program ends in the foreground of a shell.
var endings = []struct {
	name string
	end  func(term *terminal.Terminal, pid int)
}{
	{"ctrl+d", func(term *terminal.Terminal, _ int) { term.Send(terminal.CtrlD) }},
	{"terminated", func(_ *terminal.Terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }},
	{"hangup", func(_ *terminal.Terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGHUP) }},
	{"quit", func(_ *terminal.Terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGQUIT) }},
	{"interrupt", func(_ *terminal.Terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGINT) }},
	{"ctrl+z", func(term *terminal.Terminal, _ int) { term.Send("\x1a") }},
}

func TestHoweverItEndsTheShellHasItsTerminalAndItsEcho(t *testing.T) {
	desktop.Need(t, "bash")
	for _, c := range endings {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t).with("PS1=prompt> ", "HISTFILE=")
			p, id := w.program(), filepath.Join(w.root, "pid")
			p.Args = []string{"bash", "--norc", "--noprofile", "-i"}
			term := terminal.Start(t, p)
			term.WaitFor("prompt>")
			term.Send("sh -c 'echo $$ > " + id + "; exec \"" + program(t) + "\"'\r")
			term.WaitFor(ready)
			quiet(t, term)
			written, err := os.ReadFile(id)
			pid, _ := strconv.Atoi(strings.TrimSpace(string(written)))
			if err != nil || pid == 0 {
				t.Fatalf("the program's number is %q (%v)", written, err)
			}
			c.end(term, pid)
			term.Until("the shell", func(s terminal.Screen) bool { return !s.Alternate })
			term.Send("echo sum $((6*7))")
			term.WaitFor("echo sum $((6*7))") // what is typed is echoed
			term.Send("\r")
			term.WaitFor("sum 42")
			if left := shellModes(term); len(left) > 0 {
				t.Errorf("the shell got the terminal with modes changed: %v", left)
			}
			balanced(t, term.Output())
			term.Send("kill -KILL %1 2>/dev/null; exit\r")
			term.Send("exit\r")
			term.Wait()
		})
	}
}

func TestAnswersOfTheTerminalThatComeLateAreNotTypedIntoTheShell(t *testing.T) {
	desktop.Need(t, "bash")
	w := newWorld(t).with("PS1=prompt> ", "HISTFILE=")
	p := w.program()
	p.Args, p.Silent = []string{"bash", "--norc", "--noprofile", "-i"}, true
	term := terminal.Start(t, p)
	term.WaitFor("prompt>")
	term.Send("'" + program(t) + "'\r")
	term.WaitFor(ready)
	term.Send(terminal.CtrlD)
	time.Sleep(60 * time.Millisecond) // a slow line
	term.Send("\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;4c")
	term.Until("the shell", func(s terminal.Screen) bool { return !s.Alternate })
	term.Send("echo sum $((6*7))\r")
	s := term.WaitFor("sum 42")
	if s.Contains("rgb") || s.Contains("62;4") {
		t.Errorf("the shell got what the terminal answered:\n%s", s.Framed())
	}
	term.Send("exit\r")
	term.Wait()
}

// balanced proves that what is no mode but is set and taken back was taken back: kitty's keyboard flags, the title of the
// window, xterm's other keys, the shape of the cursor.
func balanced(t testing.TB, out []byte) {
	t.Helper()
	for _, pair := range [][2]string{{"\x1b[>5u", "\x1b[<u"}, {"\x1b[22;2t", "\x1b[23;2t"}} {
		if set, undone := bytes.Count(out, []byte(pair[0])), bytes.Count(out, []byte(pair[1])); set != undone {
			t.Errorf("%q was written %d times and %q %d times", pair[0], set, pair[1], undone)
		}
	}
	if bytes.LastIndex(out, []byte("\x1b[>4;1m")) > bytes.LastIndex(out, []byte("\x1b[>4;0m")) {
		t.Error("xterm's other keys were left on")
	}
	if shape := lastShape(out); shape != "" && shape != "\x1b[0 q" {
		t.Errorf("the cursor was left as %q", shape)
	}
}
