package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/media"
	"espy/providers"
	"espy/store"
)

const (
	// mostRecoveries bounds how often one answer is asked for again after the conversation was mended. Each
	// recovery must have changed something, so the bound is only a backstop.
	mostRecoveries = 12
	// mostRenderings is how often pictures are made smaller for one request: once each for its own bounds, once
	// so that all fit together.
	mostRenderings = 2
	// fullShare is the share of the context window at which old tool output is elided before sending.
	fullShare = 0.8
	// mostOutput bounds what one answer may take, in tokens: services count the bound against the window and
	// some against the credit, and no single answer of an agent needs more.
	mostOutput = 32_000
	// elideKeep is how many of the newest turns keep their tool output and pictures when eliding.
	elideKeep = 4
)

// ask sends the conversation as it stands and returns the model's answer, written down. Failures that a mark
// can mend are mended and asked again.
func (a *Agent) ask(ctx context.Context) (message.Message, error) {
	if err := a.announce(); err != nil {
		return message.Message{}, err
	}
	keep := elideKeep
	for try := 0; ; try++ {
		route := a.Route()
		request, err := a.project(ctx, route)
		if err != nil {
			return message.Message{}, err
		}
		answer, err := a.stream(ctx, route, request)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return message.Message{}, errInterrupted
		}
		if try == mostRecoveries {
			return message.Message{}, err
		}
		if err := a.recover(ctx, route, request, err, &keep); err != nil {
			return message.Message{}, err
		}
	}
}

// project gathers facts, records what must leave, renders what must shrink, and builds the request.
func (a *Agent) project(ctx context.Context, route providers.Route) (providers.Request, error) {
	for round := 0; ; round++ {
		facts := a.facts()
		facts.Final = round == mostRenderings
		var d projection.Decision
		a.log.read(func(h *projection.History) { d = projection.Decide(h, route, facts) })
		if d.Refused != nil {
			return providers.Request{}, d.Refused
		}
		if err := a.writeMarks(d.Marks); err != nil {
			return providers.Request{}, err
		}
		if len(d.Wants) == 0 {
			return a.fit(ctx, route)
		}
		if err := a.render(ctx, route, d.Wants); err != nil {
			return providers.Request{}, err
		}
	}
}

// fit builds the request and makes room while it fills its share of the window, or its words alone the body that
// the service takes. What cannot be made smaller is sent as long as it fits at all; the provider has the last word.
func (a *Agent) fit(ctx context.Context, route providers.Route) (providers.Request, error) {
	for keep, fruitless := elideKeep, 0; ; {
		request := a.build(route)
		now := a.load(request, route)
		if now.comfortable() {
			return request, nil
		}
		if fixed := now.size.System + now.size.Tools; now.window > 0 && fixed >= now.window {
			return request, fmt.Errorf("the system text and the tools alone take about %d tokens and %s takes %d; choose a model with a larger window with /model", fixed, route.Name(), now.window)
		}
		err := a.makeRoom(ctx, route, &keep, nil)
		if errors.Is(err, errInterrupted) {
			return request, err
		}
		if err == nil && a.load(a.build(route), route).lighterThan(now) {
			continue
		}
		if fruitless++; fruitless < mostFruitless && !errors.Is(err, errNothingToSummarise) {
			continue
		}
		return request, now.tooMuch(route)
	}
}

// load is what a request takes and what its route takes at most; zero bounds are not known.
type load struct {
	size   projection.Size
	window int
	body   int64
	most   int64
}

func (a *Agent) load(request providers.Request, route providers.Route) load {
	return load{a.size(request, route), route.Model.ContextWindow, projection.BodyBytes(request, a.facts().Bytes), route.Model.Limits.MaxBody}
}

func (l load) comfortable() bool {
	return (l.window <= 0 || float64(l.size.Total()) <= fullShare*float64(l.window)) && (l.most <= 0 || l.body <= l.most)
}

func (l load) lighterThan(was load) bool {
	return l.size.Total() < was.size.Total() || l.body < was.body
}

// tooMuch is why a request that could not be made smaller is not sent; nil where it may still fit.
func (l load) tooMuch(route providers.Route) error {
	switch {
	case l.window > 0 && l.size.Total() > l.window:
		return fmt.Errorf("this request takes about %d tokens and %s takes %d, and the conversation could not be made smaller; shorten the request, remove pictures, or choose a model with a larger window with /model", l.size.Total(), route.Name(), l.window)
	case l.most > 0 && l.body > l.most:
		return fmt.Errorf("this request takes about %.1f MB and %s takes %.1f MB, and the conversation could not be made smaller; shorten the request, remove pictures, or choose another model with /model", float64(l.body)/1e6, route.Name(), float64(l.most)/1e6)
	}
	return nil
}

// facts looks at the stored bytes of every picture of the conversation.
func (a *Agent) facts() projection.Facts {
	f := projection.Facts{Bytes: make(map[string]int64), Missing: make(map[string]bool), MaxImages: a.evictions().keep, EvictStep: a.evictions().step}
	var refs []string
	a.log.read(func(h *projection.History) { refs = h.Conversation().Refs() })
	for _, ref := range refs {
		size, err := a.opt.Session.StatBlob(ref)
		if err != nil {
			f.Missing[ref] = true
			continue
		}
		f.Bytes[ref] = size
	}
	return f
}

func (a *Agent) writeMarks(marks []message.MarkRecord) error {
	if len(marks) == 0 {
		return nil
	}
	err := a.log.append(func(h *heads) []message.Record {
		records := make([]message.Record, len(marks))
		rewritten := false
		for i, m := range marks {
			records[i] = h.mark(m)
			rewritten = rewritten || m.Mark.OnPath()
		}
		if rewritten {
			records = append(records, a.step(h, false)...)
		}
		return records
	})
	if err != nil {
		return err
	}
	for _, m := range marks {
		a.tellMark(m)
	}
	return nil
}

// render makes the smaller pictures a route wants. A picture that cannot be made to fit leaves the request.
func (a *Agent) render(ctx context.Context, route providers.Route, wants []projection.Want) error {
	var marks []message.MarkRecord
	for i, w := range wants {
		a.events.put(Activity{Text: fmt.Sprintf("making pictures smaller for %s, %d of %d", route.Name(), i+1, len(wants))})
		picture, err := a.rerender(ctx, w)
		if err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			var refusal *media.Refusal
			var blob *store.BlobError
			if !errors.As(err, &refusal) && !errors.As(err, &blob) {
				return err
			}
			marks = append(marks, message.MarkRecord{Mark: message.MarkLeaveOut, Refs: []string{w.Image.Ref}, Reason: "what " + route.Name() + " takes for one picture"})
			continue
		}
		marks = append(marks, message.MarkRecord{Mark: message.MarkRendition, Refs: []string{w.Image.Ref}, Route: route.Name(), Image: &picture.Image})
	}
	return a.writeMarks(marks)
}

func (a *Agent) rerender(ctx context.Context, w projection.Want) (media.Picture, error) {
	f, err := a.opt.Session.OpenBlob(w.Image.Ref)
	if err != nil {
		return media.Picture{}, err
	}
	defer f.Close()
	source, err := blobSource(w.Image.Ref, f)
	if err != nil {
		return media.Picture{}, err
	}
	return a.gate.Ingest(ctx, a.opt.Session, source, media.Options{Detail: media.DetailOriginal, Fit: w.Fit})
}

// build selects and builds with what is recorded; it decides nothing.
func (a *Agent) build(route providers.Route) (request providers.Request) {
	a.log.read(func(h *projection.History) {
		fixed := projection.Fixed{MaxTokens: min(route.Model.MaxOutput, mostOutput), Effort: a.effortNow(), CacheKey: a.opt.Session.ID()}
		if prelude, ok := h.Prelude(); ok {
			fixed.System, fixed.Tools = prelude.System, toolSpecs(prelude.Tools)
		}
		if route.Model.Tools == providers.Unsupported {
			fixed.Tools = nil
		}
		if route.Model.Thinking == providers.Unsupported {
			fixed.Effort = ""
		}
		request = h.Project(route, fixed)
	})
	return request
}

// size is what the request takes in tokens, by kind, corrected by what the route reported before.
func (a *Agent) size(request providers.Request, route providers.Route) (size projection.Size) {
	size = projection.Measure(request, route)
	a.log.read(func(h *projection.History) {
		size = size.Scale(h.Correction(route.Server.Name, route.Model.ID))
	})
	return size
}

// stream runs one request and writes the answer down. An interrupted answer keeps its words, never its calls.
func (a *Agent) stream(ctx context.Context, route providers.Route, request providers.Request) (message.Message, error) {
	provider, err := a.opt.Connect(route)
	if err != nil {
		return message.Message{}, err
	}
	var said strings.Builder
	response, err := provider.Stream(ctx, request, func(d providers.Delta) { a.tellDelta(d, &said) })
	if err != nil {
		if ctx.Err() != nil {
			a.keepInterrupted(route, said.String())
			return message.Message{}, errInterrupted
		}
		if partial(err) {
			a.events.put(AnswerRestarted{})
		}
		return message.Message{}, err
	}
	return a.writeAnswer(route, request, response)
}

// partial reports whether pieces of an answer were shown before it failed.
func partial(err error) bool {
	var e *providers.Error
	return errors.As(err, &e) && e.Partial
}

func (a *Agent) tellDelta(d providers.Delta, said *strings.Builder) {
	switch {
	case d.Restart:
		said.Reset()
		a.events.put(AnswerRestarted{})
	case d.Retry != nil:
		a.tellRetry(d.Retry)
	case d.Text != "":
		said.WriteString(d.Text)
		a.events.put(TextDelta{d.Text})
	case d.Thinking != "":
		a.events.put(ThinkingDelta{d.Thinking})
	case d.Call != nil:
		a.events.put(CallDelta{Name: d.Call.Name, Tokens: projection.EstimateText(d.Call.Args)})
	}
}

func (a *Agent) tellRetry(r *providers.RetryNotice) {
	a.events.put(Notice{Kind: NoticeRetried, Cause: r.Cause, Wait: r.Wait, Attempt: r.Attempt + 1, Most: r.Most,
		Sentence: fmt.Sprintf("%s; trying again in %s (attempt %d of %d).", r.Cause, r.Wait.Round(100*time.Millisecond), r.Attempt+1, r.Most)})
}

func (a *Agent) keepInterrupted(route providers.Route, said string) {
	if strings.TrimSpace(said) == "" {
		return
	}
	m := message.Message{Role: message.RoleAssistant, Provider: route.Server.Name, Model: route.Model.ID, Stop: message.StopInterrupted,
		Blocks: []message.Block{message.Text{Text: strings.ToValidUTF8(said, "\uFFFD")}}}
	if written, err := a.writeMessage(m); err != nil {
		a.notice(NoticeError, err.Error())
	} else {
		a.events.put(AnswerDone{written})
	}
}

func (a *Agent) writeMessage(m message.Message) (message.Message, error) {
	var record message.MessageRecord
	err := a.log.append(func(h *heads) []message.Record {
		record = message.MessageRecord{Head: h.next(message.KindMessage), Message: m}
		return []message.Record{record}
	})
	return record.Body(), err
}

func (a *Agent) writeAnswer(route providers.Route, request providers.Request, response providers.Response) (message.Message, error) {
	m := message.Message{Role: message.RoleAssistant, Blocks: response.Blocks, Provider: route.Server.Name, Model: route.Model.ID,
		Stop: response.Stop, Usage: response.Usage}
	estimate, pictures := projection.Measure(request, route).Total(), a.size(request, route).Pictures
	var record message.MessageRecord
	err := a.log.append(func(h *heads) []message.Record {
		record = message.MessageRecord{Head: h.next(message.KindMessage), Message: m}
		records := []message.Record{record}
		if u := response.Usage; u != nil {
			records = append(records, message.UsageRecord{Head: h.beside(message.KindUsage), Provider: m.Provider, Model: m.Model,
				Usage: *u, Cost: costOf(route, *u), Estimate: estimate, Pictures: pictures})
		}
		return records
	})
	if err != nil {
		return message.Message{}, err
	}
	a.events.put(AnswerDone{record.Body()})
	if u := response.Usage; u != nil {
		a.spent(message.UsageRecord{Provider: m.Provider, Model: m.Model, Usage: *u, Cost: costOf(route, *u), Pictures: pictures})
		a.events.put(UsageChanged{Usage: *response.Usage, Meter: a.meter()})
	} else {
		a.events.put(MeterChanged{Meter: a.meter()})
	}
	if response.Stop == message.StopLength {
		a.notice(NoticeInfo, "The answer was cut off at the model's output limit; ask it to go on.")
	}
	return record.Body(), nil
}
