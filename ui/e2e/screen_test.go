//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"espy/ui/terminal"
)

// send types a request and enter, and waits until the composer shows the text in between: keys that arrive
// with enter in one piece would be a paste's.
func send(term *terminal.Terminal, text string) {
	term.Send(text)
	shown := strings.TrimSpace(text) // a blank at the end is no text on the screen
	if len(shown) > 40 {
		shown = shown[len(shown)-40:]
	}
	term.Until(fmt.Sprintf("%q in the composer", shown), func(s terminal.Screen) bool { return strings.Contains(composer(s), shown) })
	term.Send(terminal.Enter)
}

// composer is the text of the screen below its rule: the attachment row, the composer and the status line.
func composer(s terminal.Screen) string {
	for i := len(s.Lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(s.Lines[i], "──") || strings.HasPrefix(s.Lines[i], "─") {
			return strings.Join(s.Lines[i+1:], "\n")
		}
	}
	return s.String()
}

// quit leaves the program as a person does and proves that the terminal is as it was.
func quit(t testing.TB, term *terminal.Terminal) {
	t.Helper()
	term.Send(terminal.CtrlC)
	term.WaitFor("again")
	term.Send(terminal.CtrlC)
	if code := term.Wait(); code != 0 {
		t.Errorf("the program ended with exit code %d, want 0\n%s", code, term.Screen().Framed())
	}
	restored(t, term)
}

// restored proves that no mode of the terminal was left on and nothing was left on the screen.
func restored(t testing.TB, term *terminal.Terminal) {
	t.Helper()
	if left := term.Changed(); len(left) > 0 {
		t.Errorf("the terminal was left with modes changed: %v", left)
	}
	if term.Screen().Alternate {
		t.Error("the alternate screen was left on")
	}
	balanced(t, term.Output())
}

var blobName = regexp.MustCompile(`blobs/[0-9a-f]{64}\.[a-z]+`)

// refOf finds a picture's reference on a screen or in an answer.
func refOf(t testing.TB, text string) string {
	t.Helper()
	ref := blobName.FindString(text)
	if ref == "" {
		t.Fatalf("no reference of a picture in:\n%s", text)
	}
	return ref
}

// unwrapped is the screen's text with its lines joined by blanks, for sentences that wrap.
func unwrapped(s terminal.Screen) string {
	return strings.Join(strings.Fields(strings.Join(s.Lines, " ")), " ")
}

// says waits for a sentence that may be wrapped.
func says(term *terminal.Terminal, sentence string) terminal.Screen {
	return term.Until(fmt.Sprintf("the words %q", sentence), func(s terminal.Screen) bool { return strings.Contains(unwrapped(s), sentence) })
}

// quitWith leaves a program, whether or not its composer holds something or a turn runs.
func quitWith(t testing.TB, term *terminal.Terminal) {
	t.Helper()
	term.Send(terminal.CtrlC)
	term.Until("what a second ctrl+c does", func(s terminal.Screen) bool {
		return s.Contains("again quits") || s.Contains("again to quit")
	})
	term.Send(terminal.CtrlC)
	if code := term.Wait(); code != 0 {
		t.Errorf("the program ended with exit code %d, want 0", code)
	}
	restored(t, term)
}
