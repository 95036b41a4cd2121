package agent

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is what Next returns once the agent has stopped and everything it said was read.
var ErrClosed = errors.New("agent: closed")

// mailbox is an unbounded queue with one reader. put never blocks; neighbouring deltas of one kind merge, so
// that a slow reader meets one long delta instead of a thousand short ones, and everything else is delivered.
type mailbox struct {
	mu     sync.Mutex
	events []Event
	closed bool
	wake   chan struct{} // holds at most one token: something may be there
	relay  func(Event)   // takes the events instead, where the loop is a task's; set before the first
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (b *mailbox) put(e Event) {
	if b.relay != nil {
		b.relay(e)
		return
	}
	b.mu.Lock()
	if last := len(b.events) - 1; last < 0 || !merge(&b.events[last], e) {
		b.events = append(b.events, e)
	}
	b.mu.Unlock()
	b.signal()
}

func (b *mailbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// merge adds a delta to the one before it and reports whether it could.
func merge(last *Event, e Event) bool {
	switch e := e.(type) {
	case TextDelta:
		if l, ok := (*last).(TextDelta); ok {
			*last = TextDelta{l.Text + e.Text}
			return true
		}
	case ThinkingDelta:
		if l, ok := (*last).(ThinkingDelta); ok {
			*last = ThinkingDelta{l.Text + e.Text}
			return true
		}
	case CallDelta:
		if l, ok := (*last).(CallDelta); ok && (e.Name == "" || e.Name == l.Name) {
			*last = CallDelta{l.Name, l.Tokens + e.Tokens}
			return true
		}
	case CallProgress:
		if l, ok := (*last).(CallProgress); ok && l.CallID == e.CallID {
			*last = e
			return true
		}
	case Activity:
		if _, ok := (*last).(Activity); ok {
			*last = e
			return true
		}
	case ServersChanged:
		_, ok := (*last).(ServersChanged)
		return ok
	case TaskChanged:
		if l, ok := (*last).(TaskChanged); ok && l.CallID == e.CallID && l.Step == nil && e.Step == nil {
			*last = e
			return true
		}
	}
	return false
}

func (b *mailbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.signal()
}

// next waits for at least one event and returns all there are.
func (b *mailbox) next(ctx context.Context) ([]Event, error) {
	for {
		b.mu.Lock()
		events, closed := b.events, b.closed
		b.events = nil
		b.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		if closed {
			b.signal() // for the next call
			return nil, ErrClosed
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
