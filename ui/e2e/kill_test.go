//go:build unix

package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"espy/providers/strict"
	"espy/ui/terminal"
)

// busyScript makes a turn of everything: thinking, words, commands, pictures, more words.
const busyScript = `
[[answer]]
when = "do it all"
steps = [ { thinking = "first I think about it" }, { text = "I begin. " , piece = 2, delay_ms = 5 }, { call = "write", args = '{"path":"a.txt","content":"one\n"}' }, { call = "read_media", args = '{"path":"shot.png"}' } ]

[[answer]]
when = "one"
steps = [ { text = "half way", piece = 1, delay_ms = 5 }, { call = "shell", args = '{"command":"echo two > b.txt; cat b.txt"}' } ]

[[answer]]
repeat = -1
steps = [ { text = "all is done", piece = 1, delay_ms = 5 } ]
`

func TestAKillAtAnyMomentLeavesASessionThatCanBeGoneOnWith(t *testing.T) {
	// Before the request stands in the conversation nothing was acknowledged: killed while it is written down, it may be
	// missing, and --continue begins anew.
	for _, moment := range []string{"▌ do it all", "thinking", "I be", "a.txt", "read_media", "half", "b.txt", "all is d", "all is done"} {
		t.Run(moment, func(t *testing.T) {
			w := newWorld(t)
			w.script(busyScript)
			w.write("shot.png", shot(t, 300, 200, 1))
			term := w.opened("--mode", "auto")
			send(term, "do it all")
			term.Until(moment, func(s terminal.Screen) bool {
				return s.Contains(moment) || s.Contains("all is done") || s.Contains(asksShell)
			})
			term.Signal(syscall.SIGKILL)
			term.Wait()

			again := w.opened("--continue")
			send(again, "go on")
			again.Until("an answer", func(s terminal.Screen) bool {
				_, after, found := strings.Cut(s.String(), "▌ go on")
				return found && strings.Contains(after, "all is done")
			})
			again.WaitFor(ready)
			quit(t, again)
			records(t, w)
			if bad := w.run("sessions", "show", sessionID(w)); bad.code != 0 || strings.Contains(bad.stderr, "damaged") {
				t.Errorf("the log is damaged: %s", bad.stderr)
			}
		})
	}
}

func TestAServiceThatWantsEveryCallAnsweredTakesASessionThatWasKilledInACall(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.SayTurn(strict.Turn{Text: "I wait.", Calls: []strict.Call{{ID: "call_a", Name: "shell", Args: `{"command":"echo $$ > pid; exec sleep 3600"}`}, {ID: "call_b", Name: "read", Args: `{"path":"a"}`}}})
	term := w.opened()
	send(term, "hello there")
	running(t, w, term)
	term.Signal(syscall.SIGKILL)
	term.Wait()
	again := w.opened("--continue")
	send(again, "go on")
	again.Until("the answer", func(s terminal.Screen) bool { return contains(s, "ok") })
	quit(t, again)
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
}

func TestALogThatEndsInTheMiddleOfALineIsMendedAndToldOf(t *testing.T) {
	w := newWorld(t)
	w.ask("hello there")
	log := w.transcript()
	name := w.session() + "/transcript.jsonl"
	if err := os.WriteFile(name, []byte(log+`{"v":1,"kind":"mess`), 0o600); err != nil {
		t.Fatal(err)
	}
	term := w.opened("--continue")
	term.WaitFor("hello there")
	says(term, "1 line of this session's log could not be read and was skipped")
	send(term, "and on")
	term.WaitFor("text: 6 characters")
	quit(t, term)
	if !strings.HasPrefix(w.transcript(), log) {
		t.Error("the log was rewritten")
	}
	w.expect(0, "request: 5 messages", "", "run", "--resume", sessionID(w), "hello")
}

func TestAPictureWhoseFileIsGoneIsNamedAndTheSessionGoesOn(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 300, 200, 1))
	ref := refOf(t, w.ask("look", "--attach", "shot.png"))
	if err := os.Remove(w.session() + "/" + ref); err != nil {
		t.Fatal(err)
	}
	term := w.opened("--continue")
	send(term, "check blobs")
	s := term.WaitFor("text: 11 characters")
	if s.Contains("cannot be opened") {
		t.Errorf("the model was promised a picture that is gone:\n%s", s.Framed())
	}
	quit(t, term)
	if !strings.Contains(w.transcript(), `"missing"`) {
		t.Error("the log does not say that the picture is missing")
	}
}
