package start

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/media"
	"espy/providers"
	"espy/store"
	"espy/ui"
)

// errOnlyRead is why something cannot be done in a session that is only read.
var errOnlyRead = errors.New("this session is only read here, another espy writes it; /fork goes on in a copy, /resume chooses another, /new begins one")

// reading is a session as it stood when it was looked at, while somebody else may be writing it: a loop and an intake
// that show the conversation and write nothing, neither into the session nor beside it.
type reading struct {
	store   *store.Store
	id      string
	history *projection.History
	route   providers.Route

	mu     sync.Mutex
	events []agent.Event
	wake   chan struct{} // holds at most one token: something may be there
}

// read opens a session without its lock.
func read(ctx context.Context, s *Settings, id string) (*reading, error) {
	loaded, err := s.Store.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &reading{store: s.Store, id: id, history: projection.NewHistory(loaded.Records), wake: make(chan struct{}, 1)}
	var effort string
	if r.route, effort, _, err = chooseRoute(s, Request{}, r.history); err != nil {
		return nil, err
	}
	mode := guard.Mode(r.history.Mode())
	if mode == "" {
		mode = guard.Mode(s.Config.Mode)
	}
	usage, cost := r.history.Usage()
	conversation := r.history.Conversation()
	r.put(agent.Opened{Session: id, Folder: s.Folder, Resumed: true, Route: r.route, Effort: effort, Mode: mode,
		Messages: conversation.Messages, Pictures: r.history.Pictures(),
		Meter: agent.Meter{Window: r.route.Model.ContextWindow, Input: usage.Input, Output: usage.Output, Cached: usage.CacheRead, Written: usage.CacheWrite, Cost: cost}})
	return r, nil
}

func (r *reading) conversation() ui.Conversation {
	return ui.Conversation{Loop: r, Intake: r, Memory: r, ReadOnly: errOnlyRead, First: &ui.FirstScreen{}}
}

func (r *reading) put(e agent.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Send takes no command: a message comes back, and everything else is answered with why.
func (r *reading) Send(c agent.Command) {
	prompt := agent.Prompt{}
	if s, ok := c.(agent.Submit); ok {
		prompt = s.Prompt
	}
	r.put(agent.Rejected{Prompt: prompt, Err: errOnlyRead})
}

// Interrupt has nothing to stop.
func (r *reading) Interrupt() {}

// Next returns what there is to show, and waits where that was read.
func (r *reading) Next(ctx context.Context) ([]agent.Event, error) {
	for {
		r.mu.Lock()
		events := r.events
		r.events = nil
		r.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Pictures lists the pictures of the conversation.
func (r *reading) Pictures() []projection.PictureState { return r.history.PictureStates(r.route) }

// Folds lists what was folded away.
func (r *reading) Folds() []projection.Fold { return r.history.Folds() }

// OpenBlob and StatBlob are of the stored pictures.
func (r *reading) OpenBlob(ref string) (io.ReadSeekCloser, error) { return r.store.OpenBlob(r.id, ref) }

// StatBlob is a stored picture's size in bytes.
func (r *reading) StatBlob(ref string) (int64, error) {
	f, err := r.OpenBlob(ref)
	if err != nil {
		return 0, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	return size, errors.Join(err, f.Close())
}

// Dir is the session's folder.
func (r *reading) Dir() string { return filepath.Clean(r.store.Dir(r.id)) }

// Paste and the other ways in take nothing.
func (r *reading) Paste(context.Context) (agent.Pasted, error) { return agent.Pasted{}, errOnlyRead }

// PastedBytes takes nothing.
func (r *reading) PastedBytes(context.Context, []byte) (agent.Pasted, error) {
	return agent.Pasted{}, errOnlyRead
}

// PastedText leaves the text as it is: it may be searched for.
func (r *reading) PastedText(_ context.Context, text string) (agent.Pasted, error) {
	return agent.Pasted{Text: text}, nil
}

// AttachPaths takes nothing.
func (r *reading) AttachPaths(context.Context, string) ([]agent.Attachment, error) {
	return nil, errOnlyRead
}

// AttachFile takes nothing.
func (r *reading) AttachFile(context.Context, string) (agent.Attachment, error) {
	return agent.Attachment{}, errOnlyRead
}

// Adopt takes nothing.
func (r *reading) Adopt([]agent.Attachment) ([]agent.Attachment, error) { return nil, nil }

// Recall takes nothing.
func (r *reading) Recall(context.Context, string, []message.Image) ([]agent.Attachment, error) {
	return nil, errOnlyRead
}

// AtFiles takes nothing.
func (r *reading) AtFiles(context.Context, string) ([]message.Text, []agent.Attachment, error) {
	return nil, nil, errOnlyRead
}

// Redetail takes nothing.
func (r *reading) Redetail(_ context.Context, a agent.Attachment, _ media.Detail) (agent.Attachment, error) {
	return a, errOnlyRead
}

// Recut takes nothing.
func (r *reading) Recut(_ context.Context, a agent.Attachment, _ *message.Rect, _ []message.Rect) (agent.Attachment, error) {
	return a, errOnlyRead
}

// Discard has nothing to forget.
func (r *reading) Discard(agent.Attachment) {}

// Complete names nothing.
func (r *reading) Complete(context.Context, string, int) []string { return nil }

// SaveDraft keeps nothing.
func (r *reading) SaveDraft([]byte) {}

// LoadDraft has nothing: the draft is the other espy's.
func (r *reading) LoadDraft() []byte { return nil }
