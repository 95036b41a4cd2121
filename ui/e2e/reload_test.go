//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"espy/ui/terminal"
)

// The model's own list of tools stays as it is while files change, and what is new is used all the same: by its name,
// and through load_tools, seen as what it is.
func TestSettingsAndToolsChangeWhileTheProgramRuns(t *testing.T) {
	w := newWorld(t)
	w.configure("model = \"fake/echo\"\n")
	file := filepath.Join(w.root, "config/espy/tools/greet.toml")
	greet := "kind = \"command\"\nname = \"greet\"\ndescription = \"Greets.\"\nargv = [\"echo\", \"good day, {who}\"]\n[parameters.who]\ntype = \"string\"\nrequired = true\n"
	term := w.opened()
	send(term, "hello")
	term.WaitFor("request: 1 message")
	idle := func(s terminal.Screen) bool { return !s.Contains("esc interrupts") }
	term.Until("the turn's end", idle) // it reads files too
	w.write(file, []byte(greet))
	w.configure("model = \"fake/echo\"\n[keys]\nsend = \"f9\"\n")
	send(term, "/reload")
	term.WaitFor("Read again and in force: keys, tools (greet).")
	term.Send("call load_tools {\"name\":\"greet\",\"args\":{\"who\":\"Ana\"}}")
	term.Until("the call in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), "Ana") })
	term.Send("\x1b[20~") // F9, which sends from now on
	term.WaitFor("● greet")
	s := term.Until("the turn's end", idle)
	if strings.Contains(s.String(), "● load_tools") || !s.Contains("New: greet.") {
		t.Errorf("the call should be seen as greet's, and the note told:\n%s", s.Framed())
	}
	w.write(file, []byte(greet+"["))
	w.configure("model = \"fake/echo\"\n[keys]\nsned = \"f9\"\n")
	term.Send("/reload\x1b[20~")
	for _, said := range []string{"What it said before stays in force.", "The settings in force stay."} {
		term.Until(said, func(s terminal.Screen) bool { // wherever the lines break
			return strings.Contains(strings.Join(strings.Fields(strings.Join(s.Lines, " ")), " "), said)
		})
	}
	w.configure("model = \"fake/echo\"\n")
	w.write(file, []byte(greet))
	term.Send("/reload\x1b[20~")
	term.WaitFor("Read again and in force: keys.")
	quit(t, term)
	wellFormed(t, w)
}
