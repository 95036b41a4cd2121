package strict

import (
	"fmt"
	"strings"
)

// checkMessages holds the rules of Anthropic Messages. There is no published schema, so the shapes are here too.
func checkMessages(c *checker) *refusal {
	if key := onlyKeys(c.body, "model max_tokens messages system tools stream thinking output_config"); key != "" {
		return bad("%s: Extra inputs are not permitted", key)
	}
	if n, ok := c.body["max_tokens"].(float64); !ok || n < 1 {
		return bad("max_tokens: Field required")
	}
	if refused := c.thinkingField(); refused != nil {
		return refused
	}
	if refused := c.cachePoints(); refused != nil {
		return refused
	}
	for i, s := range list(c.body["system"]) {
		if refused := checkText(fmt.Sprintf("system.%d", i), object(s)); refused != nil {
			return refused
		}
	}
	tools, sent := c.body["tools"]
	if sent && len(list(tools)) == 0 {
		return bad("tools: empty list")
	}
	for i, raw := range list(tools) {
		tool := object(raw)
		if key := onlyKeys(tool, "name description input_schema cache_control"); key != "" {
			return bad("tools.%d.custom.%s: Extra inputs are not permitted", i, key)
		}
		if !matches(`^[a-zA-Z0-9_-]{1,64}$`, text(tool["name"])) || text(object(tool["input_schema"])["type"]) != "object" {
			return bad("tools.%d.custom.input_schema.type: Field required", i)
		}
	}
	return c.conversation(list(c.body["messages"]))
}

func (c *checker) thinkingField() *refusal {
	thinking := object(c.body["thinking"])
	budget, _ := thinking["budget_tokens"].(float64)
	most, _ := c.body["max_tokens"].(float64)
	if style := c.rules.EffortStyle; style == "adaptive" && thinking["type"] != "adaptive" {
		return bad("thinking.type: this model takes adaptive thinking only")
	}
	switch thinking["type"] {
	case nil, "disabled", "adaptive":
	case "enabled":
		if budget < 1024 || budget >= most {
			return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024 and less than max_tokens")
		}
	default:
		return bad("thinking.type: unknown")
	}
	return nil
}

// cachePoints counts them over the whole body and refuses them where they may not stand.
func (c *checker) cachePoints() *refusal {
	points := 0
	var walk func(v any) *refusal
	walk = func(v any) *refusal {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				if refused := walk(item); refused != nil {
					return refused
				}
			}
		case map[string]any:
			if _, marked := v["cache_control"]; marked {
				points++
				if c.rules.NoCacheControl {
					return bad("cache_control: Extra inputs are not permitted")
				}
				if kind := text(v["type"]); strings.Contains(kind, "thinking") {
					return bad("%s: cache_control cannot be set on thinking blocks", kind)
				}
			}
			for _, item := range v {
				if refused := walk(item); refused != nil {
					return refused
				}
			}
		}
		return nil
	}
	if refused := walk(c.body); refused != nil {
		return refused
	}
	if points > 4 {
		return bad("A maximum of 4 blocks with cache_control may be provided. Found %d.", points)
	}
	return nil
}

func checkText(place string, block map[string]any) *refusal {
	if key := onlyKeys(block, "type text cache_control"); key != "" {
		return bad("%s.text.%s: Extra inputs are not permitted", place, key)
	}
	if text(block["text"]) == "" {
		return bad("%s: text content blocks must be non-empty", place)
	}
	if blank(block["text"]) {
		return bad("%s: text content blocks must contain non-whitespace text", place)
	}
	return nil
}

func (c *checker) conversation(messages []any) *refusal {
	if len(messages) == 0 {
		return bad("messages: at least one message is required")
	}
	pending, seen := map[string]bool{}, map[string]bool{}
	previous := "assistant"
	for i, m := range messages {
		message := object(m)
		role := text(message["role"])
		if role == previous || role != "user" && role != "assistant" {
			return bad("messages.%d: roles must alternate between \"user\" and \"assistant\", starting with user", i)
		}
		previous = role
		content := list(message["content"])
		if len(content) == 0 {
			return bad("messages.%d: all messages must have non-empty content", i)
		}
		var refused *refusal
		if role == "user" {
			refused = c.userContent(i, content, pending)
		} else {
			refused = c.assistantContent(i, content, pending, seen)
		}
		if refused != nil {
			return refused
		}
	}
	if previous != "user" {
		return bad("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

func (c *checker) assistantContent(i int, content []any, pending, seen map[string]bool) *refusal {
	for j, raw := range content {
		block, place := object(raw), fmt.Sprintf("messages.%d.content.%d", i, j)
		switch block["type"] {
		case "text":
			if refused := checkText(place, block); refused != nil {
				return refused
			}
		case "thinking":
			if _, ok := block["thinking"].(string); !ok || text(block["signature"]) == "" {
				return bad("%s.thinking.signature: Field required", place)
			}
		case "redacted_thinking":
			if text(block["data"]) == "" {
				return bad("%s.redacted_thinking.data: Field required", place)
			}
		case "tool_use":
			id := text(block["id"])
			if badID(c.rules, id, 1000) {
				return bad("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", place)
			}
			if seen[id] {
				return bad("%s: `tool_use` ids must be unique", place)
			}
			if object(block["input"]) == nil {
				return bad("%s.tool_use.input: Input should be a valid dictionary", place)
			}
			pending[id], seen[id] = true, true
		default:
			return bad("%s: Input tag '%v' is not allowed in an assistant message", place, block["type"])
		}
	}
	return nil
}

func (c *checker) userContent(i int, content []any, pending map[string]bool) *refusal {
	other := false
	for j, raw := range content {
		block, place := object(raw), fmt.Sprintf("messages.%d.content.%d", i, j)
		var refused *refusal
		switch block["type"] {
		case "tool_result":
			if other {
				return bad("%s: tool_result blocks must come first", place)
			}
			refused = c.toolResult(place, block, pending)
		case "text":
			other, refused = true, checkText(place, block)
		case "image":
			other = true
		default:
			return bad("%s: Input tag '%v' is not allowed in a user message", place, block["type"])
		}
		if refused != nil {
			return refused
		}
	}
	if len(pending) > 0 {
		return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
	}
	return nil
}

func (c *checker) toolResult(place string, block map[string]any, pending map[string]bool) *refusal {
	id := text(block["tool_use_id"])
	if !pending[id] {
		return bad("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s", place, id)
	}
	delete(pending, id)
	for k, raw := range list(block["content"]) {
		inner := object(raw)
		switch inner["type"] {
		case "text":
			if refused := checkText(fmt.Sprintf("%s.content.%d", place, k), inner); refused != nil {
				return refused
			}
		case "image":
			if block["is_error"] == true {
				return bad("%s.tool_result: all content must be type \"text\" if \"is_error\" is true", place)
			}
			if c.rules.NoPicturesInResults {
				return bad("image content in tool results is not taken by this server")
			}
		default:
			return bad("%s.content.%d: unknown type", place, k)
		}
	}
	return nil
}
