package responses

import (
	"encoding/json"
	"fmt"

	"espy/agent/message"
	"espy/providers"
)

// wireEvent is an event of the stream. What a server may get wrong is decoded apart.
type wireEvent struct {
	Type        string              `json:"type"`
	OutputIndex providers.LooseInt  `json:"output_index"`
	Item        json.RawMessage     `json:"item"`
	Delta       providers.LooseText `json:"delta"`
	Summary     providers.LooseInt  `json:"summary_index"`
	Response    json.RawMessage     `json:"response"`
	Error       json.RawMessage     `json:"error"`
}

// wireResponse is the whole answer as the last event, or a server that does not stream, gives it.
type wireResponse struct {
	Object     string              `json:"object"`
	Model      providers.LooseText `json:"model"`
	Status     providers.LooseText `json:"status"`
	Output     []json.RawMessage   `json:"output"`
	Usage      json.RawMessage     `json:"usage"`
	Error      json.RawMessage     `json:"error"`
	Incomplete json.RawMessage     `json:"incomplete_details"`
}

// maxItems bounds the items of one answer; models write some dozens at the very most.
const maxItems = 2000

// answer gathers the response.
type answer struct {
	stream  *providers.Stream
	out     *providers.Emission
	items   []*item // in the order they began
	byIndex map[int]*item
	calls   int
	ended   bool
	reason  string // why the answer is incomplete
	usage   *message.Usage
	model   string
}

// read turns what the server sent into a response.
func read(stream *providers.Stream, emit func(providers.Delta)) (providers.Response, error) {
	out := providers.NewEmission(emit)
	return stream.Answer(out, &answer{stream: stream, out: out, byIndex: map[int]*item{}})
}

// Whole implements providers.Answer.
func (a *answer) Whole(text []byte) error {
	var r wireResponse
	_ = json.Unmarshal(text, &r) // what did not decode stays empty
	if providers.Present(r.Error) {
		return a.stream.EventError(text)
	}
	if r.Object != "response" || r.Status != "completed" && r.Status != "incomplete" {
		return a.stream.Unintelligible(text)
	}
	return a.end(text)
}

// Mark implements providers.Answer. The last event ends an answer, not the mark.
func (a *answer) Mark() (providers.Progress, error) { return providers.Open, nil }

// Event implements providers.Answer.
func (a *answer) Event(name string, data []byte) (providers.Progress, error) {
	if err := a.add(name, data); err != nil || !a.ended {
		return providers.Open, err
	}
	return providers.Ended, nil
}

func (a *answer) add(name string, data []byte) error {
	var e wireEvent
	_ = json.Unmarshal(data, &e) // what did not decode stays empty
	if e.Type == "" {
		e.Type = name // the two are equal; a server may leave out either
	}
	switch e.Type {
	case "error", "response.failed":
		return a.stream.EventError(data)
	case "response.completed", "response.incomplete":
		return a.end(e.Response)
	case "response.output_item.added":
		_, err := a.item(e)
		return err
	case "response.output_item.done":
		it, err := a.item(e)
		if err != nil {
			return err
		}
		return a.settle(it, e.Item)
	case "response.output_text.delta", "response.refusal.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta",
		"response.function_call_arguments.delta":
		return a.grow(e)
	}
	if e.Type == "" && providers.Present(e.Error) {
		return a.stream.EventError(data)
	}
	return nil // kinds that are not known are passed over
}

// item finds the item an event speaks of, or begins it.
func (a *answer) item(e wireEvent) (*item, error) {
	index := len(a.items)
	if e.OutputIndex.Set {
		index = e.OutputIndex.N
	} else if e.Type != "response.output_item.added" && index > 0 {
		index--
	}
	if it := a.byIndex[index]; it != nil {
		return it, nil
	}
	if len(a.items) == maxItems {
		return nil, &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("the answer has more than %d items, which no model writes", maxItems)}
	}
	it := &item{}
	providers.Loosely(e.Item, &it.wire)
	a.items = append(a.items, it)
	a.byIndex[index] = it
	return it, a.name(it)
}

// name tells the name of a call when it is known, once.
func (a *answer) name(it *item) error {
	if it.wire.Type != "function_call" || it.named || it.wire.Name == "" {
		return nil
	}
	it.call, it.named = a.calls, true
	a.calls++
	return a.out.Call(it.call, string(it.wire.Name), "")
}

// grow shows a piece. Pieces are for showing: what is kept is the item when it is done.
func (a *answer) grow(e wireEvent) error {
	it, err := a.item(e)
	if err != nil {
		return err
	}
	delta := string(e.Delta)
	switch e.Type {
	case "response.function_call_arguments.delta":
		it.shown += len(delta)
		return a.out.Call(it.call, "", delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if it.shown > 0 && e.Summary.N != it.summary {
			delta = "\n\n" + delta
		}
		it.summary = e.Summary.N
		it.shown += len(delta)
		return a.out.Thinking(delta)
	}
	it.shown += len(delta)
	return a.out.Text(delta)
}

// settle takes a finished item. Where a server sent no pieces of it, it is shown whole.
func (a *answer) settle(it *item, raw json.RawMessage) error {
	if it.done || !providers.Present(raw) {
		return nil
	}
	if err := a.out.Keep(len(raw)); err != nil {
		return err
	}
	it.done, it.raw = true, raw
	providers.Loosely(raw, &it.wire)
	if err := a.name(it); err != nil || it.shown > 0 {
		return err
	}
	switch it.wire.Type {
	case "function_call":
		return a.out.Call(it.call, "", string(it.wire.Arguments))
	case "reasoning":
		return a.out.Thinking(it.wire.reasoning())
	case "message":
		return a.out.Text(it.wire.text())
	}
	return nil
}

// end reads the whole response at the end. Items that no event brought are taken from it.
func (a *answer) end(raw json.RawMessage) error {
	var r wireResponse
	providers.Loosely(raw, &r)
	a.ended, a.model = true, providers.Clean(string(r.Model))
	var incomplete struct {
		Reason providers.LooseText `json:"reason"`
	}
	providers.Loosely(r.Incomplete, &incomplete)
	a.reason = string(incomplete.Reason)
	a.count(r.Usage)
	for i, raw := range r.Output {
		it, err := a.item(wireEvent{OutputIndex: providers.LooseInt{N: i, Set: true}, Item: raw})
		if err != nil {
			return err
		}
		if err := a.settle(it, raw); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) count(raw json.RawMessage) {
	if !providers.Present(raw) {
		return
	}
	var u struct {
		Input   providers.LooseInt `json:"input_tokens"`
		Output  providers.LooseInt `json:"output_tokens"`
		Details json.RawMessage    `json:"input_tokens_details"`
	}
	providers.Loosely(raw, &u)
	var details struct {
		Cached providers.LooseInt `json:"cached_tokens"`
		Write  providers.LooseInt `json:"cache_write_tokens"`
	}
	providers.Loosely(u.Details, &details)
	if u.Input.Set || u.Output.Set {
		a.usage = &message.Usage{Input: u.Input.Count(), Output: u.Output.Count(), CacheRead: details.Cached.Count(), CacheWrite: details.Write.Count()}
	}
}

// judge refuses an answer that cannot be used although it is whole.
func (a *answer) judge() error {
	for i, it := range a.items {
		if !it.done {
			return &providers.Error{Class: providers.ClassTruncated, Picture: -1, Message: fmt.Sprintf("the server ended its answer in the middle of item %d", i+1)}
		}
		if it.wire.Type == "function_call" && it.wire.Name == "" {
			return &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("item %d of the answer calls a tool without a name", i+1)}
		}
	}
	return nil
}

// Response implements providers.Answer.
func (a *answer) Response() (providers.Response, error) {
	if err := a.judge(); err != nil {
		return providers.Response{}, err
	}
	r := providers.Response{Model: a.model, Usage: a.usage, Stop: a.stop()}
	used := map[string]bool{}
	for i, it := range a.items {
		if b := it.block(i, used); b != nil {
			r.Blocks = append(r.Blocks, b)
		}
	}
	return r, nil
}

func (a *answer) stop() message.Stop {
	refused := false
	for _, it := range a.items {
		refused = refused || it.wire.refused()
	}
	switch {
	case a.reason == "content_filter" || refused:
		return message.StopRefusal
	case a.reason == "max_output_tokens":
		return message.StopLength
	case a.calls > 0:
		return message.StopTools
	}
	return message.StopEnd
}
