package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"espy/agent/extend"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
)

// guardedTurn runs a turn and turns a panic in it into a failed turn: the session and the screen live on.
func (a *Agent) guardedTurn(ctx context.Context, p Prompt, fresh bool) (reason EndReason, err error) {
	defer func() {
		if r := recover(); r != nil {
			reason, err = EndFailed, fmt.Errorf("espy hit a fault of its own and stopped the turn: %v\n%s", r, debug.Stack())
		}
	}()
	a.refresh(ctx)
	reason, err = ended(a.turn(ctx, p, fresh))
	a.refresh(ctx) // what the turn itself changed, or the person while it ran
	return reason, err
}

// ended says as what a turn with this outcome ended.
func ended(err error) (EndReason, error) {
	var rejected *rejection
	switch {
	case err == nil:
		return EndDone, nil
	case errors.As(err, &rejected):
		return EndRejected, rejected.err
	case errors.Is(err, errInterrupted):
		return EndInterrupted, nil
	case errors.Is(err, errRefused):
		return EndRefused, nil
	case errors.Is(err, errLimit):
		return EndLimit, err
	}
	return EndFailed, err
}

// rejection is why a prompt was not taken.
type rejection struct{ err error }

func (r *rejection) Error() string { return r.err.Error() }

var (
	// errRefused ends a headless turn in which a call was refused.
	errRefused = errors.New("a call was refused")
	// errLimit is wrapped by what --max-turns and --max-cost say.
	errLimit = errors.New("limit reached")
)

// turn is one request of the person carried through: answer, calls, results, until the model is done.
func (a *Agent) turn(ctx context.Context, p Prompt, fresh bool) error {
	if a.opt.Await != nil {
		a.opt.Await(ctx)
	}
	if err := a.accept(p); err != nil {
		a.events.put(Rejected{Prompt: p, Err: err})
		return &rejection{err}
	}
	a.hooks.Observe(extend.TurnStart, nil, nil)
	defer a.hooks.Observe(extend.TurnEnd, nil, nil)
	if fresh {
		a.opt.Guard.Untaint() // the person has seen what untrusted text came in, and went on
	}
	a.distrust(p)
	if line, ok := shellLine(p); ok {
		return a.runShellLine(ctx, line)
	}
	return a.converse(ctx)
}

// converse asks the model and runs its calls until it is done.
func (a *Agent) converse(ctx context.Context) error {
	refused := false
	a.repeats.begin()
	for requests := 1; ; requests++ {
		if a.opt.MaxTurns > 0 && requests > a.opt.MaxTurns {
			return fmt.Errorf("stopped after %d requests to the model: %w", a.opt.MaxTurns, errLimit)
		}
		if err := a.lastRequest(requests); err != nil {
			return err
		}
		answer, err := a.ask(ctx)
		if err != nil {
			return remedied(err, a.Route())
		}
		calls := answer.Calls()
		if len(calls) == 0 {
			if len(a.takeSteer()) == 0 && answer.Stop != message.StopPause {
				break
			}
			continue
		}
		anyRefused, err := a.runCalls(ctx, answer)
		refused = refused || anyRefused
		if err != nil {
			return err
		}
		if err := a.overBudget(); err != nil {
			return err
		}
		a.takeSteer()
	}
	if refused && a.opt.Headless {
		return errRefused
	}
	return nil
}

// accept checks a prompt, moves its pictures out of the draft and writes it down. Until it returns nil nothing
// of the prompt has been sent or kept.
func (a *Agent) accept(p Prompt) error {
	route := a.Route()
	images := make([]message.Image, len(p.Attachments))
	refs := make([]string, 0, 2*len(images))
	for i, at := range p.Attachments {
		images[i] = at.Image
		refs = append(refs, at.Image.Ref)
		if at.Record.Original != "" {
			refs = append(refs, at.Record.Original)
		}
	}
	if err := providers.CheckImages(route, images); err != nil {
		return err
	}
	if len(images) == 0 && strings.TrimSpace(joinText(p.Text)) == "" {
		return errors.New("there is nothing to send: type a request or attach a picture")
	}
	if err := a.fitsAlone(route, p, images); err != nil {
		return err
	}
	if err := a.opt.Session.Draft().Promote(refs...); err != nil {
		return fmt.Errorf("the message could not be kept: %w", err)
	}
	aside, lost := a.takeAside()
	user := message.Message{Role: message.RoleUser, Blocks: append(promptBlocks(p), aside...)}
	var written message.MessageRecord
	err := a.log.append(func(h *heads) []message.Record {
		records := append(a.opening(h, len(p.Attachments) > 0), endLost(h, lost)...)
		for _, at := range p.Attachments {
			record := at.Record
			record.Head = h.beside(message.KindPicture)
			records = append(records, record)
		}
		written = message.MessageRecord{Head: h.next(message.KindMessage), Message: user}
		return append(records, written)
	})
	if err != nil {
		return err
	}
	a.events.put(TurnStarted{User: written.Body()})
	return nil
}

// fitsAlone refuses a message that no compaction could make room for. Once written down it would keep every
// later request from being sent.
func (a *Agent) fitsAlone(route providers.Route, p Prompt, images []message.Image) error {
	window := route.Model.ContextWindow
	if window <= 0 {
		return nil
	}
	own := projection.EstimateText(joinText(p.Text))
	for _, i := range images {
		tokens, _, _ := projection.Price(i, route)
		own += tokens
	}
	fixed := projection.Measure(providers.Request{System: a.opt.System(), Tools: a.declares(len(images) > 0)}, route).Total()
	if fixed >= window || fixed+own <= window {
		return nil // what is wrong with the fixed part is said when the request is built
	}
	return fmt.Errorf("this message takes about %d tokens, and %s takes %d with %d of them for the system text and the tools; shorten it, save it as a file for the model to read in parts, or choose a model with a larger window with /model", own, route.Name(), window, fixed)
}

// opening is what a log starts with, and the prelude where the session cannot go on with the one it has.
func (a *Agent) opening(h *heads, pictures bool) []message.Record {
	var records []message.Record
	history := a.log.history // append holds the lock
	if len(history.Records()) == 0 {
		records = append(records,
			message.SessionRecord{Head: h.beside(message.KindSession), Folder: a.opt.Folder, Espy: a.opt.Version, Outer: a.opt.Session.OuterID()},
			message.ModelRecord{Head: h.next(message.KindModel), Provider: a.chosen().Server.Name, Model: a.chosen().Model.ID, Effort: a.effortNow()},
			message.ModeRecord{Head: h.next(message.KindMode), Mode: string(a.opt.Guard.Mode())})
	}
	if !a.resumes(history) {
		records = append(records, a.step(h, pictures)...)
	}
	a.opened = true
	return records
}

func (a *Agent) effortNow() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.effort
}

// promptBlocks puts pictures before words: models read a picture better when the question follows it.
func promptBlocks(p Prompt) []message.Block {
	blocks := make([]message.Block, 0, len(p.Attachments)+len(p.Text))
	for _, at := range p.Attachments {
		blocks = append(blocks, at.Image)
	}
	for _, t := range p.Text {
		t.Text = strings.ToValidUTF8(t.Text, "\uFFFD")
		blocks = append(blocks, t)
	}
	return blocks
}

func joinText(texts []message.Text) string {
	var s strings.Builder
	for _, t := range texts {
		s.WriteString(t.Text)
	}
	return s.String()
}

// takeSteer writes down what the person said into the running turn and returns it. A prompt that cannot be
// taken goes back to the face.
func (a *Agent) takeSteer() []Prompt {
	a.mu.Lock()
	prompts := a.steer
	a.steer = nil
	a.mu.Unlock()
	taken := prompts[:0]
	for _, p := range prompts {
		if err := a.accept(p); err != nil {
			a.events.put(Rejected{Prompt: p, Err: err})
			continue
		}
		a.distrust(p)
		taken = append(taken, p)
	}
	return taken
}

// distrust marks what a message brought that nobody vouches for.
func (a *Agent) distrust(p Prompt) {
	if p.Untrusted != "" {
		a.opt.Guard.Taint(p.Untrusted)
	}
}

// overBudget ends a run that has cost more than it may. An unknown price cannot be held against it.
func (a *Agent) overBudget() error {
	if a.task != nil {
		if err := a.task.outer.overBudget(); err != nil {
			return err
		}
	}
	if a.opt.MaxCost <= 0 {
		return nil
	}
	var cost *float64
	a.log.read(func(h *projection.History) { _, cost = h.Usage() })
	if cost != nil && *cost > a.opt.MaxCost {
		return fmt.Errorf("stopped: %s has cost $%.4f and may cost $%.4f: %w", a.spender(), *cost, a.opt.MaxCost, errLimit)
	}
	return nil
}

func (a *Agent) spender() string {
	if a.task != nil {
		return "it"
	}
	return "the session"
}
