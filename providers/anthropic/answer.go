package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// wireEvent is an event of the stream. What a server may get wrong is decoded apart.
type wireEvent struct {
	Type         string             `json:"type"`
	Index        providers.LooseInt `json:"index"`
	Message      json.RawMessage    `json:"message"`
	ContentBlock json.RawMessage    `json:"content_block"`
	Delta        json.RawMessage    `json:"delta"`
	Usage        json.RawMessage    `json:"usage"`
	Error        json.RawMessage    `json:"error"`
}

// contentBlock is a block as it starts, or whole in an answer that is plain JSON.
type contentBlock struct {
	Type      string              `json:"type"`
	Text      providers.LooseText `json:"text"`
	Thinking  providers.LooseText `json:"thinking"`
	Signature providers.LooseText `json:"signature"`
	Data      providers.LooseText `json:"data"`
	ID        providers.LooseText `json:"id"`
	Name      providers.LooseText `json:"name"`
	Input     json.RawMessage     `json:"input"`
}

type blockDelta struct {
	Type       string              `json:"type"`
	Text       providers.LooseText `json:"text"`
	Thinking   providers.LooseText `json:"thinking"`
	Signature  providers.LooseText `json:"signature"`
	Partial    providers.LooseText `json:"partial_json"`
	StopReason providers.LooseText `json:"stop_reason"`
}

// part is a block that is being written.
type part struct {
	kind      string
	text      strings.Builder // text, thinking or arguments
	signature string
	data      string
	id, name  string
	input     json.RawMessage // arguments that came whole with the start
	call      int             // index among the calls
}

// maxBlocks bounds the blocks of one answer; models write some dozens at the very most.
const maxBlocks = 2000

// answer gathers the response.
type answer struct {
	stream  *providers.Stream
	out     *providers.Emission
	parts   []*part
	byIndex map[int]*part
	calls   int
	reason  string
	stopped bool // message_stop came
	usage   message.Usage
	counted bool
	model   string
}

// read turns what the server sent into a response.
func read(stream *providers.Stream, emit func(providers.Delta)) (providers.Response, error) {
	out := providers.NewEmission(emit)
	return stream.Answer(out, &answer{stream: stream, out: out, byIndex: map[int]*part{}})
}

// Event implements providers.Answer.
func (a *answer) Event(name string, data []byte) (providers.Progress, error) {
	err := a.add(name, data)
	return a.progress(), err
}

// Mark implements providers.Answer. message_stop ends an answer, not the mark.
func (a *answer) Mark() (providers.Progress, error) { return a.progress(), nil }

// progress: a stop reason is the last thing a model says.
func (a *answer) progress() providers.Progress {
	switch {
	case a.stopped:
		return providers.Ended
	case a.reason != "":
		return providers.Finished
	}
	return providers.Open
}

func (a *answer) add(name string, data []byte) error {
	var e wireEvent
	_ = json.Unmarshal(data, &e) // what did not decode stays empty
	if e.Type == "" {
		e.Type = name // the two are equal; a server may leave out either
	}
	if e.Type == "error" || providers.Present(e.Error) {
		return a.stream.EventError(data)
	}
	switch e.Type {
	case "message_start":
		var m struct {
			Model providers.LooseText `json:"model"`
			Usage json.RawMessage     `json:"usage"`
		}
		providers.Loosely(e.Message, &m)
		a.model = providers.Clean(string(m.Model))
		a.count(m.Usage)
	case "content_block_start":
		var b contentBlock
		providers.Loosely(e.ContentBlock, &b)
		return a.start(e.Index.N, b)
	case "content_block_delta":
		var d blockDelta
		providers.Loosely(e.Delta, &d)
		return a.grow(e.Index.N, d)
	case "message_delta":
		var d blockDelta
		providers.Loosely(e.Delta, &d)
		if d.StopReason != "" {
			a.reason = string(d.StopReason)
			a.stream.Finishing()
		}
		a.count(e.Usage)
	case "message_stop":
		a.stopped = true
	}
	return nil
}

func (a *answer) start(index int, b contentBlock) error {
	if len(a.parts) == maxBlocks {
		return &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("the answer has more than %d blocks, which no model writes", maxBlocks)}
	}
	p := &part{kind: b.Type, signature: string(b.Signature), data: string(b.Data), id: string(b.ID), name: string(b.Name), input: b.Input}
	a.parts = append(a.parts, p)
	a.byIndex[index] = p
	if err := a.out.Keep(len(p.signature) + len(p.data) + len(p.input)); err != nil {
		return err
	}
	switch p.kind {
	case "text":
		return a.text(p, string(b.Text))
	case "thinking":
		return a.thinking(p, string(b.Thinking))
	case "tool_use":
		p.call = a.calls
		a.calls++
		return a.out.Call(p.call, p.name, "")
	}
	return nil
}

func (a *answer) text(p *part, s string) error {
	p.text.WriteString(s)
	return a.out.Text(s)
}

func (a *answer) thinking(p *part, s string) error {
	p.text.WriteString(s)
	return a.out.Thinking(s)
}

// grow adds to a block. Kinds of deltas that are not known are passed over, as the protocol asks.
func (a *answer) grow(index int, d blockDelta) error {
	p := a.byIndex[index]
	if p == nil {
		return nil
	}
	switch d.Type {
	case "text_delta":
		return a.text(p, string(d.Text))
	case "thinking_delta":
		return a.thinking(p, string(d.Thinking))
	case "signature_delta":
		p.signature += string(d.Signature)
		return a.out.Keep(len(d.Signature))
	case "input_json_delta":
		p.text.WriteString(string(d.Partial))
		return a.out.Call(p.call, "", string(d.Partial))
	}
	return nil
}

// count adds a usage object. Later ones are cumulative, so each number it has replaces what was known.
func (a *answer) count(raw json.RawMessage) {
	if !providers.Present(raw) {
		return
	}
	var u struct {
		Input  providers.LooseInt `json:"input_tokens"`
		Output providers.LooseInt `json:"output_tokens"`
		Read   providers.LooseInt `json:"cache_read_input_tokens"`
		Write  providers.LooseInt `json:"cache_creation_input_tokens"`
	}
	providers.Loosely(raw, &u)
	set := func(to *int, n providers.LooseInt) {
		if n.Set {
			*to, a.counted = n.Count(), true
		}
	}
	set(&a.usage.Input, u.Input)
	set(&a.usage.Output, u.Output)
	set(&a.usage.CacheRead, u.Read)
	set(&a.usage.CacheWrite, u.Write)
}

// Whole implements providers.Answer.
func (a *answer) Whole(text []byte) error {
	var m struct {
		Type    string              `json:"type"`
		Model   providers.LooseText `json:"model"`
		Content []contentBlock      `json:"content"`
		Reason  providers.LooseText `json:"stop_reason"`
		Usage   json.RawMessage     `json:"usage"`
		Error   json.RawMessage     `json:"error"`
	}
	_ = json.Unmarshal(text, &m) // what did not decode stays empty
	if m.Type == "error" || providers.Present(m.Error) {
		return a.stream.EventError(text)
	}
	if m.Type != "message" || m.Reason == "" {
		return a.stream.Unintelligible(text)
	}
	a.model, a.reason = providers.Clean(string(m.Model)), string(m.Reason)
	a.count(m.Usage)
	for i, b := range m.Content {
		if err := a.start(i, b); err != nil {
			return err
		}
	}
	return nil
}

// judge refuses an answer that cannot be used although it is whole.
func (a *answer) judge() error {
	if a.reason == "model_context_window_exceeded" {
		return &providers.Error{Class: providers.ClassOverflow, Picture: -1, Message: "the answer does not fit into what is left of the context window"}
	}
	if a.reason == "" && len(a.parts) == 0 {
		return &providers.Error{Class: providers.ClassTruncated, Picture: -1, Message: "the server ended its answer without having said anything"}
	}
	for i, p := range a.parts {
		if p.kind == "tool_use" && p.name == "" {
			return &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("block %d of the answer calls a tool without a name", i+1)}
		}
	}
	return nil
}

// Response implements providers.Answer.
func (a *answer) Response() (providers.Response, error) {
	if err := a.judge(); err != nil {
		return providers.Response{}, err
	}
	r := providers.Response{Model: a.model, Stop: a.stop()}
	if a.counted {
		u := a.usage
		u.Input += u.CacheRead + u.CacheWrite // the service counts what came from the cache apart
		r.Usage = &u
	}
	used := map[string]bool{}
	for _, p := range a.parts {
		if b := p.block(used); b != nil {
			r.Blocks = append(r.Blocks, b)
		}
	}
	return r, nil
}

// block is the part as a block; nil for what has nothing in it or is of a kind that is not known.
func (p *part) block(used map[string]bool) message.Block {
	switch p.kind {
	case "text":
		if p.text.Len() == 0 {
			return nil
		}
		return message.Text{Text: p.text.String()}
	case "thinking":
		return message.Thinking{Text: p.text.String(), Opaque: opaque{Signature: &p.signature}.String()}
	case "redacted_thinking":
		return message.Thinking{Opaque: opaque{Redacted: &p.data}.String()}
	case "tool_use":
		return message.ToolCall{ID: providers.UniqueID(p.id, p.call+1, used), Name: p.name, Args: p.args()}
	}
	return nil
}

// args are the pieces joined; where none came, what came with the start; where nothing came, no arguments.
func (p *part) args() string {
	switch {
	case p.text.Len() > 0:
		return p.text.String()
	case providers.Present(p.input):
		return string(p.input)
	}
	return "{}"
}

func (a *answer) stop() message.Stop {
	switch a.reason {
	case "max_tokens":
		return message.StopLength
	case "refusal":
		return message.StopRefusal
	case "pause_turn":
		return message.StopPause
	}
	if a.calls > 0 {
		return message.StopTools
	}
	return message.StopEnd
}
