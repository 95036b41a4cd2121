package strict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkChat holds the rules of Chat Completions that the published schema does not state.
func checkChat(c *checker) *refusal {
	r := c.rules
	if key := onlyKeys(c.body, "model messages tools stream stream_options max_tokens max_completion_tokens prompt_cache_key "+effortFields(r.EffortStyle)); key != "" && !r.AllowExtras {
		return bad("Unrecognized request argument supplied: %s", key)
	}
	if field, _, _ := strings.Cut(effortFields(r.EffortStyle), " "); r.EffortStyle != "" && c.body[field] == nil {
		return bad("%s: Field required", field)
	}
	if strings.Contains(string(c.raw), `"additionalProperties"`) && r.NoAdditional {
		return bad("Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.")
	}
	if _, sent := c.body["stream_options"]; sent && r.NoStreamOptions {
		refused := bad("body.stream_options: Extra inputs are not permitted")
		refused.status = 422
		return refused
	}
	for _, field := range []string{"max_tokens", "max_completion_tokens"} {
		if _, sent := c.body[field]; sent && r.MaxTokensField != "" && field != r.MaxTokensField {
			return bad("Unsupported parameter: '%s' is not supported with this model. Use '%s' instead.", field, r.MaxTokensField)
		}
	}
	if c.rules.NoToolsWithEffort && len(list(c.body["tools"])) > 0 && c.body["reasoning_effort"] != "none" {
		return bad("Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.")
	}
	if tools, sent := c.body["tools"]; sent && len(list(tools)) == 0 {
		return bad("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	return c.chatMessages(list(c.body["messages"]))
}

// effortFields are the fields in which a server takes a reasoning effort, the one it must have first.
func effortFields(style string) string {
	switch style {
	case "reasoning.effort":
		return "reasoning"
	case "thinking":
		return "thinking reasoning_effort"
	case "enable_thinking":
		return "enable_thinking"
	}
	return "reasoning_effort"
}

func (c *checker) chatMessages(messages []any) *refusal {
	pending := map[string]bool{}
	previous := ""
	for i, m := range messages {
		message := object(m)
		role := text(message["role"])
		if len(pending) > 0 && role != "tool" {
			return bad("messages.[%d]: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", i)
		}
		var refused *refusal
		switch role {
		case "system", "developer":
			if i > 0 {
				refused = bad("System message must be at the beginning.")
			} else if c.rules.DeveloperRole && role == "system" {
				refused = bad("messages[0].role: 'system' is not supported with this model; use 'developer'")
			}
		case "user":
			refused = c.chatUser(i, message, previous)
		case "assistant":
			refused = c.chatAssistant(i, message, pending)
		case "tool":
			refused = c.chatTool(i, message, pending)
		}
		if refused != nil {
			return refused
		}
		previous = role
	}
	if len(pending) > 0 {
		return bad("An assistant message with 'tool_calls' must be followed by tool messages")
	}
	return nil
}

func (c *checker) chatUser(i int, m map[string]any, previous string) *refusal {
	switch {
	case previous == "user":
		return bad("messages[%d]: Conversation roles must alternate user/assistant/user/assistant", i)
	case previous == "tool" && c.rules.NoUserAfterTool:
		return bad("messages[%d]: Unexpected role 'user' after role 'tool'", i)
	}
	parts, isList := m["content"].([]any)
	if !isList {
		if blank(m["content"]) {
			return bad("messages[%d].content: empty text", i)
		}
		return nil
	}
	pictures := 0
	for j, p := range parts {
		part := object(p)
		if part["type"] == "image_url" {
			pictures++
		} else if blank(part["text"]) {
			return bad("messages[%d].content[%d]: empty text", i, j)
		}
	}
	if pictures == 0 {
		refused := bad("messages[%d].content: Input should be a valid string", i)
		refused.status = 422
		return refused
	}
	return nil
}

func (c *checker) chatAssistant(i int, m map[string]any, pending map[string]bool) *refusal {
	r := c.rules
	allowed := "role content tool_calls"
	if r.RequireReasoningEcho {
		allowed += " reasoning_content"
	}
	if key := onlyKeys(m, allowed); key != "" && !r.AllowExtras {
		return bad("messages.%d.assistant.%s: Extra inputs are not permitted", i, key)
	}
	if r.RequireReasoningEcho && text(m["reasoning_content"]) == "" {
		return bad("thinking is enabled but reasoning_content is missing in assistant tool call message at index %d", i)
	}
	calls := list(m["tool_calls"])
	if content, isText := m["content"].(string); !isText && (m["content"] != nil || r.NonNullContent) {
		return bad("messages[%d].content: null is not a valid string content", i)
	} else if content == "" && len(calls) == 0 {
		return bad("messages[%d]: Assistant message must have either content or tool_calls, but not none", i)
	}
	for j, raw := range calls {
		if refused := c.chatCall(fmt.Sprintf("messages[%d].tool_calls[%d]", i, j), object(raw), pending, j == 0); refused != nil {
			return refused
		}
	}
	return nil
}

func (c *checker) chatCall(place string, call map[string]any, pending map[string]bool, first bool) *refusal {
	id, function := text(call["id"]), object(call["function"])
	var args map[string]any
	switch {
	case badID(c.rules, id, 40):
		return bad("%s.id: Invalid id %q", place, id)
	case pending[id]:
		return bad("%s.id: Duplicate tool call id", place)
	case !matches(`^[a-zA-Z0-9_-]{1,64}$`, text(function["name"])):
		return bad("%s.function.name: string does not match pattern", place)
	case json.Unmarshal([]byte(text(function["arguments"])), &args) != nil || args == nil:
		return bad("%s.function.arguments: invalid JSON object", place)
	case c.rules.RequireExtra && first && text(object(object(call["extra_content"])["google"])["thought_signature"]) == "":
		return bad("Function call is missing a thought_signature in functionCall parts.")
	}
	pending[id] = true
	return nil
}

func (c *checker) chatTool(i int, m map[string]any, pending map[string]bool) *refusal {
	id := text(m["tool_call_id"])
	switch {
	case !pending[id]:
		return bad("messages with role 'tool' must be a response to a preceding message with 'tool_calls' (messages[%d])", i)
	case blank(m["content"]):
		return bad("Invalid 'messages' in payload: messages[%d].content must be a non-empty string", i)
	case c.rules.RequireToolName && text(m["name"]) == "":
		return bad("messages[%d].name: field required", i)
	}
	delete(pending, id)
	return nil
}
