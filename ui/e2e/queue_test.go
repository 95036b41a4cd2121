//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"espy/ui/terminal"
)

// slowScript answers "first" for an hour, and everything else at once.
const slowScript = `
[[answer]]
when = "first"
steps = [ { text = "I am working" }, { delay_ms = 3600000 }, { text = "too late" } ]

[[answer]]
when = "run it"
steps = [ { text = "I call." }, { call = "shell", args = '{"command":"sleep 3600"}' } ]

[[answer]]
repeat = -1
steps = [ { text = "quick answer" } ]
`

func TestAMessageQueuedWhileBusyCanBeEditedAndKeepsItsPicture(t *testing.T) {
	w := newWorld(t)
	w.script(slowScript)
	term := w.opened()
	send(term, "first")
	term.WaitFor("I am working")
	term.Paste(w.write("shot.png", shot(t, 280, 100, 1)))
	term.WaitFor("1 shot.png 280x100")
	send(term, "second")
	s := term.WaitFor("⋯ second")
	if !s.Contains("1 picture") {
		t.Errorf("the queue does not say that a picture goes along:\n%s", s.Framed())
	}
	term.Send("\x1b[1;3A") // alt+up
	s = term.Until("the message back in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), "› second") })
	if !strings.Contains(composer(s), "1 shot.png 280x100") || s.Contains("⋯ second") {
		t.Errorf("the picture did not come back with its message:\n%s", s.Framed())
	}
	send(term, " and more")
	term.WaitFor("⋯ second and more")
	term.Send(terminal.Esc)
	term.WaitFor("quick answer")
	s = term.WaitFor(ready)
	if !s.Contains("image 1  shot.png  280x100") {
		t.Errorf("the picture was not sent:\n%s", s.Framed())
	}
	quit(t, term)
	wellFormed(t, w)
	again := w.opened("--continue")
	again.WaitFor("second and more")
	send(again, "third")
	again.Until("an answer", func(s terminal.Screen) bool { return strings.Count(s.String(), "quick answer") == 2 })
	quit(t, again)
	wellFormed(t, w)
}

func TestAnInterruptedCommandLeavesALogThatCanBeGoneOnWith(t *testing.T) {
	w := newWorld(t)
	w.script(slowScript)
	term := w.opened()
	send(term, "run it")
	term.WaitFor("shell: sleep 3600 ·")
	term.Send(terminal.Esc)
	term.WaitFor("interrupted; what was done so far is kept")
	send(term, "go on")
	term.WaitFor("quick answer")
	quit(t, term)
	wellFormed(t, w)
}

func TestInterruptingKeepsWhatWasAnsweredSoFar(t *testing.T) {
	w := newWorld(t)
	w.script(slowScript)
	term := w.opened()
	send(term, "first")
	term.WaitFor("I am working")
	term.Send(terminal.Esc)
	term.WaitFor("interrupted")
	term.WaitFor(ready)
	quit(t, term)
	if !strings.Contains(w.transcript(), "I am working") {
		t.Errorf("the log lost what was answered:\n%s", w.transcript())
	}
	wellFormed(t, w)
}

// wellFormed proves that every line of the log is a record and every call of it has its one result.
func wellFormed(t *testing.T, w *world) {
	t.Helper()
	calls, results := map[string]bool{}, map[string]int{}
	lines := bufio.NewScanner(strings.NewReader(w.transcript()))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var record struct {
			Kind    string
			Call    string
			Message struct {
				Blocks []struct{ Type, ID string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil || record.Kind == "" {
			t.Errorf("a line of the log is no record: %v: %s", err, lines.Bytes())
		}
		for _, b := range record.Message.Blocks {
			if b.Type == "tool_call" {
				calls[b.ID] = true
			}
		}
		if record.Kind == "result" {
			results[record.Call]++
		}
	}
	for id := range calls {
		if results[id] != 1 {
			t.Errorf("call %s has %d results in the log, want 1", id, results[id])
		}
	}
}
