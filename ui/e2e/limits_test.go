//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestAMegabyteIsPastedAsOneChipAndSentWhole(t *testing.T) {
	w := newWorld(t)
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "line %d of a long paste, ünïcode too\n", i)
	}
	w.configure("[[models]]\nid = \"fake/echo\"\ncontext_window = 2000000\n")
	term := w.opened()
	term.Send("before ")
	term.WaitFor("› before")
	term.Paste(text.String())
	term.WaitFor("› before [pasted ")
	send(term, " after")
	term.WaitFor(fmt.Sprintf("text: %d characters", len([]rune("before "+text.String()+" after"))))
	if !strings.Contains(w.transcript(), fmt.Sprintf("line %d of a long paste", strings.Count(text.String(), "\n")-1)) {
		t.Error("the log does not hold the end of the paste")
	}
	quit(t, term)
}
