package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/providers"
	"espy/store"
)

// hookedHouse is a house with hooks, made as files make them.
func hookedHouse(t *testing.T, hooks, script string, plays ...play) *house {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "extensions", "watch")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := extend.Parse([]extend.File{{Path: filepath.Join(dir, "hooks.toml"), Data: []byte(hooks)}})
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	h := newHouse(t, guard.ModeAsk, plays...)
	h.stop()
	session, err := h.store.Create(context.Background(), h.dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	h.hooks = s.Hooks
	h.move(session, store.Loaded{}, guard.ModeAsk, sees(providers.Supported))
	return h
}

func TestAPreToolHookRefusesWithItsReason(t *testing.T) {
	h := hookedHouse(t, "[[hook]]\nevent = \"pre_tool\"\ntools = [\"read\"]\nargv = [\"./run\"]\n", `echo '{"decision":"deny","reason":"not this one"}'`,
		want(callOf("c1", "read", `{"path":"a.txt"}`)), say("done"))
	h.send("read it")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	if second := sent(h.stage.request(1)); !strings.Contains(second, "Refused: the hook of watch refuses this call: not this one") {
		t.Errorf("the model reads\n%s", second)
	}
}

func TestAPreToolHookThatFailsMakesAReadAsk(t *testing.T) {
	h := hookedHouse(t, "[[hook]]\nevent = \"pre_tool\"\nargv = [\"./run\"]\n", `exit 9`, want(callOf("c1", "glob", `{"pattern":"*"}`)), say("done"))
	h.send("look")
	asked := h.until("the question", func(e Event) bool { _, ok := e.(PermissionAsked); return ok }).(PermissionAsked)
	if !strings.Contains(asked.Decision.Reason, "could not judge") || len(asked.Decision.Offer) > 0 {
		t.Errorf("asked %+v", asked.Decision)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("the turn ended as %s: %v", end.Reason, end.Err)
	}
}

func TestObservingHooksAreToldOfEachMomentAndStopNothing(t *testing.T) {
	trail := filepath.Join(t.TempDir(), "trail")
	var hooks strings.Builder
	for _, event := range []string{"session_start", "turn_start", "post_tool", "turn_end"} {
		hooks.WriteString("[[hook]]\nevent = \"" + event + "\"\nargv = [\"./run\", \"" + trail + "\"]\n")
	}
	h := hookedHouse(t, hooks.String(), `cat >>"$1"; echo >>"$1"; exit 1`, want(callOf("c1", "glob", `{"pattern":"*"}`)), say("done"))
	h.send("look")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	h.stop()
	told, err := os.ReadFile(trail)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"session_start", "turn_start", `post_tool`, "turn_end", `"ok":true`} {
		if strings.Count(string(told), event) != 1 {
			t.Errorf("%s is not told once in\n%s", event, told)
		}
	}
}
