package agent

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

func TestARefusalNobodyCanBeAskedAboutSaysWhatWouldHelp(t *testing.T) {
	outside := guard.Decision{Verdict: guard.Ask, Opening: guard.Opening{Path: "/data/a"}}
	for _, c := range []struct {
		mode     guard.Mode
		effect   guard.Effect
		decision guard.Decision
		says     string
		silent   string
	}{
		{guard.ModeAsk, guard.Effect{Kind: guard.KindExec}, guard.Decision{}, "wider --mode", "/trust"},
		{guard.ModeFull, guard.Effect{Kind: guard.KindExec}, guard.Decision{}, "--allow", "--mode"},
		{guard.ModeFull, guard.Effect{Kind: guard.KindRead}, outside, "/trust add", "wider"},
		{guard.ModeAsk, guard.Effect{Kind: guard.KindRead}, outside, "/trust add", "wider"},
		{guard.ModePlan, guard.Effect{Kind: guard.KindPlan}, guard.Decision{}, "another --mode", "--allow"},
	} {
		a := &Agent{opt: Options{Guard: guard.New(guard.Options{Mode: c.mode})}}
		if got := a.remedy(c.effect, c.decision); !strings.Contains(got, c.says) || strings.Contains(got, c.silent) {
			t.Errorf("in %s mode: %q, which should speak of %q and not of %q", c.mode, got, c.says, c.silent)
		}
	}
}

// overloaded is a service that asks to wait, and a session on it whose retries really wait.
func overloaded(t *testing.T, tongue tongue, wait string) (*house, *strict.Server, providers.Route) {
	h := newHouse(t, guard.ModeAsk)
	server := strict.New(t, strict.Rules{})
	server.Say(strict.Answer{Status: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After-Ms": {wait}}, Body: tongue.fault(said{message: "engine overloaded"})})
	route := sees(providers.Supported)
	route.Server.Protocol, route.Server.BaseURL = tongue.name, server.URL
	route.Model.Efforts = []string{"low", "high"}
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	provider := providers.WithRetry(tongue.connect(route, h.session, client), providers.Policy{})
	h.agent.opt.Connect = func(providers.Route) (providers.Provider, error) { return provider, nil }
	h.agent.Send(SetRoute{Route: route})
	return h, server, route
}

func TestTheWaitBeforeARetryIsToldAndCanBeInterrupted(t *testing.T) {
	for _, tongue := range tongues() {
		t.Run(tongue.name, func(t *testing.T) {
			h, server, _ := overloaded(t, tongue, "50000")
			h.send("hello")
			told := h.until("word of the retry", func(e Event) bool { n, ok := e.(Notice); return ok && n.Kind == NoticeRetried }).(Notice)
			if told.Wait != 50*time.Second || !strings.Contains(told.Sentence, "engine overloaded") || !strings.Contains(told.Sentence, "attempt 2 of 5") {
				t.Errorf("told %q with %s to wait, want the cause, the attempt and 50s", told.Sentence, told.Wait)
			}
			h.agent.Interrupt()
			if end := h.end(); end.Reason != EndInterrupted {
				t.Errorf("ended %s: %v", end.Reason, end.Err)
			}
			h.send("hello again")
			if end := h.end(); end.Reason != EndDone || len(server.Requests()) != 2 {
				t.Errorf("the next turn ended %s after %d requests: %v", end.Reason, len(server.Requests()), end.Err)
			}
		})
	}
}

func TestAnEffortReachesEveryServiceAndStaysWithTheSession(t *testing.T) {
	where := map[string]string{"chat": `"reasoning_effort":"high"`, "anthropic": `"thinking":{"type":"enabled"`, "responses": `"reasoning":{"effort":"high"`}
	for _, tongue := range tongues() {
		t.Run(tongue.name, func(t *testing.T) {
			h, server, route := overloaded(t, tongue, "1")
			route.Model.MaxOutput = 30_000
			h.agent.Send(SetRoute{Route: route, Effort: "high"})
			h.send("think")
			h.end()
			other := route
			other.Model.ID, other.Model.Efforts = "other", []string{"low", "high"}
			h.agent.Send(SetRoute{Route: other}) // the new model knows the effort: it stays
			h.send("think on")
			h.end()
			if body := string(server.Last().Raw); !strings.Contains(body, where[tongue.name]) {
				t.Errorf("the effort is not in the request: %.600s", body)
			}
			var recorded message.ModelRecord
			for _, r := range h.agent.log.history.Records() {
				if m, ok := r.(message.ModelRecord); ok {
					recorded = m
				}
			}
			if recorded.Model != "other" || recorded.Effort != "high" {
				t.Errorf("the log says %s with effort %q", recorded.Model, recorded.Effort)
			}
			h.agent.Send(SetRoute{Route: other, Effort: DefaultEffort})
			h.send("answer at once")
			h.end()
			if body := string(server.Last().Raw); strings.Contains(body, where[tongue.name]) {
				t.Errorf("the effort was left to the model and is still sent: %.600s", body)
			}
		})
	}
}

func TestTokensOfThePromptCacheAreCountedPricedAndCorrectTheEstimate(t *testing.T) {
	for _, tongue := range tongues() {
		t.Run(tongue.name, func(t *testing.T) {
			h, server, route := overloaded(t, tongue, "1")
			route.Model.Price = &providers.Price{Input: 10, Output: 50, CacheRead: 1, CacheWrite: 12.5}
			h.agent.Send(SetRoute{Route: route})
			before := h.agent.meter().Context
			server.SayTurn(strict.Turn{Text: "seen", Input: 1000, Cached: 800})
			h.send("look")
			h.end()
			meter := h.agent.meter()
			if meter.Input != 1000 || meter.Cached != 800 || meter.Output != 20 || meter.Cost == nil {
				t.Fatalf("the meter says %+v", meter)
			}
			if want := (200*10.0 + 800*1 + 20*50) / 1e6; *meter.Cost < want*0.999 || *meter.Cost > want*1.001 {
				t.Errorf("cost %f, want %f", *meter.Cost, want)
			}
			if meter.Context <= before {
				t.Errorf("1000 tokens were reported for what was taken for few, and the estimate stayed at %d", meter.Context)
			}
			route.Model.Price = nil
			h.agent.Send(SetRoute{Route: route})
			h.send("and now?")
			h.end()
			if cost := h.agent.meter().Cost; cost != nil {
				t.Errorf("a price is unknown and the cost is said to be %f", *cost)
			}
		})
	}
}

func TestACostCountsWhatWasWrittenToTheCacheAndIsNeverBelowNothing(t *testing.T) {
	route := sees(providers.Supported)
	route.Model.Price = &providers.Price{Input: 10, Output: 50, CacheRead: 1, CacheWrite: 12.5}
	if got, want := *costOf(route, message.Usage{Input: 1000, Output: 0, CacheRead: 300, CacheWrite: 200}), (500*10+300*1+200*12.5)/1e6; got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
	if got := *costOf(route, message.Usage{Input: 10, CacheRead: 300}); got < 0 {
		t.Errorf("a service that counts oddly costs %v", got)
	}
}
