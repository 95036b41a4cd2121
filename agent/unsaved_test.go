package agent

import (
	"strings"
	"testing"

	"espy/agent/guard"
)

func TestADraftThatCannotBeSavedIsToldOnceUntilOneWasSaved(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	tooMuch := make([]byte, 65<<20) // more than a draft may hold
	for _, state := range [][]byte{tooMuch, tooMuch, tooMuch, []byte(`{"text":"short"}`), tooMuch, tooMuch} {
		h.intake.SaveDraft(state)
	}
	h.send("hello")
	h.end()
	told := 0
	for _, e := range h.seen {
		if n, ok := e.(Notice); ok && strings.Contains(n.Sentence, "draft could not be saved") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("it was told %d times, want once for each time that it began", told)
	}
}
