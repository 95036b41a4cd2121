package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
)

// beside makes a file outside the workspace.
func beside(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "notes", "outside.txt")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("words from outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAPathOutsideIsAskedAboutAndOpenedAsFarAsThePersonSays(t *testing.T) {
	for choice, asksAgain := range map[guard.Choice]bool{guard.ChoiceOnce: true, guard.ChoiceSession: false, guard.ChoiceDeny: true} {
		name := beside(t)
		read := callOf("1", "read", `{"path":"`+name+`"}`)
		again := callOf("2", "read", `{"path":"`+name+`"}`)
		h := watch(newHouse(t, guard.ModeAsk, want(read), want(again), say("done")))
		h.send("look")
		asked := await[PermissionAsked](h, "the question", nil)
		if asked.Decision.Opening.Path != name || asked.Decision.Opening.Folder != filepath.Dir(name) {
			t.Fatalf("asked about %+v", asked.Decision)
		}
		h.agent.Send(Answer{ID: asked.ID, Choice: choice})
		first := await[CallFinished](h, "the first result", nil)
		if got := strings.Contains(first.Result.Text, "words from outside"); got == (choice == guard.ChoiceDeny) {
			t.Errorf("after %s the result is %q", choice, first.Result.Text)
		}
		if asksAgain {
			asked := await[PermissionAsked](h, "the second question", func(e PermissionAsked) bool { return e.Call.ID == "2" })
			h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny, Reason: "not that"})
		}
		second := await[CallFinished](h, "the second result", func(e CallFinished) bool { return e.Call.ID == "2" })
		if got := strings.Contains(second.Result.Text, "words from outside"); got != (choice == guard.ChoiceSession) {
			t.Errorf("after %s the second result is %q", choice, second.Result.Text)
		}
		await[TurnEnded](h, "the end", nil)
	}
}

func TestAnEditOutsideIsShownAsADiffAfterItsPathWasOpened(t *testing.T) {
	name := beside(t)
	h := watch(newHouse(t, guard.ModeAuto, want(callOf("1", "read", `{"path":"`+name+`"}`)),
		want(callOf("2", "edit", `{"path":"`+name+`","edits":[{"old_text":"words","new_text":"lines"}]}`)), say("done")))
	h.send("edit")
	asked := await[PermissionAsked](h, "the first question", nil)
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
	asked = await[PermissionAsked](h, "the question about the path to edit", func(e PermissionAsked) bool { return e.Call.ID == "2" })
	if asked.Decision.Opening.Path != name {
		t.Fatalf("asked about %+v", asked.Decision)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
	asked = await[PermissionAsked](h, "the question about the edit", func(e PermissionAsked) bool { return e.Decision.Opening.Path == "" })
	if !asked.Effect.Diff || !strings.Contains(asked.Effect.Preview, "+lines from outside") {
		t.Errorf("the edit is shown as %q", asked.Effect.Preview)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny})
	await[TurnEnded](h, "the end", nil)
	if text, _ := os.ReadFile(name); string(text) != "words from outside\n" {
		t.Errorf("the file holds %q", text)
	}
}

func watch(h *house) *watcher { return &watcher{house: h} }

// watcher reads a house's events one by one, so that none is passed over.
type watcher struct {
	*house
	at int
}

// await waits for the next event of one type that fits; others see every event on the way.
func await[E Event](w *watcher, what string, fits func(E) bool, others ...func(Event)) E {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		for w.at < len(w.seen) {
			next := w.seen[w.at]
			e, ok := next.(E)
			w.at++
			for _, see := range others {
				see(next)
			}
			if ok && (fits == nil || fits(e)) {
				return e
			}
		}
		events, err := w.agent.Next(ctx)
		if err != nil {
			w.t.Fatalf("waiting for %s: %v; seen %s", what, err, describe(w.seen))
		}
		w.seen = append(w.seen, events...)
	}
}
