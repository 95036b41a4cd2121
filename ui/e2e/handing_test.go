//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

func TestAnEditorGetsTheWholeTextAndBringsItBack(t *testing.T) {
	desktop.Need(t, "sh")
	w := newWorld(t)
	editor := w.write(w.root+"/editor", []byte("#!/bin/sh\ncp \"$1\" '"+w.root+"/seen'\nprintf 'from the editor\\n' >> \"$1\"\n"))
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	term := w.with("EDITOR=" + editor).opened()
	long := strings.Repeat("a line that was pasted\n", 20)
	term.Send("look: ")
	term.WaitFor("› look:")
	term.Paste(long)
	term.WaitFor("[pasted 20 lines]")
	term.Send("\x07") // ctrl+g
	term.WaitFor("from the editor")
	if seen, _ := os.ReadFile(w.root + "/seen"); !strings.HasPrefix(string(seen), "look: "+strings.TrimSuffix(long, "\n")) {
		t.Errorf("the editor was given %q", seen)
	}
	if left, _ := filepath.Glob(w.root + "/tmp/espy-*"); len(left) > 0 {
		t.Errorf("files were left: %v", left)
	}
	quitWith(t, term)
}

func TestAnExportHoldsASentenceWhereAPictureWas(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	term.Paste(w.write("shot.png", shot(t, 300, 200, 1)))
	term.WaitFor("1 shot.png 300x200")
	send(term, "what is this")
	ref := refOf(t, term.WaitFor("image/png, 300x200").String())
	term.WaitFor(ready)
	send(term, "/export talk.md")
	says(term, "written to")
	text, _ := written(w, "talk.md")
	if !strings.Contains(text, "[image: image/png, 300x200, "+ref+"]") || !strings.Contains(text, "what is this") {
		t.Errorf("the export is:\n%s", text)
	}
	send(term, "/export talk.md")
	says(term, "exists; name another file")
	quit(t, term)
}

func TestAnAnswerIsCopiedToTheDesktopsClipboard(t *testing.T) {
	desktop.Need(t, "xclip")
	display := desktop.X11(t)
	w := newWorld(t).with("DISPLAY=" + display)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.WaitFor(ready)
	send(term, "/copy")
	term.Until("a word about it", func(s terminal.Screen) bool {
		return strings.Contains(unwrapped(s), "clipboard") && !s.Contains("/copy")
	})
	term.Send(terminal.CtrlV) // what was copied comes back
	term.WaitFor("› I received:")
	quitWith(t, term)
}

func TestAFileNamedWithAnAtSignGoesAlong(t *testing.T) {
	w := newWorld(t)
	w.write("notes here.txt", []byte("twelve chars"))
	w.write("shot.png", shot(t, 300, 200, 1))
	term := w.opened()
	term.Send("see @shot")
	term.WaitFor("shot.png")
	term.Send(terminal.Tab)
	term.Until("the completed name", func(s terminal.Screen) bool { return strings.Contains(composer(s), "@shot.png") })
	send(term, `and @"notes here.txt" `)
	s := term.WaitFor("image/png, 300x200")
	if !s.Contains("image 1  shot.png") {
		t.Errorf("the picture is not shown beside the message:\n%s", s.Framed())
	}
	quit(t, term)
	if !strings.Contains(w.transcript(), "twelve chars") {
		t.Error("the file did not go along")
	}
}

func TestASecondProgramOnTheSameSessionMayReadItOrGoOnInACopy(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.Until("the turn has ended", func(s terminal.Screen) bool {
		return s.Contains("text: 11 characters") && strings.Contains(s.String(), ready)
	})
	id := sessionID(w)
	for _, args := range [][]string{{"--continue"}, {"--resume", id}} {
		before := w.contents()
		second := w.open(args...)
		second.WaitFor(fmt.Sprintf("is open in another espy (process %d)", term.Pid()))
		second.Send(terminal.Down + terminal.Enter)
		second.Until("the session is read", func(s terminal.Screen) bool {
			return s.Contains("only read here; /fork goes on in a copy") && s.Contains("text: 11 characters")
		})
		send(second, "hello too")
		second.WaitFor("this session is only read here")
		if got := w.contents(); got != before {
			t.Errorf("reading a session changed what lies in it; before:\n%s\nafter:\n%s", before, got)
		}
		second.Send("\x15") // the text goes
		send(second, "/fork")
		second.Until("the copy is worked in", func(s terminal.Screen) bool { return strings.Contains(s.String(), ready) })
		send(second, "and in the copy")
		second.WaitFor("request: 3 messages")
		quit(t, second)
	}
	send(term, "the first one goes on")
	term.WaitFor("request: 3 messages")
	quit(t, term)
}

func TestASessionOpenElsewhereIsNotADeadEndOfTheSessionPicker(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	other := w.opened()
	send(other, "/resume "+sessionID(w))
	other.WaitFor("is open in another espy")
	quit(t, term)
	other.Send("try")
	other.WaitFor("filter: try")
	other.Send(terminal.Enter)
	other.WaitFor("text: 11 characters")
	send(other, "now it is mine")
	other.WaitFor("request: 3 messages")
	quit(t, other)
}
