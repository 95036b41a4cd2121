package providers

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// errStalled is the cause a request is cancelled with when no byte passed for too long.
var errStalled = errors.New("no byte came")

// stallWatch cancels a request when no byte has passed for too long.
type stallWatch struct {
	mu     sync.Mutex
	limit  time.Duration // while the answer comes
	first  time.Duration // before its first byte
	tail   time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
	cause  context.Context
}

func newStallWatch(ctx context.Context, t Timeouts) (context.Context, *stallWatch) {
	ctx, cancel := context.WithCancelCause(ctx)
	// The silence before the first byte of the answer has its own bound; the watch must not undercut it.
	first := max(t.Idle, t.Header+t.Connect)
	w := &stallWatch{limit: t.Idle, first: first, tail: t.Tail, cancel: cancel, cause: ctx}
	w.timer = time.AfterFunc(first, func() { cancel(errStalled) })
	return ctx, w
}

func (w *stallWatch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Reset(w.limit)
}

// sending notes that a piece of the request was taken.
func (w *stallWatch) sending() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Reset(w.first)
}

func (w *stallWatch) hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit = min(w.limit, w.tail)
	w.timer.Reset(w.limit)
}

func (w *stallWatch) stalled() bool { return errors.Is(context.Cause(w.cause), errStalled) }

func (w *stallWatch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// watchedReader feeds the watch with each piece of the answer.
type watchedReader struct {
	io.Reader
	watch *stallWatch
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.watch.touch()
	}
	return n, err
}

// watchedBody feeds the watch with each piece of the request.
type watchedBody struct {
	io.ReadCloser
	watch *stallWatch
}

func (r *watchedBody) Read(p []byte) (int, error) {
	r.watch.sending()
	return r.ReadCloser.Read(p)
}
