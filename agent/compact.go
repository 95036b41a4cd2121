package agent

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

//go:embed compact.md
var compactText string

const (
	// summaryTokens bounds a summary's length.
	summaryTokens = 4000
	// summaryShare is how much of what it replaces a summary may take; a longer one gains too little.
	summaryShare = 0.7
	// mostFruitless is how many attempts to make room may fail to before the turn ends with a plain error.
	mostFruitless = 2
)

// errNothingToSummarise says that only the open request and what belongs to it is left.
var errNothingToSummarise = errors.New("nothing is left that could be summarised")

// summarise lets the model write a summary of the oldest part of the conversation and records it. Nothing is
// recorded unless the summary is there, whole, and shorter than what it stands for.
func (a *Agent) summarise(ctx context.Context, instructions string) error {
	route := a.Route()
	var part projection.ToSummarise
	a.log.read(func(h *projection.History) {
		part = projection.Summarisable(projection.Select(h.Conversation(), route), route)
	})
	if len(part.Messages) == 0 {
		return errNothingToSummarise
	}
	a.events.put(Activity{Text: "summarising the conversation"})
	response, err := a.askForSummary(ctx, route, part.Text, instructions)
	if err != nil {
		return err
	}
	summary := strings.TrimSpace(strings.ToValidUTF8(responseText(response), "\uFFFD"))
	switch tokens := projection.EstimateText(summary); {
	case summary == "":
		return errors.New("the model answered with an empty summary, so the conversation stays as it is")
	case response.Stop == message.StopLength:
		return errors.New("the model's summary was cut off, so the conversation stays as it is")
	case tokens > int(summaryShare*float64(part.Tokens)):
		return fmt.Errorf("the model's summary takes about %d tokens for %d, so the conversation stays as it is", tokens, part.Tokens)
	}
	return a.writeMarks([]message.MarkRecord{{Mark: message.MarkSummarise, Messages: part.Messages, Summary: summary, Route: route.Name()}})
}

// askForSummary is a request without tools or pictures. Its usage counts like any other's.
func (a *Agent) askForSummary(ctx context.Context, route providers.Route, text, instructions string) (providers.Response, error) {
	provider, err := a.opt.Connect(route)
	if err != nil {
		return providers.Response{}, err
	}
	ask := "Summarise this conversation.\n\n" + text
	if instructions != "" {
		ask = "Summarise this conversation. The user asks in particular: " + instructions + "\n\n" + text
	}
	request := providers.Request{
		System:    []string{strings.TrimSpace(compactText)},
		Messages:  []providers.Message{{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: ask, Origin: message.OriginEspy}}}},
		MaxTokens: summaryTokens,
	}
	written := 0
	response, err := provider.Stream(ctx, request, func(d providers.Delta) {
		switch {
		case d.Retry != nil:
			a.tellRetry(d.Retry)
		case d.Restart:
			written = 0
		default:
			written += projection.EstimateText(d.Text) + projection.EstimateText(d.Thinking)
			a.events.put(Activity{Text: fmt.Sprintf("summarising the conversation, %d tokens written", written)})
		}
	})
	if err != nil {
		return response, err
	}
	if u := response.Usage; u != nil {
		used := message.UsageRecord{Provider: route.Server.Name, Model: route.Model.ID, Usage: *u, Cost: costOf(route, *u)}
		err = a.log.append(func(h *heads) []message.Record {
			used.Head = h.beside(message.KindUsage)
			return []message.Record{used}
		})
		a.spent(used)
	}
	return response, err
}

func responseText(r providers.Response) string {
	var s strings.Builder
	for _, b := range r.Blocks {
		if t, ok := b.(message.Text); ok {
			s.WriteString(t.Text)
		}
	}
	return s.String()
}

// compact is the person's wish to shrink: first everything before the last turn that can be fetched again,
// then a summary of what is old.
func (a *Agent) compact(ctx context.Context, instructions string) error {
	before := a.meter().Context
	elided := a.elide(1, NoticeElided)
	err := a.summarise(ctx, instructions)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if errors.Is(err, errNothingToSummarise) {
		if !elided {
			a.notice(NoticeInfo, "There is nothing to compact: the conversation is only its open request.")
		}
		return nil
	}
	if err != nil {
		return err
	}
	a.tellCompacted(before)
	return nil
}

func (a *Agent) tellCompacted(before int) {
	m := a.meter()
	a.notice(NoticeCompacted, fmt.Sprintf("The older part of the conversation was summarised: about %d tokens before, %d now. Everything is still in the session's log; /expand shows it.", before, m.Context))
	a.events.put(MeterChanged{Meter: m})
}

// makeRoom shrinks the conversation until the request fits, and fails with the figures where it cannot.
// tooLarge is what the provider said; nil where the estimate says so.
func (a *Agent) makeRoom(ctx context.Context, route providers.Route, keep *int, tooLarge error) error {
	before := a.meter().Context
	for *keep >= 0 {
		elided := a.elide(*keep, NoticeElided)
		*keep -= elideKeep / 2
		if elided {
			return nil
		}
	}
	err := a.summarise(ctx, "")
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err == nil {
		a.tellCompacted(before)
		return nil
	}
	if tooLarge != nil {
		return fmt.Errorf("the request is too large for %s and could not be made smaller (%v): %w", route.Name(), err, tooLarge)
	}
	return err
}
