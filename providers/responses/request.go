package responses

import (
	"encoding/json"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// minOutputTokens is the smallest output bound the service takes.
const minOutputTokens = 16

// wireRequest is the body of a request. Sampling parameters are never sent: reasoning models refuse them.
type wireRequest struct {
	Model           string         `json:"model"`
	Stream          bool           `json:"stream"`
	Store           bool           `json:"store"`
	Include         []string       `json:"include,omitempty"`
	Instructions    string         `json:"instructions,omitempty"`
	Input           []any          `json:"input"`
	Tools           []wireTool     `json:"tools,omitempty"`
	Reasoning       *wireReasoning `json:"reasoning,omitempty"`
	MaxOutputTokens int            `json:"max_output_tokens,omitempty"`
	PromptCacheKey  string         `json:"prompt_cache_key,omitempty"`
}

type wireReasoning struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary,omitempty"`
}

// wireTool declares strict false in so many words: left out, the service rewrites the schema to its strict kind.
type wireTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// wireMessage is a message of either side. Content is a list of parts, or a string for an assistant's text
// that another service made.
type wireMessage struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	ID      string `json:"id,omitempty"`
	Status  string `json:"status,omitempty"`
	Phase   string `json:"phase,omitempty"`
	Content any    `json:"content"`
}

type wirePart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

// outputPart is an assistant's text as the service returned it; the empty lists are demanded.
type outputPart struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
	Logprobs    []any  `json:"logprobs"`
}

type wireCall struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// wireOutput answers a call. Output is a string, or a list of parts where there are pictures.
type wireOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"`
}

func translate(model providers.Model, req providers.Request, known lesson, body *providers.Body) (wireRequest, error) {
	w := wireRequest{Model: model.ID, Stream: true, Instructions: strings.Join(req.System, "\n\n")}
	if model.Thinking != providers.Unsupported && !known.noInclude {
		w.Include = []string{"reasoning.encrypted_content"}
	}
	if !known.noCacheKey {
		w.PromptCacheKey = req.CacheKey
	}
	if req.MaxTokens > 0 {
		w.MaxOutputTokens = max(req.MaxTokens, minOutputTokens)
	}
	if req.Effort != "" && !known.noEffort {
		w.Reasoning = &wireReasoning{Effort: req.Effort}
		if req.Effort != "none" && !known.noSummary {
			w.Reasoning.Summary = "auto"
		}
	}
	for _, t := range req.Tools {
		schema, err := providers.CleanSchema(t.Schema, model.Quirks.SchemaDialect)
		if err != nil {
			return w, &providers.Error{Class: providers.ClassBadRequest, Picture: -1, Message: fmt.Sprintf("the tool %s cannot be declared: %v", t.Name, err), Err: err}
		}
		w.Tools = append(w.Tools, wireTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schema})
	}
	c := &conversation{
		apart: model.Quirks.ToolImagesAsUser || known.textOutput, detail: model.Quirks.ImageDetail, body: body,
		ids: providers.NewCallIDs(model.Quirks.IDStyle),
	}
	for _, m := range req.Messages {
		c.add(m)
	}
	c.flushUser()
	w.Input = c.out
	return w, nil
}

// conversation gathers the items of a request in order.
type conversation struct {
	apart  bool // pictures of tool results follow the results instead of standing in them
	detail string
	body   *providers.Body
	ids    *providers.CallIDs
	out    []any
	user   []wirePart // of the user message that is being gathered
}

func (c *conversation) add(m providers.Message) {
	switch m.Role {
	case message.RoleUser:
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case message.Text:
				c.user = appendText(c.user, b.Text)
			case message.Image:
				c.user = append(c.user, c.image(b))
			}
		}
	case message.RoleAssistant:
		c.flushUser()
		c.assistant(m.Blocks)
	case message.RoleTool:
		c.flushUser()
		c.results(m.Results)
	}
}

func appendText(parts []wirePart, text string) []wirePart {
	if text == "" {
		return parts
	}
	return append(parts, wirePart{Type: "input_text", Text: text})
}

// image says a detail always: the published schema demands one, and "auto" is what leaving it out means.
func (c *conversation) image(img message.Image) wirePart {
	detail := c.detail
	if detail == "" {
		detail = "auto"
	}
	return wirePart{Type: "input_image", ImageURL: c.body.DataURL(img), Detail: detail}
}

func (c *conversation) flushUser() {
	if len(c.user) > 0 {
		c.out = append(c.out, wireMessage{Type: "message", Role: "user", Content: c.user})
		c.user = nil
	}
}

// assistant writes the items of one answer in the order they were made. Reasoning that nothing follows is left
// out: the service refuses it without the item it led to.
func (c *conversation) assistant(blocks []message.Block) {
	var calls []message.ToolCall
	for _, b := range blocks {
		if call, ok := b.(message.ToolCall); ok {
			calls = append(calls, call)
		}
	}
	ids := c.ids.Assistant(calls)
	var reasoning []any
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Thinking:
			if item := opaqueOf(b.Opaque).reasoning(); item != nil {
				reasoning = append(reasoning, item)
			}
			continue
		case message.Text:
			if b.Text == "" {
				continue
			}
			c.out = append(append(c.out, reasoning...), assistantText(b))
		case message.ToolCall:
			call := wireCall{Type: "function_call", ID: opaqueOf(b.Opaque).CallItem, CallID: ids[0], Name: b.Name, Arguments: string(providers.Arguments(b.Args))}
			ids = ids[1:]
			c.out = append(append(c.out, reasoning...), call)
		}
		reasoning = nil
	}
}

func assistantText(t message.Text) wireMessage {
	m := wireMessage{Type: "message", Role: "assistant", Content: t.Text}
	if o := opaqueOf(t.Opaque); o.Message != nil && o.Message.ID != "" {
		m.ID, m.Phase, m.Status = o.Message.ID, o.Message.Phase, "completed"
		m.Content = []outputPart{{Type: "output_text", Text: t.Text, Annotations: []any{}, Logprobs: []any{}}}
	}
	return m
}

func (c *conversation) results(results []providers.Result) {
	for _, r := range results {
		var pictures []wirePart
		for _, p := range r.Pictures {
			pictures = append(appendText(pictures, p.Intro), c.image(p.Image))
		}
		item := wireOutput{Type: "function_call_output", CallID: c.ids.Result(r.CallID), Output: r.Text}
		if len(pictures) > 0 && c.apart {
			c.user = append(c.user, pictures...)
		} else if len(pictures) > 0 {
			item.Output = append(appendText(nil, r.Text), pictures...)
		}
		c.out = append(c.out, item)
	}
}
