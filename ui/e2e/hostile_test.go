//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/ui/terminal"
)

// attacks are what a terminal would obey: its title, its clipboard, its screen, in seven and in eight bits.
func attacks() []string {
	return []string{"\x1b]0;pwned\x07", "\x1b]52;c;cHduZWQ=\x07", "\x1b[2Jpwned", "\x1b[?1049lpwned", "\u009b2Jpwned", "\u009d0;pwned\u009c",
		"\x1bPpwned\x1b\\", "\x1bcpwned", "\x1b[6npwned", "\x1b_Gi=1;pwned\x1b\\", "\x07pwned", "\x08\x08pwned", "\x0epwned", "\u202epwned"}
}

// untouched proves that nothing of an attack reached the terminal as it was.
func untouched(t *testing.T, term *terminal.Terminal) {
	t.Helper()
	raw := term.Output()
	for _, attack := range attacks() {
		if bytes.Contains(raw, []byte(attack)) {
			t.Errorf("%q reached the terminal", attack)
		}
	}
	for _, c1 := range []string{"\u009b", "\u009d", "\u0090", "\u202e"} {
		if bytes.Contains(raw, []byte(c1)) {
			t.Errorf("%q reached the terminal", c1)
		}
	}
	if s := term.Screen(); s.Title == "pwned" {
		t.Error("the title of the window was changed")
	}
}

func TestAFilesNameCannotSteerTheTerminal(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	for i, attack := range attacks() {
		w.write(filepath.Join(w.work, "a"+attack+".png"), shot(t, 300+i, 100, uint64(i)))
	}
	send(term, `call glob {"pattern":"*.png"}`)
	term.WaitFor("result of glob")
	term.Send("@a")
	term.WaitFor("pwned")
	term.Send("\x15")
	for _, attack := range attacks() {
		path := filepath.Join(w.work, "a"+attack+".png")
		if strings.ContainsAny(attack, "\x07\x08\x0e\x1b\u009b\u009d") {
			continue // no terminal lets these be dropped; --attach takes them
		}
		term.Paste("'" + path + "'")
		term.Until("the picture", func(s terminal.Screen) bool { return strings.Contains(composer(s), "x100") || s.Contains("✗") })
	}
	untouched(t, term)
	term.Signal(os.Kill)
	term.Wait()
	var args []string
	for _, attack := range attacks() {
		args = append(args, "--attach", filepath.Join(w.work, "a"+attack+".png"))
	}
	term = w.open(args...)
	term.WaitFor("pwned")
	term.Until("every picture", func(s terminal.Screen) bool { return !s.Contains("◌") && s.Contains("▣") })
	term.Send(terminal.Enter)
	term.WaitFor("image: image/png")
	untouched(t, term)
	quit(t, term)
}

func TestAToolsOutputCannotSteerTheTerminal(t *testing.T) {
	w := newWorld(t)
	w.write("bad.txt", []byte(strings.Join(attacks(), "\n")+"\n"))
	term := w.opened("--mode", "auto")
	send(term, `call read {"path":"bad.txt"}`)
	term.WaitFor("result of read")
	send(term, `call shell {"command":"cat bad.txt"}`)
	term.WaitFor("result of shell")
	term.Send("\x0f") // ctrl+o unfolds all
	term.WaitFor("pwned")
	untouched(t, term)
	quit(t, term)
}

func TestAModelsWordsCannotSteerTheTerminal(t *testing.T) {
	w := newWorld(t)
	var steps strings.Builder
	for _, attack := range attacks() {
		steps.WriteString("{ text = " + tomlString("x"+attack+"y\n") + " }, { thinking = " + tomlString(attack) + " },")
	}
	w.script("[[answer]]\nsteps = [" + steps.String() + " { text = \"that is all\" }, { call = " + tomlString("a"+attacks()[0]) + ", args = '{}' } ]\n\n" +
		"[[answer]]\nsteps = [ { text = \"the end\" } ]\n")
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("the end")
	term.Send("\x0f")
	term.WaitFor("pwned")
	untouched(t, term)
	quit(t, term)
}

func TestAServersWordsAndPastedTextCannotSteerTheTerminal(t *testing.T) {
	w := newWorld(t)
	w.script("[[answer]]\nsteps = [ { error = \"bad_request\", status = 400, message = " + tomlString("no "+strings.Join(attacks(), " ")) + " } ]\n")
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("pwned")
	for _, attack := range attacks() {
		term.Paste("z" + attack)
	}
	term.Until("the pasted text", func(s terminal.Screen) bool { return strings.Count(composer(s), "z") >= len(attacks()) })
	untouched(t, term)
	quitWith(t, term)
}

func TestASessionPrintedToATerminalCannotSteerIt(t *testing.T) {
	w := newWorld(t)
	w.script("[[answer]]\nsteps = [ { text = " + tomlString(strings.Join(attacks(), "\n")) + " } ]\n")
	out := w.ask("hello " + attacks()[0])
	out += w.run("sessions", "show", sessionID(w)).stdout + w.run("sessions", "list").stdout
	for _, attack := range attacks() {
		if strings.Contains(out, attack) {
			t.Errorf("%q was printed", attack)
		}
	}
}

// tomlString writes any text as a TOML string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == '"' || r == '\\' || r >= 0x80 {
			fmt.Fprintf(&b, "\\U%08X", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + "\""
}
