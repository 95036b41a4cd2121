package strict_test

import (
	"fmt"
	"strings"
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

// tale is a log being written by hand.
type tale struct {
	*projection.History
	blobs *strict.Blobs
	n     int
}

func (s *tale) head(kind message.Kind) message.Head {
	s.n++
	return message.NewHead(kind, fmt.Sprintf("%04d", s.n), s.Head(), time.Unix(0, 0))
}

// image is a picture of its own size, so that an outline tells which is which.
func (s *tale) image(w int) message.Image { return s.blobs.Picture("png", w, 40) }

func (s *tale) user(blocks ...message.Block) {
	s.Append(message.MessageRecord{Head: s.head(message.KindMessage), Message: message.Message{Role: message.RoleUser, Blocks: blocks}})
}

// by writes an assistant's message; from is "provider/model".
func (s *tale) by(from string, blocks ...message.Block) {
	provider, model, _ := strings.Cut(from, "/")
	s.Append(message.MessageRecord{Head: s.head(message.KindMessage), Message: message.Message{Role: message.RoleAssistant, Provider: provider, Model: model, Blocks: blocks}})
}

func (s *tale) result(call string, isError bool, images ...message.Image) {
	s.Append(message.ResultRecord{Head: s.head(message.KindResult), ToolResult: message.ToolResult{CallID: call, Text: "result of " + call, IsError: isError, Images: images}})
}

func words(s string) message.Text { return message.Text{Text: s} }

func look(id string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "read_media", Args: `{"path":"a.png"}`}
}

// pair is a question about two files whose answers bring these pictures.
func (s *tale) pair(first, second []message.Image, firstFails bool) {
	s.user(words("compare a.png and b.png"))
	s.by("local/strict-1", look("call_1"), look("call_2"))
	s.result("call_1", firstFails, first...)
	s.result("call_2", false, second...)
}

// conversations is the table. Each outline is what the facts about the protocol say must go out: text as t, a
// picture by its width, reasoning as r, a call as c, a result as =, its parts in brackets.
var conversations = []struct {
	name  string
	write func(s *tale)
	want  map[string]string
}{
	{"no picture", func(s *tale) { s.user(words("hello")) }, map[string]string{
		"chat": "system(t) user(t)", "anthropic": "user(t)", "responses": "user(t)"}},
	{"one picture", func(s *tale) { s.user(s.image(51), words("what is this?")) }, map[string]string{
		"chat": "system(t) user(t 51 t)", "anthropic": "user(t 51 t)", "responses": "user(t 51 t)"}},
	{"many pictures", func(s *tale) { s.user(s.image(51), s.image(52), s.image(53), words("which differs?")) }, map[string]string{
		"chat": "system(t) user(t 51 t 52 t 53 t)", "anthropic": "user(t 51 t 52 t 53 t)", "responses": "user(t 51 t 52 t 53 t)"}},
	{"a picture and no words", func(s *tale) { s.user(s.image(51)) }, map[string]string{
		"chat": "system(t) user(t 51)", "anthropic": "user(t 51)", "responses": "user(t 51)"}},
	{"a picture in the first of two results", func(s *tale) { s.pair([]message.Image{s.image(51)}, nil, false) }, map[string]string{
		"chat":      "system(t) user(t) assistant(c c) tool(t) tool(t) user(t 51)",
		"anthropic": "user(t) assistant(c c) user(=[t t 51] =[t])",
		"responses": "user(t) call call output[t t 51] output[t]"}},
	{"a picture in the second of two results", func(s *tale) { s.pair(nil, []message.Image{s.image(52)}, false) }, map[string]string{
		"chat":      "system(t) user(t) assistant(c c) tool(t) tool(t) user(t 52)",
		"anthropic": "user(t) assistant(c c) user(=[t] =[t t 52])",
		"responses": "user(t) call call output[t] output[t t 52]"}},
	{"pictures in both results", func(s *tale) { s.pair([]message.Image{s.image(51)}, []message.Image{s.image(52), s.image(53)}, false) }, map[string]string{
		"chat":      "system(t) user(t) assistant(c c) tool(t) tool(t) user(t 51 t 52 t 53)",
		"anthropic": "user(t) assistant(c c) user(=[t t 51] =[t t 52 t 53])",
		"responses": "user(t) call call output[t t 51] output[t t 52 t 53]"}},
	{"an error result with a picture", func(s *tale) { s.pair([]message.Image{s.image(51)}, []message.Image{s.image(52)}, true) }, map[string]string{
		"chat":      "system(t) user(t) assistant(c c) tool(t) tool(t) user(t 51 t 52)",
		"anthropic": "user(t) assistant(c c) user(=error[t] =[t t 52] t 51)",
		"responses": "user(t) call call output[t t 51] output[t t 52]"}},
	{"an interrupted call", func(s *tale) {
		s.user(words("look"))
		s.by("local/strict-1", words("I look."), look("call_1"), look("call_2"))
		s.result("call_1", false, s.image(51))
		s.user(words("never mind"))
	}, map[string]string{
		"chat":      "system(t) user(t) assistant(t c c) tool(t) tool(t) user(t 51 t)",
		"anthropic": "user(t) assistant(t c c) user(=[t t 51] =error[t] t)",
		"responses": "user(t) assistant(t) call call output[t t 51] output[t] user(t)"}},
	{"pictures in results and the person's next picture", func(s *tale) {
		s.pair([]message.Image{s.image(51)}, nil, false)
		s.by("local/strict-1", words("they differ"))
		s.user(s.image(54), words("and this one?"))
	}, map[string]string{
		"chat":      "system(t) user(t) assistant(c c) tool(t) tool(t) user(t 51) assistant(t) user(t 54 t)",
		"anthropic": "user(t) assistant(c c) user(=[t t 51] =[t]) assistant(t) user(t 54 t)",
		"responses": "user(t) call call output[t t 51] output[t] assistant(t) user(t 54 t)"}},
	{"its own reasoning is replayed", func(s *tale) {
		s.user(words("think"))
		s.by("local/strict-1", message.Thinking{Text: "hm", Opaque: `{"signature":"sig"}`},
			message.Thinking{Opaque: `{"redacted_thinking":"data"}`},
			message.Thinking{Opaque: `{"reasoning_item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}`},
			words("yes"), look("call_1"))
		s.result("call_1", false, s.image(51))
	}, map[string]string{
		"chat":      "system(t) user(t) assistant(t c) tool(t) user(t 51)",
		"anthropic": "user(t) assistant(r r t c) user(=[t t 51])",
		"responses": "user(t) reasoning assistant(t) call output[t t 51]"}},
	{"another model's reasoning and ids are not", func(s *tale) {
		s.user(words("think"))
		s.by("other/m", message.Thinking{Text: "hm", Opaque: `{"signature":"sig"}`},
			message.Thinking{Opaque: `{"reasoning_item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}`},
			message.Text{Text: "yes", Opaque: `{"responses_message":{"id":"msg_1"}}`},
			message.ToolCall{ID: "toolu|with|bars and a length that no service would ever take as an id of a call", Name: "read", Args: "{}", Opaque: `{"function_call_item":"fc_1"}`})
		s.result("toolu|with|bars and a length that no service would ever take as an id of a call", false, s.image(51))
	}, map[string]string{
		"chat":      "system(t) user(t) assistant(t c) tool(t) user(t 51)",
		"anthropic": "user(t) assistant(t c) user(=[t t 51])",
		"responses": "user(t) assistant(t) call output[t t 51]"}},
}

// adapters connect to a strict service, by protocol.
func adapters(blobs *strict.Blobs, client *providers.Client) map[string]func(providers.Route) providers.Provider {
	return map[string]func(providers.Route) providers.Provider{
		"chat":      func(r providers.Route) providers.Provider { return chat.New(r, blobs, client) },
		"anthropic": func(r providers.Route) providers.Provider { return anthropic.New(r, blobs, client) },
		"responses": func(r providers.Route) providers.Provider { return responses.New(r, blobs, client) },
	}
}

func vendorRules() map[string]strict.Rules {
	return map[string]strict.Rules{"chat": {NonNullContent: true}, "anthropic": strict.Anthropic(), "responses": strict.OpenAI()}
}

func TestEachConversationGoesOutAsItsProtocolWantsIt(t *testing.T) {
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	blobs := strict.NewBlobs(t)
	for protocol, connect := range adapters(blobs, client) {
		server := strict.New(t, vendorRules()[protocol])
		route := providers.Route{Server: providers.Server{Name: "local", Protocol: protocol, BaseURL: server.URL},
			Model: providers.Model{ID: "strict-1", Quirks: providers.Quirks{NonNullContent: true}}}
		provider := connect(route)
		for _, c := range conversations {
			t.Run(protocol+", "+c.name, func(t *testing.T) {
				s := &tale{History: projection.NewHistory(nil), blobs: blobs}
				c.write(s)
				request := projection.Build(projection.Select(s.Conversation(), route), route, projection.Fixed{System: []string{"You are espy."}, Tools: []providers.ToolSpec{{Name: "read_media", Description: "looks", Schema: `{"type":"object"}`}}, MaxTokens: 100})
				if _, err := provider.Stream(t.Context(), request, func(providers.Delta) {}); err != nil {
					t.Fatalf("refused: %v\n%s", err, server.Last().Raw)
				}
				if refusals := server.Refusals(); len(refusals) > 0 {
					t.Fatalf("the service refused before it took it: %q", refusals)
				}
				if got := outline(t, server.Last()); got != c.want[protocol] {
					t.Errorf("went out as  %s\nwant         %s\n%s", got, c.want[protocol], server.Last().Raw[:min(2000, len(server.Last().Raw))])
				}
			})
		}
	}
}

// A session goes through all three protocols, meets a blind model on the way and comes back: the pictures are in
// every request to a model that sees, and nothing of one model's private data reaches another.
func TestASessionMovesAcrossAllProtocolsAndItsPicturesComeBack(t *testing.T) {
	client := providers.NewClient(providers.Timeouts{})
	t.Cleanup(client.CloseIdle)
	blobs := strict.NewBlobs(t)
	type stop struct {
		server *strict.Server
		route  providers.Route
		with   providers.Provider
	}
	at := map[string]stop{}
	for protocol, connect := range adapters(blobs, client) {
		server := strict.New(t, vendorRules()[protocol])
		route := providers.Route{Server: providers.Server{Name: protocol, Protocol: protocol, BaseURL: server.URL}, Model: providers.Model{ID: "strict-1", Quirks: providers.Quirks{NonNullContent: true}}}
		at[protocol] = stop{server, route, connect(route)}
	}
	s := &tale{History: projection.NewHistory(nil), blobs: blobs}
	s.user(s.image(51), words("look"))
	for turn, name := range []string{"chat", "anthropic", "responses", "blind", "anthropic", "chat", "blind", "responses", "chat"} {
		here, blind := at[name], name == "blind"
		if blind {
			here = at["chat"]
			here.route.Model.ID, here.route.Model.ImageInput = "blind-1", providers.Unsupported
			here.with = adapters(blobs, client)["chat"](here.route)
		}
		here.server.SayTurn(strict.Turn{Thinking: "hm", Signature: "sig", Text: "I see.", Calls: []strict.Call{{ID: fmt.Sprintf("call_%d", turn), Name: "read_media", Args: `{"path":"b.png"}`}}})
		request := projection.Build(projection.Select(s.Conversation(), here.route), here.route, projection.Fixed{System: []string{"You are espy."}})
		answer, err := here.with.Stream(t.Context(), request, func(providers.Delta) {})
		if err != nil {
			t.Fatalf("turn %d on %s: %v\n%s", turn, name, err, here.server.Last().Raw)
		}
		body := string(here.server.Last().Raw)
		if pictures := len(widths(t, here.server.Last())); blind && pictures > 0 || !blind && pictures != turn+1 {
			t.Errorf("turn %d on %s: %d pictures went out", turn, name, pictures)
		}
		if blind != strings.Contains(body, "[withheld image: ") {
			t.Errorf("turn %d on %s: sentences about withheld pictures: %v", turn, name, !blind)
		}
		s.by(here.route.Name(), answer.Blocks...)
		for _, b := range answer.Blocks {
			if c, ok := b.(message.ToolCall); ok {
				s.result(c.ID, false, s.image(60+turn))
			}
		}
	}
	for name, stop := range at {
		if refused := stop.server.Refusals(); len(refused) > 0 {
			t.Errorf("%s refused: %q", name, refused)
		}
	}
}

// outline says in one line what a request carries.
func outline(t *testing.T, r strict.Request) string {
	t.Helper()
	var body struct {
		Messages []map[string]any `json:"messages"`
		Input    []map[string]any `json:"input"`
	}
	r.Decode(t, &body)
	var out []string
	for _, m := range append(body.Messages, body.Input...) {
		out = append(out, outlineItem(m))
	}
	return strings.Join(out, " ")
}

func outlineItem(m map[string]any) string {
	switch m["type"] {
	case "function_call":
		return "call"
	case "reasoning":
		return "reasoning"
	case "function_call_output":
		return "output[" + outlineParts(m["output"]) + "]"
	}
	parts := outlineParts(m["content"])
	if calls, ok := m["tool_calls"].([]any); ok {
		parts = strings.TrimSpace(parts + strings.Repeat(" c", len(calls)))
	}
	return fmt.Sprintf("%s(%s)", m["role"], parts)
}

func outlineParts(content any) string {
	if s, ok := content.(string); ok {
		if s == "" {
			return ""
		}
		return "t"
	}
	var out []string
	list, _ := content.([]any)
	for _, p := range list {
		part := p.(map[string]any)
		switch part["type"] {
		case "text", "input_text", "output_text":
			out = append(out, "t")
		case "thinking", "redacted_thinking":
			out = append(out, "r")
		case "tool_use":
			out = append(out, "c")
		case "tool_result":
			mark := "="
			if part["is_error"] == true {
				mark = "=error"
			}
			out = append(out, mark+"["+outlineParts(part["content"])+"]")
		default:
			out = append(out, fmt.Sprint(strict.WidthOf(part)))
		}
	}
	return strings.Join(out, " ")
}

// widths lists the widths of all pictures of a request.
func widths(t *testing.T, r strict.Request) (all []int) {
	t.Helper()
	var body any
	r.Decode(t, &body)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if w := strict.WidthOf(v); w > 0 {
				all = append(all, w)
				return
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(body)
	return all
}
