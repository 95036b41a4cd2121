//go:build unix

package e2e

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// jobScript starts a command in the background that says its number and its child's, and goes on.
const jobScript = `
[[answer]]
when = "serve it"
steps = [ { call = "shell", args = '{"command":"sleep 1000 & echo $! > child; echo $$ > pid; echo up; wait","background":true}' } ]

[[answer]]
when = "runs in the background"
steps = [ { text = "it is being served" } ]

[[answer]]
when = "slowly"
steps = [ { text = "I am working" }, { delay_ms = 3600000 } ]

[[answer]]
when = "wait for it"
steps = [ { call = "shell", args = '{"command":"echo $$ > pid; echo begun; while ! test -s go; do sleep 0.02; done; echo finished"}' } ]

[[answer]]
when = "sent this to the background"
steps = [ { text = "it goes on beside us" } ]

[[answer]]
when = "has ended: exit code 0"
steps = [ { text = "I was told of the end" } ]

[[answer]]
when = "no longer run"
steps = [ { text = "I know that it is gone" } ]

[[answer]]
when = "list it"
steps = [ { call = "todo", args = '{"items":[{"id":"a","text":"first thing","state":"done"},{"id":"b","text":"second thing","state":"in_progress"}]}' }, { text = "listed" } ]

[[answer]]
when = "ask me"
steps = [ { delay_ms = 300 }, { call = "ask", args = '{"question":"Which way?","choices":[{"label":"left"},{"label":"right"}]}' } ]

[[answer]]
when = "The user chose: right"
steps = [ { text = "then right it is" } ]

[[answer]]
when = "nobody is there"
steps = [ { text = "I decide by myself" } ]

[[answer]]
repeat = -1
steps = [ { text = "all right" } ]
`

// pidIn waits for a number in a file of the workspace, which is a process's; it ends with the test.
func pidIn(t *testing.T, w *world, name string) (pid int) {
	t.Helper()
	desktop.Until(t, "a number in "+name, func() bool {
		text, _ := written(w, name)
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

// withJob is a program with a job running.
func withJob(t *testing.T, w *world, args ...string) (term *terminal.Terminal, pid, child int) {
	t.Helper()
	w.script(jobScript)
	term = w.opened(append(args, "--mode", "full")...)
	send(term, "serve it")
	term.WaitFor("it is being served")
	term.WaitFor("1 job")
	return term, pidIn(t, w, "pid"), pidIn(t, w, "child")
}

func TestAJobGoesOnAfterEscAndEndsWithTheProgramHoweverThatEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, term *terminal.Terminal){
		"leaving": func(t *testing.T, term *terminal.Terminal) { quit(t, term) },
		"SIGTERM": func(_ *testing.T, term *terminal.Terminal) { term.Signal(syscall.SIGTERM); term.Wait() },
		"SIGHUP":  func(_ *testing.T, term *terminal.Terminal) { term.Signal(syscall.SIGHUP); term.Wait() },
		"hang-up": func(_ *testing.T, term *terminal.Terminal) { term.Hangup(); term.Wait() },
		"SIGKILL": func(_ *testing.T, term *terminal.Terminal) { term.Signal(syscall.SIGKILL); term.Wait() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			term, pid, child := withJob(t, w)
			send(term, "slowly")
			term.WaitFor("I am working")
			term.Send(terminal.Esc)
			term.WaitFor("interrupted")
			if !alive(pid) || !alive(child) {
				t.Fatal("the job ended with its turn")
			}
			end(t, term)
			ended(t, pid)
			ended(t, child)
			again := w.opened("--continue")
			send(again, "go on")
			again.WaitFor("I know that it is gone")
			if s := again.Screen(); s.Contains("1 job") {
				t.Errorf("a job of another run is counted:\n%s", s.Framed())
			}
			quit(t, again)
		})
	}
}

func TestJobsAreListedShownAndEndedFromTheScreen(t *testing.T) {
	w := newWorld(t)
	term, pid, child := withJob(t, w)
	send(term, "/jobs")
	term.WaitFor("jobs in the background")
	term.Until("its line", func(s terminal.Screen) bool { return s.Contains("│ up") })
	term.Send(terminal.Enter)
	term.WaitFor("back to the list")
	term.Send("\x1b[B" + terminal.Enter)
	term.WaitFor("was ended by the user")
	ended(t, pid)
	ended(t, child)
	term.Until("no job in the status line", func(s terminal.Screen) bool { return !s.Contains("1 job ") })
	quit(t, term)
}

func TestANewSessionEndsTheJobsOfTheOneBefore(t *testing.T) {
	w := newWorld(t)
	term, pid, child := withJob(t, w)
	id := sessionID(w)
	send(term, "/clear")
	says(term, "the session before is kept: /resume "+id+"; 1 job ended with it")
	ended(t, pid)
	ended(t, child)
	send(term, "/resume "+id)
	term.WaitFor("it is being served")
	quit(t, term)
}

func TestCtrlBSendsACommandToTheBackgroundAndTheModelIsToldOfItsEnd(t *testing.T) {
	w := newWorld(t)
	w.script(jobScript)
	term := w.opened("--mode", "full")
	send(term, "wait for it")
	term.WaitFor("begun")
	pid := pidIn(t, w, "pid")
	term.Send("\x02")
	term.WaitFor("it goes on beside us")
	if !alive(pid) {
		t.Fatal("the command ended with its call")
	}
	w.write("go", []byte("x"))
	term.WaitFor("has ended: exit code 0")
	ended(t, pid)
	send(term, "and now")
	term.WaitFor("I was told of the end")
	quit(t, term)
}

func TestJobsOfARunWithoutAScreenEndWithIt(t *testing.T) {
	w := newWorld(t)
	w.script(jobScript)
	w.expect(0, "it is being served", "", "run", "--mode", "full", "serve it")
	ended(t, pidIn(t, w, "pid"))
	ended(t, pidIn(t, w, "child"))
}

func TestTheTaskListIsThereAgainAfterAResumeAndGoneAfterAnUndo(t *testing.T) {
	w := newWorld(t)
	w.script(jobScript)
	term := w.opened()
	send(term, "list it")
	term.WaitFor("▸ second thing")
	term.Until("the end of the turn", func(s terminal.Screen) bool {
		return s.Contains("all right") || s.Contains("listed") && s.Contains(ready)
	})
	quit(t, term)
	again := w.opened("--continue")
	again.WaitFor("▸ second thing")
	again.Send("\x1bt")
	again.WaitFor("1 of 2 done · alt+t folds")
	send(again, "/undo")
	again.Until("the turn to be gone", func(s terminal.Screen) bool {
		return !s.Contains("second thing") && strings.Contains(composer(s), "› list it")
	})
	again.Send("\x15") // ctrl+u
	send(again, "/redo")
	again.WaitFor("▸ second thing")
	quit(t, again)
}

func TestWhatIsTypedAheadNeverAnswersTheModelsQuestion(t *testing.T) {
	for _, ahead := range []string{"1", "2\r", "\r", "o", "\x1b[200~2\x1b[201~", "12o\r"} {
		w := newWorld(t)
		w.script(jobScript)
		term := w.opened()
		send(term, "ask me")
		term.Send(ahead)
		term.WaitFor("Which way?")
		term.Send(ahead) // before it has stood long enough
		term.WaitFor(waits)
		if s := term.Screen(); !s.Contains("Which way?") || s.Contains("then right") {
			t.Errorf("%q answered the question:\n%s", ahead, s.Framed())
		}
		if log := w.transcript(); strings.Contains(log, "The user chose") || strings.Contains(log, "dismissed the question") || strings.Contains(log, "own words: ") {
			t.Errorf("%q answered the question", ahead)
		}
		term.Signal(os.Kill)
		term.Wait()
	}
}

func TestAQuestionIsAnsweredByItsKeyAndNotByAPaste(t *testing.T) {
	w := newWorld(t)
	w.script(jobScript)
	term := w.opened()
	send(term, "ask me")
	term.WaitFor(waits)
	term.Paste("21")
	s := term.Until("the paste in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), "› 21") })
	if !s.Contains("o  something else") {
		t.Fatalf("a paste answered the question:\n%s", s.Framed())
	}
	answer(t, term, "o  something else", "2")
	term.WaitFor("then right it is")
	term.Signal(os.Kill)
	term.Wait()
}

func TestInARunWithoutAScreenAQuestionIsAnsweredByNobody(t *testing.T) {
	w := newWorld(t)
	w.script(jobScript)
	w.expect(0, "I decide by myself", "", "run", "ask me")
}
