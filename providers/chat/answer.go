package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// wireChunk is an event of the stream, or a whole answer that came as plain JSON. Everything a server may get
// wrong is decoded apart, so that one odd field does not cost the others.
type wireChunk struct {
	Model   providers.LooseText `json:"model"`
	Choices []wireChoice        `json:"choices"`
	Usage   json.RawMessage     `json:"usage"`
	Groq    json.RawMessage     `json:"x_groq"`
	Error   json.RawMessage     `json:"error"`
}

type wireChoice struct {
	Index   providers.LooseInt  `json:"index"`
	Delta   json.RawMessage     `json:"delta"`
	Message json.RawMessage     `json:"message"`
	Finish  providers.LooseText `json:"finish_reason"`
	Usage   json.RawMessage     `json:"usage"` // Moonshot
}

type wireDelta struct {
	Content          json.RawMessage     `json:"content"`
	Refusal          providers.LooseText `json:"refusal"`
	ReasoningContent providers.LooseText `json:"reasoning_content"`
	Reasoning        json.RawMessage     `json:"reasoning"`
	ReasoningDetails json.RawMessage     `json:"reasoning_details"`
	ToolCalls        json.RawMessage     `json:"tool_calls"`
}

// answer gathers the response.
type answer struct {
	stream   *providers.Stream
	out      *providers.Emission
	text     strings.Builder
	thinking strings.Builder
	details  detailList
	calls    callList
	finish   string
	refused  bool
	usage    *message.Usage
	model    string
}

// read turns what the server sent into a response.
func read(stream *providers.Stream, emit func(providers.Delta)) (providers.Response, error) {
	out := providers.NewEmission(emit)
	return stream.Answer(out, &answer{stream: stream, out: out, calls: callList{out: out}})
}

// Event implements providers.Answer.
func (a *answer) Event(name string, data []byte) (providers.Progress, error) {
	if name == "error" {
		return providers.Open, a.stream.EventError(data)
	}
	err := a.add(data)
	if a.finish != "" {
		return providers.Finished, err
	}
	return providers.Open, err
}

// Mark implements providers.Answer. A server that never says why it finished may still have been cut.
func (a *answer) Mark() (providers.Progress, error) {
	if a.finish == "" && (a.calls.unfinished() || a.empty()) {
		return providers.Ended, a.stream.Truncated(io.ErrUnexpectedEOF)
	}
	return providers.Ended, nil
}

// Whole implements providers.Answer.
func (a *answer) Whole(text []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && len(list) > 0 {
		text = list[0] // Google wraps an error in a list
	}
	if err := a.add(text); err != nil {
		return err
	}
	if a.finish == "" && a.empty() {
		return a.stream.Unintelligible(text)
	}
	return nil
}

func (a *answer) empty() bool { return a.text.Len() == 0 && len(a.calls.calls) == 0 }

// add takes one event, or a whole answer, into the response.
func (a *answer) add(data []byte) error {
	var c wireChunk
	_ = json.Unmarshal(data, &c) // what did not decode stays empty
	if providers.Present(c.Error) {
		return a.stream.EventError(data)
	}
	if a.model == "" {
		a.model = providers.Clean(string(c.Model))
	}
	a.count(c.Usage)
	var groq struct {
		Usage json.RawMessage `json:"usage"`
	}
	providers.Loosely(c.Groq, &groq)
	a.count(groq.Usage)
	for _, choice := range c.Choices {
		if choice.Index.N != 0 {
			continue
		}
		a.count(choice.Usage)
		if err := a.addChoice(choice); err != nil {
			return err
		}
		if choice.Finish == "error" {
			return a.stream.EventError([]byte(`{"error":{"message":"the server behind this one failed","code":502}}`))
		}
		if choice.Finish != "" && a.finish == "" {
			a.finish = string(choice.Finish)
			a.stream.Finishing()
		}
	}
	return nil
}

func (a *answer) addChoice(c wireChoice) error {
	raw := c.Delta
	if !providers.Present(raw) {
		raw = c.Message
	}
	var d wireDelta
	providers.Loosely(raw, &d)
	if err := a.addThinking(d); err != nil {
		return err
	}
	text, thought := contentOf(d.Content)
	if err := a.think(thought); err != nil {
		return err
	}
	if d.Refusal != "" {
		a.refused = true
		text += string(d.Refusal)
	}
	a.text.WriteString(text)
	if err := a.out.Text(text); err != nil {
		return err
	}
	return a.calls.add(d.ToolCalls)
}

// addThinking reads reasoning from whichever field the server uses; some send the same words in two.
func (a *answer) addThinking(d wireDelta) error {
	if providers.Present(d.ReasoningDetails) {
		a.details.add(d.ReasoningDetails)
		if err := a.out.Keep(len(d.ReasoningDetails)); err != nil {
			return err
		}
	}
	text := string(d.ReasoningContent)
	if text == "" {
		var plain providers.LooseText
		providers.Loosely(d.Reasoning, &plain)
		text = string(plain)
	}
	if text == "" {
		var pieces []struct {
			Text    providers.LooseText `json:"text"`
			Summary providers.LooseText `json:"summary"`
		}
		providers.Loosely(d.ReasoningDetails, &pieces)
		for _, p := range pieces {
			text += string(p.Text + p.Summary)
		}
	}
	return a.think(text)
}

func (a *answer) think(text string) error {
	a.thinking.WriteString(text)
	return a.out.Thinking(text)
}

// contentOf reads content that is a string or, as Mistral sends it, a list of text and thinking parts.
func contentOf(raw json.RawMessage) (text, thinking string) {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain, ""
	}
	var parts []struct {
		Type     string              `json:"type"`
		Text     providers.LooseText `json:"text"`
		Thinking json.RawMessage     `json:"thinking"`
	}
	providers.Loosely(raw, &parts)
	for _, p := range parts {
		if p.Type == "thinking" {
			t, _ := contentOf(p.Thinking)
			thinking += t
		} else {
			text += string(p.Text)
		}
	}
	return text, thinking
}

// count reads a usage object; the last one counts, because some servers send one with every event.
func (a *answer) count(raw json.RawMessage) {
	if !providers.Present(raw) {
		return
	}
	var u struct {
		Prompt     providers.LooseInt `json:"prompt_tokens"`
		Completion providers.LooseInt `json:"completion_tokens"`
		CacheHit   providers.LooseInt `json:"prompt_cache_hit_tokens"` // DeepSeek
		Details    json.RawMessage    `json:"prompt_tokens_details"`
	}
	providers.Loosely(raw, &u)
	var details struct {
		Cached providers.LooseInt `json:"cached_tokens"`
		Write  providers.LooseInt `json:"cache_write_tokens"`
	}
	providers.Loosely(u.Details, &details)
	if u.Prompt.Set || u.Completion.Set {
		a.usage = &message.Usage{Input: u.Prompt.Count(), Output: u.Completion.Count(),
			CacheRead: max(details.Cached.Count(), u.CacheHit.Count()), CacheWrite: details.Write.Count()}
	}
}

// Response implements providers.Answer.
func (a *answer) Response() (providers.Response, error) {
	r := providers.Response{Usage: a.usage, Model: a.model, Stop: a.stop()}
	if opaque := a.details.opaque(); a.thinking.Len() > 0 || opaque != "" {
		r.Blocks = append(r.Blocks, message.Thinking{Text: a.thinking.String(), Opaque: opaque})
	}
	if a.text.Len() > 0 {
		r.Blocks = append(r.Blocks, message.Text{Text: a.text.String()})
	}
	for i, c := range a.calls.calls {
		if c.name == "" {
			return providers.Response{}, &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("the model's tool call %d has no name", i+1)}
		}
	}
	r.Blocks = append(r.Blocks, a.calls.blocks()...)
	return r, nil
}

// stop is judged by what came: many servers say "stop" where there are calls.
func (a *answer) stop() message.Stop {
	switch {
	case a.finish == "length":
		return message.StopLength
	case a.finish == "content_filter" || a.refused:
		return message.StopRefusal
	case len(a.calls.calls) > 0:
		return message.StopTools
	}
	return message.StopEnd
}
