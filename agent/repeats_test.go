package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
)

func TestTheThirdIdenticalCallIsPointedOutAndTheFifthStopsTheTurn(t *testing.T) {
	var plays []play
	for i := range 6 {
		args := `{"path":"a.txt","limit":5}`
		if i%2 == 1 {
			args = `{ "limit": 5, "path": "a.txt" }` // the same call, written otherwise
		}
		plays = append(plays, want(callOf(fmt.Sprint("c", i), "read", args)))
	}
	h := newHouse(t, guard.ModeAsk, plays...)
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("hello there\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.send("read it")
	end := h.end()
	if end.Reason != EndFailed || end.Err == nil || !strings.Contains(end.Err.Error(), "the same call 5 times") {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	if n := len(h.stage.requests); n != 5 {
		t.Errorf("%d requests were made, want 5", n)
	}
	if second := sent(h.stage.request(2)); strings.Contains(second, "same call") {
		t.Errorf("two calls were pointed out already:\n%s", second)
	}
	if third := sent(h.stage.request(3)); strings.Count(third, "for the third time") != 1 {
		t.Errorf("the third call is not pointed out once:\n%s", third)
	}
}

func TestCallsThatComeToSomethingElseAreNoRepeats(t *testing.T) {
	var plays []play
	for i := range 6 {
		plays = append(plays, want(callOf(fmt.Sprint("r", i), "read", `{"path":"a.txt"}`), callOf(fmt.Sprint("m", i), "read", `{"path":"none.txt"}`),
			callOf(fmt.Sprint("w", i), "write", fmt.Sprintf(`{"path":"a.txt","content":"take %d\n"}`, i))))
	}
	h := newHouse(t, guard.ModeAuto, append(plays, say("done"))...)
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("hello there\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.send("work")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
}

func TestAnEditMadeAndUndoneInTurnsIsALoop(t *testing.T) {
	var plays []play
	for i := range 8 {
		from, to := "one", "two"
		if i%2 == 1 {
			from, to = to, from
		}
		plays = append(plays, want(callOf(fmt.Sprint("c", i), "read", `{"path":"a.txt"}`), callOf(fmt.Sprint("e", i), "edit", fmt.Sprintf(`{"path":"a.txt","edits":[{"old_text":%q,"new_text":%q}]}`, from, to))))
	}
	plays = append(plays, plays...)
	h := newHouse(t, guard.ModeAuto, append(plays, say("done"))...)
	if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.send("work")
	if end := h.end(); end.Reason != EndFailed {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
}

func TestEachTurnCountsAnew(t *testing.T) {
	read := func(id string) play { return want(callOf(id, "read", `{"path":"a.txt"}`)) }
	h := newHouse(t, guard.ModeAsk, read("a"), read("b"), say("one"), read("c"), read("d"), say("two"))
	h.send("first")
	h.end()
	h.send("second")
	h.end()
	if last := sent(h.stage.request(5)); strings.Contains(last, "same call") {
		t.Errorf("calls of another turn were counted:\n%s", last)
	}
}
