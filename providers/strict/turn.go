package strict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Turn is what a model says, in no protocol. It is rendered in small pieces, as services stream it.
type Turn struct {
	Thinking  string
	Signature string // of the thinking
	Text      string
	Calls     []Call
	Finish    string // the protocol's own word; "" is the fitting one
	Input     int    // tokens; 0 is 100
	Cached    int
}

// Call is a tool call of a Turn.
type Call struct{ ID, Name, Args string }

func (t Turn) input() int {
	if t.Input == 0 {
		return 100
	}
	return t.Input
}

// pieces cuts text as a service would stream it.
func pieces(s string) []string {
	const size = 7 // runes: small, and no divisor of anything
	var out []string
	for runes := []rune(s); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

func event(b *strings.Builder, name string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // a test's own value
	}
	if name != "" {
		fmt.Fprintf(b, "event: %s\n", name)
	}
	fmt.Fprintf(b, "data: %s\n\n", raw)
}

type obj = map[string]any

// Chat renders the turn as a Chat Completions stream.
func (t Turn) Chat() string {
	var b strings.Builder
	chunk := func(delta obj, finish any) {
		event(&b, "", obj{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "strict-1",
			"choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}})
	}
	chunk(obj{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Thinking) {
		chunk(obj{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(t.Text) {
		chunk(obj{"content": p}, nil)
	}
	for i, c := range t.Calls {
		chunk(obj{"tool_calls": []obj{{"index": i, "id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Args) {
			chunk(obj{"tool_calls": []obj{{"index": i, "function": obj{"arguments": p}}}}, nil)
		}
	}
	finish := t.Finish
	if finish == "" {
		if finish = "stop"; len(t.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	chunk(obj{}, finish)
	event(&b, "", obj{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "strict-1", "choices": []obj{},
		"usage": obj{"prompt_tokens": t.input(), "completion_tokens": 20, "total_tokens": t.input() + 20, "prompt_tokens_details": obj{"cached_tokens": t.Cached}}})
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// Messages renders the turn as an Anthropic Messages stream.
func (t Turn) Messages() string {
	var b strings.Builder
	event(&b, "message_start", obj{"type": "message_start", "message": obj{"id": "msg_1", "type": "message", "role": "assistant", "model": "strict-1",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": obj{"input_tokens": t.input() - t.Cached, "cache_read_input_tokens": t.Cached, "cache_creation_input_tokens": 0, "output_tokens": 1}}})
	event(&b, "ping", obj{"type": "ping"})
	index := 0
	block := func(start obj, deltas []obj) {
		event(&b, "content_block_start", obj{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			event(&b, "content_block_delta", obj{"type": "content_block_delta", "index": index, "delta": d})
		}
		event(&b, "content_block_stop", obj{"type": "content_block_stop", "index": index})
		index++
	}
	deltas := func(kind, field, s string) (out []obj) {
		for _, p := range pieces(s) {
			out = append(out, obj{"type": kind, field: p})
		}
		return out
	}
	if t.Thinking != "" || t.Signature != "" {
		block(obj{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", t.Thinking), obj{"type": "signature_delta", "signature": t.Signature}))
	}
	if t.Text != "" {
		block(obj{"type": "text", "text": ""}, deltas("text_delta", "text", t.Text))
	}
	for _, c := range t.Calls {
		block(obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": obj{}}, deltas("input_json_delta", "partial_json", c.Args))
	}
	finish := t.Finish
	if finish == "" {
		if finish = "end_turn"; len(t.Calls) > 0 {
			finish = "tool_use"
		}
	}
	event(&b, "message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": finish, "stop_sequence": nil}, "usage": obj{"output_tokens": 20}})
	event(&b, "message_stop", obj{"type": "message_stop"})
	return b.String()
}
