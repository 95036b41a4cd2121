package strict_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
	"espy/providers/anthropic"
	"espy/providers/chat"
	"espy/providers/responses"
	"espy/providers/strict"
)

// logWriter makes up a log: any order of what a log can hold, from any provider, finished or interrupted.
type logWriter struct {
	rng     *rand.Rand
	blobs   *strict.Blobs
	records []message.Record
	last    string
}

func (w *logWriter) head(kind message.Kind) message.Head {
	h := message.NewHead(kind, fmt.Sprintf("%04d", len(w.records)), w.last, time.Unix(0, 0))
	w.last = h.ID
	return h
}

func (w *logWriter) pick(of ...string) string { return of[w.rng.IntN(len(of))] }

func (w *logWriter) image() message.Image {
	return w.blobs.Picture(w.pick("png", "jpeg", "gif"), 1+w.rng.IntN(90), 1+w.rng.IntN(90))
}

func (w *logWriter) user() {
	m := message.Message{Role: message.RoleUser}
	for range w.rng.IntN(3) {
		m.Blocks = append(m.Blocks, w.image())
	}
	m.Blocks = append(m.Blocks, message.Text{Text: w.pick("look", "and now?\n", " ", "", "日本語 \u2028")})
	w.records = append(w.records, message.MessageRecord{Head: w.head(message.KindMessage), Message: m})
}

func (w *logWriter) assistant() {
	m := message.Message{Role: message.RoleAssistant, Provider: w.pick("local", "other"), Model: "strict-1", Stop: message.StopEnd}
	for range w.rng.IntN(3) {
		m.Blocks = append(m.Blocks, message.Thinking{Text: w.pick("hm", ""), Opaque: w.pick("", `{"signature":"s"}`, `{"redacted_thinking":"d"}`, "nonsense",
			`{"reasoning_item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}`)})
	}
	m.Blocks = append(m.Blocks, message.Text{Text: w.pick("fine", "", " \n", "trailing "), Opaque: w.pick("", `{"responses_message":{"id":"msg_1"}}`)})
	var calls []message.ToolCall
	for i := range w.rng.IntN(4) {
		c := message.ToolCall{ID: w.pick("call_", "toolu|", "日本", "x") + fmt.Sprint(i), Name: "read", Args: w.pick("{}", "", "null", `{"a":`, `{"path":"a"}`), Opaque: w.pick("", `{"function_call_item":"fc_1"}`)}
		calls = append(calls, c)
		m.Blocks = append(m.Blocks, c)
	}
	w.records = append(w.records, message.MessageRecord{Head: w.head(message.KindMessage), Message: m})
	for _, c := range calls {
		if w.rng.IntN(5) == 0 {
			continue // interrupted
		}
		r := message.ToolResult{CallID: c.ID, Text: w.pick("done", "", " ", "many\nlines"), IsError: w.rng.IntN(3) == 0}
		for range w.rng.IntN(3) {
			r.Images = append(r.Images, w.image())
		}
		w.records = append(w.records, message.ResultRecord{Head: w.head(message.KindResult), ToolResult: r})
	}
}

// Whatever a log holds, what is made of it must be taken by the strictest server of each protocol.
func TestEveryConversationIsTakenByEveryProtocol(t *testing.T) {
	quirky := providers.Quirks{IDStyle: providers.IDAlnum9, ReasoningEcho: true, NonNullContent: true, ToolResultName: true, AssistantAfterTool: true}
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	blobs := strict.NewBlobs(t)
	type protocol struct {
		rules   strict.Rules
		quirks  providers.Quirks
		connect func(providers.Route) providers.Provider
	}
	for name, p := range map[string]protocol{
		"chat": {strict.Rules{}, providers.Quirks{}, func(r providers.Route) providers.Provider { return chat.New(r, blobs, client) }},
		"chat, every quirk": {strict.Rules{NineCharIDs: true, RequireReasoningEcho: true, NonNullContent: true, RequireToolName: true, NoUserAfterTool: true}, quirky,
			func(r providers.Route) providers.Provider { return chat.New(r, blobs, client) }},
		"anthropic": {strict.Anthropic(), providers.Quirks{}, func(r providers.Route) providers.Provider { return anthropic.New(r, blobs, client) }},
		"anthropic, pictures apart": {strict.Rules{NoPicturesInResults: true, NoCacheControl: true}, providers.Quirks{ToolImagesAsUser: true, NoCacheControl: true},
			func(r providers.Route) providers.Provider { return anthropic.New(r, blobs, client) }},
		"responses": {strict.OpenAI(), providers.Quirks{}, func(r providers.Route) providers.Provider { return responses.New(r, blobs, client) }},
		"responses, text output": {strict.Rules{NoPicturesInResults: true}, providers.Quirks{ToolImagesAsUser: true},
			func(r providers.Route) providers.Provider { return responses.New(r, blobs, client) }},
	} {
		t.Run(name, func(t *testing.T) {
			server := strict.New(t, p.rules)
			route := providers.Route{Server: providers.Server{Name: "local", BaseURL: server.URL}, Model: providers.Model{ID: "strict-1", Quirks: p.quirks}}
			provider := p.connect(route)
			for seed := range uint64(60) {
				w := &logWriter{rng: rand.New(rand.NewPCG(seed, 1)), blobs: blobs}
				for range 1 + w.rng.IntN(6) {
					if w.rng.IntN(2) == 0 {
						w.user()
					} else {
						w.assistant()
					}
				}
				w.records = append(w.records, message.MessageRecord{Head: w.head(message.KindMessage), Message: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "go on"}}}})
				history := projection.NewHistory(w.records)
				request := projection.Build(projection.Select(history.Conversation(), route), route, projection.Fixed{System: []string{"You are espy."}})
				if _, err := provider.Stream(t.Context(), request, nil); err != nil {
					t.Fatalf("seed %d: %v\n%q\n%s", seed, err, server.Refusals(), server.Last().Raw[:min(3000, len(server.Last().Raw))])
				}
				if n := len(server.Requests()); n != int(seed)+1 {
					t.Fatalf("seed %d took more than one request: %q", seed, server.Refusals())
				}
			}
		})
	}
}
