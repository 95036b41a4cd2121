//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/ui/terminal"
)

const (
	callWrite = `call write {"path":"x.txt","content":"hi\n"}`
	asksWrite = "write: change this file?"
	asksShell = "shell: run this command?"
	// waits is what the rule says once a key may answer: before that keys still go to the text.
	waits = "espy waits for your answer"
)

// answer answers the question on the screen.
func answer(t *testing.T, term *terminal.Terminal, question, key string) {
	t.Helper()
	term.WaitFor(waits)
	term.Send(key)
	term.Until("the question to be settled", func(s terminal.Screen) bool { return !s.Contains(question) })
}

func written(w *world, name string) (string, bool) {
	data, err := os.ReadFile(filepath.Join(w.work, name))
	return string(data), err == nil
}

func TestAWriteAsksWithItsDiffAndHappensOnlyWhenAllowed(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, callWrite)
	s := term.WaitFor(asksWrite)
	if !s.Contains("+hi") && !s.Contains("+ hi") {
		t.Errorf("the question does not show what would be written:\n%s", s.Framed())
	}
	answer(t, term, asksWrite, "n")
	term.WaitFor("error of write")
	if _, there := written(w, "x.txt"); there {
		t.Error("a denied write happened")
	}
	send(term, callWrite)
	term.WaitFor(asksWrite)
	answer(t, term, asksWrite, "y")
	term.WaitFor("result of write")
	if text, _ := written(w, "x.txt"); text != "hi\n" {
		t.Errorf("the file holds %q", text)
	}
	quit(t, term)
}

func TestKeysTypedBeforeAQuestionStoodNeverAnswerIt(t *testing.T) {
	for _, ahead := range []string{"ya", "y\r", "y\x1b[13u", "sa\r", "a", "\r", "\r\r\r"} {
		w := newWorld(t)
		term := w.opened()
		term.Send(callWrite)
		term.WaitFor(`"hi\n"}`)
		term.Send("\r" + ahead) // one piece: the keys come with the one that leads to the question
		s := term.WaitFor(waits)
		if _, there := written(w, "x.txt"); there || !s.Contains(asksWrite) {
			t.Errorf("%q answered the question:\n%s", ahead, s.Framed())
		}
		term.Signal(os.Kill)
		term.Wait()
	}
}

func TestAPasteNeverAnswersAQuestion(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, callWrite)
	term.WaitFor(waits)
	for _, text := range []string{"y", "a", "yes\r", "y\n"} {
		term.Paste(text)
		s := term.WaitFor(strings.TrimSpace(text))
		if _, there := written(w, "x.txt"); there || !s.Contains(asksWrite) {
			t.Fatalf("the paste %q answered the question:\n%s", text, s.Framed())
		}
	}
	term.Signal(os.Kill)
	term.Wait()
}

func TestACommandAsksEachTimeItIsAllowedOnce(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	const call = `call shell {"command":"touch made && echo done"}`
	send(term, call)
	s := term.WaitFor(asksShell)
	if !s.Contains("touch made && echo done") {
		t.Errorf("the question does not show the command:\n%s", s.Framed())
	}
	answer(t, term, asksShell, "y")
	term.WaitFor("result of shell")
	if _, there := written(w, "made"); !there {
		t.Error("the allowed command did not run")
	}
	send(term, call)
	term.WaitFor(asksShell)
	answer(t, term, asksShell, "n")
	term.WaitFor("error of shell")
	quit(t, term)
}

func TestAnAnswerForTheSessionHoldsUntilItEnds(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	const call = `call shell {"command":"touch made"}`
	send(term, call)
	term.WaitFor(asksShell)
	answer(t, term, asksShell, "s")
	term.WaitFor("result of shell")
	send(term, call)
	term.Until("a second result without a question", func(s terminal.Screen) bool {
		if s.Contains(asksShell) {
			t.Fatalf("it asked again:\n%s", s.Framed())
		}
		return strings.Count(s.String(), "result of shell") == 2
	})
	quit(t, term)
	again := w.opened("--continue")
	send(again, call)
	again.WaitFor(asksShell)
	answer(t, again, asksShell, "a")
	again.Until("a third result", func(s terminal.Screen) bool { return strings.Count(s.String(), "result of shell") == 3 })
	quit(t, again)
	third := w.opened()
	send(third, call)
	third.Until("a result without a question", func(s terminal.Screen) bool {
		if s.Contains(asksShell) {
			t.Fatalf("what was allowed always is asked again:\n%s", s.Framed())
		}
		return s.Contains("result of shell")
	})
	quit(t, third)
}

func TestPlanModeRefusesToWriteWithoutAsking(t *testing.T) {
	w := newWorld(t)
	term := w.opened("--mode", "plan")
	send(term, callWrite)
	s := term.WaitFor("error of write")
	if s.Contains(asksWrite) {
		t.Errorf("plan mode asked:\n%s", s.Framed())
	}
	if _, there := written(w, "x.txt"); there {
		t.Error("plan mode wrote a file")
	}
	quit(t, term)
}

func TestReadingInsideTheWorkspaceDoesNotAsk(t *testing.T) {
	w := newWorld(t)
	w.write("notes.txt", []byte("some words\n"))
	w.write("shot.png", shot(t, 270, 90, 1))
	term := w.opened()
	send(term, `call read {"path":"notes.txt"}`)
	term.WaitFor("result of read")
	send(term, `call read_media {"path":"shot.png"}`)
	refOf(t, term.WaitFor("image/png, 270x90").String())
	quit(t, term)
}
