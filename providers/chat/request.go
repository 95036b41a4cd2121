package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// wireRequest is the body of a request. Sampling parameters, store, tool_choice and parallel_tool_calls are
// never sent: each is refused by some server, and the default is what is wanted.
type wireRequest struct {
	Model               string         `json:"model"`
	Messages            []wireMessage  `json:"messages"`
	Tools               []wireTool     `json:"tools,omitempty"` // an empty list is refused by OpenAI and vLLM
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	Reasoning           *effort        `json:"reasoning,omitempty"`
	Thinking            *switchType    `json:"thinking,omitempty"`
	EnableThinking      *bool          `json:"enable_thinking,omitempty"`
	PromptCacheKey      string         `json:"prompt_cache_key,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type effort struct {
	Effort string `json:"effort"`
}

type switchType struct {
	Type string `json:"type"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// wireMessage is one message. Content is a string, a list of wireParts, or nil for null.
type wireMessage struct {
	Role             string          `json:"role"`
	Name             string          `json:"name,omitempty"`
	Content          any             `json:"content"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []wireCall      `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
}

type wirePart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

type wireCall struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Function     wireInvocation  `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type wireInvocation struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// filler stands between tool messages and a user message for templates that refuse the two side by side.
const filler = "I have read the results."

// foreignSignature stands for a thought signature that Google's servers want and another provider's call lacks.
const foreignSignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

func translate(route providers.Route, req providers.Request, known lesson, body *providers.Body) (wireRequest, error) {
	q := route.Model.Quirks
	w := wireRequest{Model: route.Model.ID, Stream: true}
	if !q.NoStreamUsage && !known.noStreamOptions {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if strings.HasPrefix(route.Server.BaseURL, "https://api.openai.com/") {
		w.PromptCacheKey = req.CacheKey // other servers may refuse a field they do not know
	}
	w.bound(req.MaxTokens, q.MaxTokensField, known)
	w.think(req.Effort, q.ReasoningStyle, known)
	for _, t := range req.Tools {
		schema, err := providers.CleanSchema(t.Schema, q.SchemaDialect)
		if err != nil {
			return w, &providers.Error{Class: providers.ClassBadRequest, Picture: -1, Message: fmt.Sprintf("the tool %s cannot be declared: %v", t.Name, err), Err: err}
		}
		w.Tools = append(w.Tools, wireTool{"function", wireFunction{t.Name, t.Description, schema}})
	}
	w.Messages = translateMessages(q, req, known, body)
	return w, nil
}

func (w *wireRequest) bound(most int, field string, known lesson) {
	if known.maxTokensField != "" {
		field = known.maxTokensField
	}
	if field == "max_completion_tokens" {
		w.MaxCompletionTokens = most
	} else {
		w.MaxTokens = most
	}
}

// think asks for a reasoning effort the way the server spells it. Nothing is sent unless one was chosen.
func (w *wireRequest) think(chosen, style string, known lesson) {
	if known.effortNone {
		w.ReasoningEffort = "none"
		return
	}
	if chosen == "" || known.noEffort {
		return
	}
	off := chosen == "none" || chosen == "off" || chosen == "disabled"
	switch style {
	case "reasoning.effort":
		w.Reasoning = &effort{chosen}
	case "thinking":
		w.Thinking = &switchType{"enabled"}
		if off {
			w.Thinking.Type = "disabled"
		} else if chosen != "on" && chosen != "enabled" {
			w.ReasoningEffort = chosen
		}
	case "enable_thinking":
		on := !off
		w.EnableThinking = &on
	default:
		w.ReasoningEffort = chosen
	}
}

// conversation gathers the messages of a request in the order the protocol wants them.
type conversation struct {
	quirks providers.Quirks
	known  lesson
	body   *providers.Body
	ids    *providers.CallIDs
	out    []wireMessage
	user   []wirePart // of the user message that is being gathered; consecutive ones become one
}

func translateMessages(q providers.Quirks, req providers.Request, known lesson, body *providers.Body) []wireMessage {
	c := &conversation{quirks: q, known: known, body: body, ids: providers.NewCallIDs(q.IDStyle)}
	if len(req.System) > 0 {
		role := "system"
		if q.DeveloperRole {
			role = "developer"
		}
		c.out = append(c.out, wireMessage{Role: role, Content: strings.Join(req.System, "\n\n")})
	}
	for _, m := range req.Messages {
		switch m.Role {
		case message.RoleUser:
			c.addUser(m.Blocks)
		case message.RoleAssistant:
			c.addAssistant(m.Blocks)
		case message.RoleTool:
			c.addResults(m.Results)
		}
	}
	c.flushUser()
	return c.out
}

func (c *conversation) addUser(blocks []message.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			c.userText(b.Text)
		case message.Image:
			c.userImage(b)
		}
	}
}

func (c *conversation) userText(text string) {
	if text != "" {
		c.user = append(c.user, wirePart{Type: "text", Text: text})
	}
}

func (c *conversation) userImage(img message.Image) {
	part := wirePart{Type: "image_url", ImageURL: &wireImage{URL: c.body.DataURL(img)}}
	if !c.known.noDetail {
		part.ImageURL.Detail = c.quirks.ImageDetail
	}
	c.user = append(c.user, part)
}

// flushUser ends the user message that was gathered. Where there is only text it is a plain string: text-only
// models and many chat templates take nothing else.
func (c *conversation) flushUser() {
	if len(c.user) == 0 {
		return
	}
	if n := len(c.out); c.quirks.AssistantAfterTool && n > 0 && c.out[n-1].Role == "tool" {
		c.out = append(c.out, wireMessage{Role: "assistant", Content: filler, ReasoningContent: c.echo("")})
	}
	var texts []string
	for _, p := range c.user {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	m := wireMessage{Role: "user", Content: c.user}
	if len(texts) == len(c.user) {
		m.Content = strings.Join(texts, "\n\n")
	}
	c.out, c.user = append(c.out, m), nil
}

func (c *conversation) addAssistant(blocks []message.Block) {
	var text, thinking strings.Builder
	var details json.RawMessage
	var calls []message.ToolCall
	for _, b := range blocks {
		switch b := b.(type) {
		case message.Text:
			text.WriteString(b.Text)
		case message.Thinking:
			thinking.WriteString(b.Text)
			if d := detailsOf(b.Opaque); d != nil {
				details = d
			}
		case message.ToolCall:
			calls = append(calls, b)
		}
	}
	if text.Len() == 0 && len(calls) == 0 {
		return // servers refuse an assistant message that says nothing
	}
	c.flushUser()
	m := wireMessage{Role: "assistant", Content: text.String(), ReasoningDetails: details, ToolCalls: c.calls(calls)}
	if text.Len() == 0 && !c.quirks.NonNullContent && !c.known.nonNull {
		m.Content = nil
	}
	m.ReasoningContent = c.echo(thinking.String())
	c.out = append(c.out, m)
}

// echo is the reasoning as it goes back. Where the echo is demanded it is demanded of every assistant message
// and must not be empty; everywhere else the field itself is refused.
func (c *conversation) echo(thinking string) string {
	switch {
	case !c.quirks.ReasoningEcho:
		return ""
	case thinking == "":
		return " "
	}
	return thinking
}

func (c *conversation) calls(calls []message.ToolCall) []wireCall {
	ids := c.ids.Assistant(calls)
	out := make([]wireCall, len(calls))
	for i, call := range calls {
		out[i] = wireCall{ID: ids[i], Type: "function", Function: wireInvocation{call.Name, string(providers.Arguments(call.Args))}}
		if c.quirks.EchoExtra {
			out[i].ExtraContent = extraOf(call.Opaque)
		}
	}
	if c.quirks.EchoExtra && len(out) > 0 && out[0].ExtraContent == nil {
		out[0].ExtraContent = json.RawMessage(foreignSignature) // only the first of parallel calls is looked at
	}
	return out
}

// addResults writes one tool message a result, each a plain string, and puts the pictures of all of them into
// one user message after the last: no server takes anything between tool messages, and most take no picture in
// one.
func (c *conversation) addResults(results []providers.Result) {
	c.flushUser()
	for _, r := range results {
		m := wireMessage{Role: "tool", Content: r.Text, ToolCallID: c.ids.Result(r.CallID)}
		if c.quirks.ToolResultName {
			m.Name = r.Name
		}
		c.out = append(c.out, m)
	}
	for _, r := range results {
		for _, p := range r.Pictures {
			intro := p.Intro
			if intro == "" {
				intro = fmt.Sprintf("A picture from the result of %s:", r.Name)
			}
			c.userText(intro)
			c.userImage(p.Image)
		}
	}
}
