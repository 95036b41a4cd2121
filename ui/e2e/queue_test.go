//go:build unix

package e2e

import (
	"encoding/json"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// slowScript answers "first" for an hour, and everything else at once.
const slowScript = `
[[answer]]
when = "first"
steps = [ { text = "I am working" }, { delay_ms = 3600000 }, { text = "too late" } ]

[[answer]]
when = "run it"
steps = [ { text = "I call." }, { call = "shell", args = '{"command":"echo $$ > pid; exec sleep 3600"}' } ]

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
	command := running(t, w, term)
	term.Send(terminal.Esc)
	term.WaitFor("interrupted; what was done so far is kept")
	send(term, "go on")
	term.WaitFor("quick answer")
	ended(t, command)
	quit(t, term)
	wellFormed(t, w)
}

// running allows the command that is asked for and waits until it runs. It returns its process, which ends
// with the test at the latest.
func running(t *testing.T, w *world, term *terminal.Terminal) (pid int) {
	t.Helper()
	term.WaitFor(asksShell)
	answer(t, term, asksShell, "y")
	desktop.Until(t, "the command to run", func() bool {
		text, _ := written(w, "pid")
		pid, _ = strconv.Atoi(strings.TrimSpace(text))
		return pid > 0
	})
	t.Cleanup(func() {
		if alive(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return pid
}

// ended waits until a process is gone.
func ended(t *testing.T, pid int) {
	t.Helper()
	desktop.Until(t, "the command to be gone", func() bool { return !alive(pid) })
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

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

// record is what the tests look at in a line of the log.
type record struct {
	Kind    string
	Call    string
	Message struct {
		Blocks []struct{ Type, ID string }
	}
}

// records reads the log, each line of which must be a record.
func records(t *testing.T, w *world) []record {
	t.Helper()
	var all []record
	for line := range strings.Lines(w.transcript()) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Kind == "" {
			t.Errorf("a line of the log is no record: %v: %s", err, line)
		}
		all = append(all, r)
	}
	return all
}

// wellFormed proves that every line of the log is a record and every call of it has its one result.
func wellFormed(t *testing.T, w *world) {
	t.Helper()
	calls, results := map[string]bool{}, map[string]int{}
	for _, r := range records(t, w) {
		for _, b := range r.Message.Blocks {
			if b.Type == "tool_call" {
				calls[b.ID] = true
			}
		}
		if r.Kind == "result" {
			results[r.Call]++
		}
	}
	for id := range calls {
		if results[id] != 1 {
			t.Errorf("call %s has %d results in the log, want 1", id, results[id])
		}
	}
}
