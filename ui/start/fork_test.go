package start

import (
	"context"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/ui"
)

// opened waits for the first event of a conversation.
func opened(t *testing.T, c ui.Conversation) agent.Opened {
	t.Helper()
	return waitFor(t, c, func(e agent.Event) bool { _, ok := e.(agent.Opened); return ok }).(agent.Opened)
}

func waitFor(t *testing.T, c ui.Conversation, stop func(agent.Event) bool) agent.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		events, err := c.Loop.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if stop(e) {
				return e
			}
		}
	}
}

func TestAForkGoesOnInACopyWhileTheFirstSessionStays(t *testing.T) {
	screen, _, folder := screenIn(t)
	options := screen.Options()
	if _, err := options.Fork(context.Background(), ""); err == nil {
		t.Error("a session in which nothing was said was forked")
	}
	options.Loop.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "hello"}}}})
	waitFor(t, options.Conversation, func(e agent.Event) bool { _, ok := e.(agent.TurnEnded); return ok })
	before := screen.current().Session.ID()
	forked, err := options.Fork(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	e := opened(t, forked)
	if e.Session == before || len(e.Messages) != 2 || e.Folder != folder {
		t.Errorf("it opens %+v", e)
	}
	if list, err := options.Sessions(context.Background()); err != nil || len(list) != 2 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
}
