package strict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkResponses holds the rules of Responses that the published schema does not state.
func checkResponses(c *checker) *refusal {
	if key := onlyKeys(c.body, "model input instructions tools stream store include reasoning max_output_tokens prompt_cache_key"); key != "" {
		return bad("Unknown parameter: '%s'.", key)
	}
	if c.body["store"] != false {
		return bad("store must be false: this test service keeps nothing")
	}
	if len(list(c.body["include"])) > 0 && c.rules.NoEncrypted {
		return bad("Encrypted content is not supported with this model.")
	}
	if tools, sent := c.body["tools"]; sent && len(list(tools)) == 0 {
		return bad("Invalid 'tools': empty array.")
	}
	return c.responseItems(list(c.body["input"]))
}

func (c *checker) responseItems(items []any) *refusal {
	pending := map[string]bool{}
	if len(items) == 0 {
		return bad("Invalid 'input': empty array.")
	}
	for i, raw := range items {
		item := object(raw)
		var refused *refusal
		switch item["type"] {
		case "message":
			refused = c.responseMessage(i, item, pending)
		case "reasoning":
			refused = responseReasoning(i, item, items)
		case "function_call":
			refused = c.responseCall(i, item, pending)
		case "function_call_output":
			refused = c.responseOutput(i, item, pending)
		default:
			refused = bad("Invalid value: '%v'. (input[%d])", item["type"], i)
		}
		if refused != nil {
			return refused
		}
	}
	for id := range pending {
		return bad("No tool output found for function call %s.", id)
	}
	return nil
}

func (c *checker) responseMessage(i int, item map[string]any, pending map[string]bool) *refusal {
	if item["role"] == "assistant" {
		if id, sent := item["id"]; sent && !strings.HasPrefix(text(id), "msg_") {
			return bad("Invalid 'input[%d].id': '%v'. Expected an ID that begins with 'msg'.", i, id)
		}
		for j, raw := range list(item["content"]) {
			if part := object(raw); part["type"] != "output_text" || blank(part["text"]) {
				return bad("Invalid value: '%v'. Supported values are: 'output_text' and 'refusal'. (input[%d].content[%d])", part["type"], i, j)
			}
		}
		return nil
	}
	for id := range pending {
		return bad("No tool output found for function call %s.", id)
	}
	for j, raw := range list(item["content"]) {
		part := object(raw)
		if part["type"] != "input_image" && (part["type"] != "input_text" || text(part["text"]) == "") {
			return bad("Invalid value: '%v'. (input[%d].content[%d])", part["type"], i, j)
		}
	}
	return nil
}

func responseReasoning(i int, item map[string]any, items []any) *refusal {
	id := text(item["id"])
	if !strings.HasPrefix(id, "rs_") || text(item["encrypted_content"]) == "" {
		return &refusal{status: 404, kind: "invalid_request_error", message: fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false.", id)}
	}
	if i+1 < len(items) {
		switch next := object(items[i+1]); {
		case next["type"] == "reasoning", next["type"] == "function_call", next["role"] == "assistant":
			return nil
		}
	}
	return bad("Item '%s' of type 'reasoning' was provided without its required following item.", id)
}

func (c *checker) responseCall(i int, item map[string]any, pending map[string]bool) *refusal {
	id := text(item["call_id"])
	var args map[string]any
	switch {
	case item["id"] != nil && !strings.HasPrefix(text(item["id"]), "fc_"):
		return bad("Invalid 'input[%d].id': '%v'. Expected an ID that begins with 'fc'.", i, item["id"])
	case badID(c.rules, id, 64) || pending[id]:
		return bad("Invalid 'input[%d].call_id': '%s'.", i, id)
	case !matches(`^[a-zA-Z0-9_-]{1,64}$`, text(item["name"])):
		return bad("Invalid 'input[%d].name'.", i)
	case json.Unmarshal([]byte(text(item["arguments"])), &args) != nil || args == nil:
		return bad("Invalid 'input[%d].arguments': not a JSON object.", i)
	}
	pending[id] = true
	return nil
}

func (c *checker) responseOutput(i int, item map[string]any, pending map[string]bool) *refusal {
	id := text(item["call_id"])
	if !pending[id] {
		return bad("No tool call found for function call output with call_id %s.", id)
	}
	delete(pending, id)
	parts, isList := item["output"].([]any)
	if isList && c.rules.NoPicturesInResults {
		return bad("Invalid type for 'input[%d].output': expected a string, but got an array instead.", i)
	}
	if !isList && c.rules.PicturesStayInResults {
		return bad("the pictures of 'input[%d].output' were expected in it", i)
	}
	for j, raw := range parts {
		if part := object(raw); part["type"] == "input_text" && text(part["text"]) == "" {
			return bad("input[%d].output[%d]: empty text", i, j)
		}
	}
	return nil
}

// responseStream writes the events of a Responses stream with their numbers.
type responseStream struct {
	b     strings.Builder
	seq   int
	index int
	items []obj
}

func (s *responseStream) event(name string, data obj) {
	data["type"], data["sequence_number"] = name, s.seq
	s.seq++
	event(&s.b, name, data)
}

func (s *responseStream) begin(item obj) {
	s.event("response.output_item.added", obj{"output_index": s.index, "item": item})
}

func (s *responseStream) done(item obj) {
	s.event("response.output_item.done", obj{"output_index": s.index, "item": item})
	s.items = append(s.items, item)
	s.index++
}

func (t Turn) response(status string, output []obj) obj {
	r := obj{"id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": nil, "incomplete_details": nil, "instructions": nil,
		"model": "strict-1", "tools": []any{}, "output": output, "parallel_tool_calls": true, "metadata": obj{}, "tool_choice": "auto", "temperature": 1, "top_p": 1}
	if status == "completed" || status == "incomplete" {
		r["usage"] = obj{"input_tokens": t.input(), "input_tokens_details": obj{"cached_tokens": t.Cached, "cache_write_tokens": 0},
			"output_tokens": 20, "output_tokens_details": obj{"reasoning_tokens": 0}, "total_tokens": t.input() + 20}
	}
	return r
}

// Responses renders the turn as a Responses stream. Signature is the encrypted reasoning; Finish the reason an
// answer is incomplete.
func (t Turn) Responses() string {
	s := &responseStream{}
	s.event("response.created", obj{"response": t.response("in_progress", []obj{})})
	s.event("response.in_progress", obj{"response": t.response("in_progress", []obj{})})
	if t.Thinking != "" || t.Signature != "" {
		t.reasoning(s)
	}
	if t.Text != "" {
		t.message(s)
	}
	for i, c := range t.Calls {
		id := fmt.Sprintf("fc_%d", i+1)
		item := func(args, status string) obj {
			return obj{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": args, "status": status}
		}
		s.begin(item("", "in_progress"))
		for _, p := range pieces(c.Args) {
			s.event("response.function_call_arguments.delta", obj{"item_id": id, "output_index": s.index, "delta": p})
		}
		s.event("response.function_call_arguments.done", obj{"item_id": id, "output_index": s.index, "name": c.Name, "arguments": c.Args})
		s.done(item(c.Args, "completed"))
	}
	if t.Finish == "" {
		s.event("response.completed", obj{"response": t.response("completed", s.items)})
		return s.b.String()
	}
	last := t.response("incomplete", s.items)
	last["incomplete_details"] = obj{"reason": t.Finish}
	s.event("response.incomplete", obj{"response": last})
	return s.b.String()
}

func (t Turn) reasoning(s *responseStream) {
	item := func(summary []obj, encrypted string) obj {
		return obj{"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": encrypted}
	}
	s.begin(item([]obj{}, ""))
	summary := []obj{}
	if t.Thinking != "" {
		s.event("response.reasoning_summary_part.added", obj{"item_id": "rs_1", "output_index": s.index, "summary_index": 0, "part": obj{"type": "summary_text", "text": ""}})
		for _, p := range pieces(t.Thinking) {
			s.event("response.reasoning_summary_text.delta", obj{"item_id": "rs_1", "output_index": s.index, "summary_index": 0, "delta": p})
		}
		summary = append(summary, obj{"type": "summary_text", "text": t.Thinking})
	}
	s.done(item(summary, t.Signature))
}

func (t Turn) message(s *responseStream) {
	item := func(content []obj, status string) obj {
		return obj{"type": "message", "id": "msg_1", "role": "assistant", "status": status, "phase": "commentary", "content": content}
	}
	part := func(text string) obj {
		return obj{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	}
	s.begin(item([]obj{}, "in_progress"))
	s.event("response.content_part.added", obj{"item_id": "msg_1", "output_index": s.index, "content_index": 0, "part": part("")})
	for _, p := range pieces(t.Text) {
		s.event("response.output_text.delta", obj{"item_id": "msg_1", "output_index": s.index, "content_index": 0, "delta": p, "logprobs": []any{}})
	}
	s.event("response.output_text.done", obj{"item_id": "msg_1", "output_index": s.index, "content_index": 0, "text": t.Text, "logprobs": []any{}})
	s.done(item([]obj{part(t.Text)}, "completed"))
}
