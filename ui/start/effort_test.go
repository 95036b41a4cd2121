package start

import (
	"context"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
)

// await reads a session's events to the first of a kind.
func await[E agent.Event](t *testing.T, a *agent.Agent) (found E) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		events, err := a.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if is, ok := e.(E); ok {
				return is
			}
		}
	}
}

func TestTheEffortOfASessionComesBackWithIt(t *testing.T) {
	screen, _, _ := screenIn(t)
	a := screen.current().Agent
	a.Send(agent.SetRoute{Route: a.Route(), Effort: "high"})
	a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "hello"}}}})
	if end := await[agent.TurnEnded](t, a); end.Reason != agent.EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	id := screen.current().Session.ID()
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := NewScreen(t.Context(), screen.settings, Request{Resume: id})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if opened := await[agent.Opened](t, again.current().Agent); opened.Effort != "high" {
		t.Errorf("the session opens with effort %q, want high", opened.Effort)
	}
}
