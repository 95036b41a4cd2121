package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// defaultMaxTokens is the output bound where neither the request nor the model's row has one: the field is
// demanded, and every model still served takes this much.
const defaultMaxTokens = 8192

// maxCachePoints is how many cache points the service takes in one request.
const maxCachePoints = 4

// minBudget is the smallest thinking budget the service takes, in tokens.
const minBudget = 1024

// wireRequest is the body of a request. Sampling parameters are never sent: newer models refuse them.
type wireRequest struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Stream       bool          `json:"stream"`
	System       []wireBlock   `json:"system,omitempty"`
	Tools        []wireTool    `json:"tools,omitempty"`
	Messages     []wireMessage `json:"messages"`
	Thinking     *wireThinking `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type wireThinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type wireTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type wireMessage struct {
	Role    string      `json:"role"`
	Content []wireBlock `json:"content"`
}

// wireBlock is a block of any type; pointers and omitempty keep each to its own fields.
type wireBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	Source       *wireSource     `json:"source,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"`
	Signature    *string         `json:"signature,omitempty"`
	Data         string          `json:"data,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      []wireBlock     `json:"content,omitempty"`
	IsError      bool            `json:"is_error,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type wireSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type cacheControl struct {
	Type string `json:"type"`
}

func translate(model providers.Model, req providers.Request, known lesson, body *providers.Body) (wireRequest, error) {
	w := wireRequest{Model: model.ID, MaxTokens: outputBound(model, req), Stream: true}
	for _, s := range req.System {
		w.System = append(w.System, wireBlock{Type: "text", Text: s})
	}
	for _, t := range req.Tools {
		schema, err := providers.CleanSchema(t.Schema, model.Quirks.SchemaDialect)
		if err != nil {
			return w, &providers.Error{Class: providers.ClassBadRequest, Picture: -1, Message: fmt.Sprintf("the tool %s cannot be declared: %v", t.Name, err), Err: err}
		}
		w.Tools = append(w.Tools, wireTool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	c := &conversation{apart: model.Quirks.ToolImagesAsUser || known.picturesApart, body: body, ids: providers.NewCallIDs(model.Quirks.IDStyle)}
	for _, m := range req.Messages {
		c.add(m)
	}
	w.Messages = c.out
	if !known.noThinking {
		w.think(req.Effort, model.Quirks.ReasoningStyle)
	}
	if !model.Quirks.NoCacheControl && !known.noCacheControl {
		w.cachePoints(c.points)
	}
	return w, nil
}

func outputBound(model providers.Model, req providers.Request) int {
	switch {
	case req.MaxTokens > 0:
		return req.MaxTokens
	case model.MaxOutput > 0:
		return model.MaxOutput
	}
	return defaultMaxTokens
}

// think asks for an effort the way the model takes it. Nothing is sent unless one was chosen.
func (w *wireRequest) think(effort, style string) {
	switch {
	case effort == "":
	case effort == "none" || effort == "off" || effort == "disabled":
		w.Thinking = &wireThinking{Type: "disabled"}
	case style == "adaptive":
		// Newer models keep their reasoning to themselves unless a summary is asked for.
		w.Thinking = &wireThinking{Type: "adaptive", Display: "summarized"}
		w.OutputConfig = &outputConfig{effort}
	default:
		if budget := min(budgetOf(effort), w.MaxTokens-minBudget); budget >= minBudget {
			w.Thinking = &wireThinking{Type: "enabled", Budget: budget}
		}
	}
}

// budgetOf is the thinking budget, in tokens, that models without adaptive thinking get for an effort; each
// step doubles or more, and the largest stays under the smallest output bound of those models, 32,000.
func budgetOf(effort string) int {
	switch effort {
	case "minimal":
		return minBudget
	case "low":
		return 4096
	case "medium":
		return 10240
	}
	return 24576
}

// cachePoints marks the last tool, the last system block, and the newest of the messages that want a point.
func (w *wireRequest) cachePoints(wanted []place) {
	point := &cacheControl{"ephemeral"}
	left := maxCachePoints
	if n := len(w.Tools); n > 0 {
		w.Tools[n-1].CacheControl = point
		left--
	}
	if n := len(w.System); n > 0 {
		w.System[n-1].CacheControl = point
		left--
	}
	for i := len(wanted) - 1; i >= 0 && left > 0; i-- {
		w.Messages[wanted[i].message].Content[wanted[i].block].CacheControl = point
		left--
	}
}

// conversation gathers the messages of a request in the order the protocol wants them.
type conversation struct {
	apart  bool // pictures of tool results follow the results instead of standing in them
	body   *providers.Body
	ids    *providers.CallIDs
	out    []wireMessage
	points []place // where a cache point is wanted, oldest first
}

// place is a block by its indexes.
type place struct{ message, block int }

func (c *conversation) add(m providers.Message) {
	var blocks []wireBlock
	role := "user"
	switch m.Role {
	case message.RoleUser:
		blocks = c.user(m.Blocks)
	case message.RoleAssistant:
		role, blocks = "assistant", c.assistant(m.Blocks)
	case message.RoleTool:
		blocks = c.results(m.Results)
	}
	if len(blocks) == 0 {
		return
	}
	if n := len(c.out); n > 0 && c.out[n-1].Role == role {
		c.out[n-1].Content = append(c.out[n-1].Content, blocks...)
	} else {
		c.out = append(c.out, wireMessage{role, blocks})
	}
	if m.Cache {
		c.point()
	}
}

// point remembers the newest block that may carry a cache point. Reasoning may not.
func (c *conversation) point() {
	newest := len(c.out) - 1
	content := c.out[newest].Content
	for i := len(content) - 1; i >= 0; i-- {
		if content[i].Type != "thinking" && content[i].Type != "redacted_thinking" {
			c.points = append(c.points, place{newest, i})
			return
		}
	}
}

func (c *conversation) user(blocks []message.Block) []wireBlock {
	var out []wireBlock
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			out = appendText(out, b.Text)
		case message.Image:
			out = append(out, c.image(b))
		}
	}
	return out
}

// appendText leaves out what has no words: the service refuses blank text.
func appendText(out []wireBlock, text string) []wireBlock {
	if strings.TrimSpace(text) == "" {
		return out
	}
	return append(out, wireBlock{Type: "text", Text: text})
}

func (c *conversation) image(img message.Image) wireBlock {
	return wireBlock{Type: "image", Source: &wireSource{"base64", img.MediaType, c.body.Picture(img)}}
}

func (c *conversation) assistant(blocks []message.Block) []wireBlock {
	var out []wireBlock
	var calls []message.ToolCall
	for _, b := range blocks {
		if call, ok := b.(message.ToolCall); ok {
			calls = append(calls, call)
		}
	}
	ids := c.ids.Assistant(calls)
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			out = appendText(out, b.Text)
		case message.Thinking:
			if block, ok := replay(b); ok {
				out = append(out, block)
			}
		case message.ToolCall:
			out = append(out, wireBlock{Type: "tool_use", ID: ids[0], Name: b.Name, Input: providers.Arguments(b.Args)})
			ids = ids[1:]
		}
	}
	return out
}

// results writes all results of a turn, then the pictures that may not stand in them: those of failed calls,
// because a result marked is_error takes only text, and all of them on servers that take none there.
func (c *conversation) results(results []providers.Result) []wireBlock {
	var out, after []wireBlock
	for _, r := range results {
		block := wireBlock{Type: "tool_result", ToolUseID: c.ids.Result(r.CallID), IsError: r.IsError, Content: appendText(nil, r.Text)}
		var pictures []wireBlock
		for _, p := range r.Pictures {
			pictures = append(appendText(pictures, p.Intro), c.image(p.Image))
		}
		if r.IsError || c.apart {
			after = append(after, pictures...)
		} else {
			block.Content = append(block.Content, pictures...)
		}
		out = append(out, block)
	}
	return append(out, after...)
}
