package agent

import (
	"context"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

// narrow is a route whose window holds about five of the test's pictures.
func narrow(window int) providers.Route {
	r := sees(providers.Supported)
	r.Model.ContextWindow = window
	return r
}

// isSummaryRequest tells the request for a summary from an ordinary one.
func isSummaryRequest(req providers.Request) bool {
	return len(req.System) == 1 && strings.Contains(req.System[0], "You write the summary")
}

// answering answers every request: summaries with summary, all else with "ok". It counts both kinds.
type answering struct {
	summary             string
	summaries, requests int
	last                providers.Request
}

func (a *answering) Stream(_ context.Context, req providers.Request, _ func(providers.Delta)) (providers.Response, error) {
	text := "ok"
	if isSummaryRequest(req) {
		a.summaries++
		text = a.summary
	} else {
		a.requests++
		a.last = req
	}
	return providers.Response{Blocks: []message.Block{message.Text{Text: text}}, Stop: message.StopEnd}, nil
}

func narrowHouse(t *testing.T, window int, p providers.Provider) *house {
	h := newHouse(t, guard.ModeAsk)
	h.agent.opt.Connect = func(providers.Route) (providers.Provider, error) { return p, nil }
	h.agent.Send(SetRoute{Route: narrow(window)})
	return h
}

func TestTwelvePicturesInASmallWindowCompactAndGoOn(t *testing.T) {
	p := &answering{summary: "The user showed pictures and asked what is in them."}
	h := narrowHouse(t, 8000, p)
	for i := 0; i < 12; i++ {
		h.send(strings.Repeat("what is in this picture? ", 12), h.attach(h.picture(strings.Repeat("p", i+1)+".png", 1000, 1000)))
		if end := h.end(); end.Reason != EndDone {
			t.Fatalf("picture %d: ended %s: %v", i+1, end.Reason, end.Err)
		}
	}
	if p.requests != 12 {
		t.Errorf("%d requests for 12 turns: something loops", p.requests)
	}
	if p.summaries > 3 {
		t.Errorf("%d summaries in 12 turns", p.summaries)
	}
	body := sent(p.last)
	if !strings.Contains(body, "image 12: ") {
		t.Errorf("the newest picture is not in the last request:\n%s", body)
	}
	if !strings.Contains(body, "image:") {
		t.Error("no sentence was left behind")
	}
}

func TestAFixedPartLargerThanTheWindowEndsWithAnError(t *testing.T) {
	p := &answering{summary: "short"}
	h := narrowHouse(t, 500, p)
	h.send("hello")
	end := h.end()
	if end.Reason != EndFailed || end.Err == nil || !strings.Contains(end.Err.Error(), "500") {
		t.Errorf("want an error with the figures, got %s: %v", end.Reason, end.Err)
	}
	if p.requests+p.summaries > 2 {
		t.Errorf("%d requests for something that cannot fit", p.requests+p.summaries)
	}
}

func TestAMessageLargerThanTheWindowComesBackAndTheSessionGoesOn(t *testing.T) {
	p := &answering{summary: "short"}
	h := narrowHouse(t, 8000, p)
	h.send(strings.Repeat("a very long message that goes on ", 2000))
	if end := h.end(); end.Reason != EndRejected || !strings.Contains(end.Err.Error(), "8000") {
		t.Errorf("want it rejected with the figures, got %s: %v", end.Reason, end.Err)
	}
	back := false
	for _, e := range h.seen {
		if r, ok := e.(Rejected); ok {
			back = len(r.Prompt.Text) == 1
		}
	}
	if !back {
		t.Error("the message did not come back")
	}
	h.send("a short one")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("the next message ended %s: %v", end.Reason, end.Err)
	}
}

func TestAnEmptyOrLongerSummaryIsRefusedAndNothingIsLost(t *testing.T) {
	for _, summary := range []string{"", strings.Repeat("words ", 3000)} {
		p := &answering{summary: summary}
		h := narrowHouse(t, 200000, p)
		for i := 0; i < 3; i++ {
			h.send(strings.Repeat("a request with some words ", 20))
			h.end()
		}
		h.agent.Send(Compact{})
		if end := h.end(); end.Reason != EndFailed || !strings.Contains(end.Err.Error(), "stays as it is") {
			t.Errorf("a summary of %d characters: ended %s: %v", len(summary), end.Reason, end.Err)
		}
		h.send("and now?")
		h.end()
		if body := sent(p.last); strings.Count(body, "a request with some words") < 60 {
			t.Error("the conversation did not stay as it was")
		}
	}
}

func TestAnOverflowThatNothingCuresEndsWithThePlainError(t *testing.T) {
	overflow := &providers.Error{Class: providers.ClassOverflow, Status: 400, Message: "prompt is too long"}
	var plays []play
	for i := 0; i < 30; i++ {
		plays = append(plays, fail(overflow))
	}
	h := newHouse(t, guard.ModeAsk, plays...)
	h.send("hello")
	end := h.end()
	if end.Reason != EndFailed || !strings.Contains(end.Err.Error(), "prompt is too long") {
		t.Errorf("ended %s: %v", end.Reason, end.Err)
	}
	if n := 30 - len(h.stage.plays); n > 4 {
		t.Errorf("%d requests for an overflow that nothing cures", n)
	}
}

func TestCompactingCanBeUndone(t *testing.T) {
	p := &answering{summary: "they talked"}
	h := narrowHouse(t, 200000, p)
	for i := 0; i < 3; i++ {
		h.send(strings.Repeat("the words of a request ", 40))
		h.end()
	}
	h.agent.Send(Compact{Instructions: "keep the words"})
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("ended %s: %v", end.Reason, end.Err)
	}
	folds := h.agent.Folds()
	if len(folds) == 0 || len(folds[len(folds)-1].Messages) == 0 {
		t.Fatalf("the summary is no fold: %+v", folds)
	}
	h.agent.Send(Unfold{ID: folds[len(folds)-1].Mark.ID})
	h.until("the unfolding", func(e Event) bool { _, ok := e.(MeterChanged); return ok })
	h.send("next")
	h.end()
	if body := sent(p.last); strings.Contains(body, "they talked") || strings.Count(body, "the words of a request") < 100 {
		t.Errorf("the fold is still folded:\n%s", body[:min(len(body), 600)])
	}
}
