package media

import (
	"errors"
	"fmt"

	"espy/media/rows"
)

// relay stands between a decoder and the renderer so that one reads on while the other scales: rows are copied into
// batches, and a second goroutine works them off in order. Begin is passed on at once. It is used by one decoder, which
// calls close when it is done.
type relay struct {
	to      rows.Sink
	filling *batch
	full    chan *batch
	empty   chan *batch
	done    chan struct{}
	started bool
	stopped bool  // the renderer failed and takes no more
	err     error // of the goroutine; to be read once done is closed
}

// batch is rows one after the other.
type batch struct {
	samples []byte
	rows    []relayed
}

// relayed is a row of a batch: its plane, and where it ends.
type relayed struct{ plane, end int }

func newRelay(to rows.Sink) *relay {
	return &relay{to: to, full: make(chan *batch, relayBatches), empty: make(chan *batch, relayBatches), done: make(chan struct{})}
}

// Begin begins both sides.
func (r *relay) Begin(h rows.Header) error {
	if r.started {
		return errors.New("the decoder begins twice")
	}
	if err := r.to.Begin(h); err != nil {
		return err
	}
	for range relayBatches {
		r.empty <- new(batch)
	}
	r.filling = <-r.empty
	r.started = true
	go r.run()
	return nil
}

// Row puts a row into the batch, and hands it on where it is full.
func (r *relay) Row(plane int, samples []byte) error {
	if r.stopped {
		return r.err
	}
	b := r.filling
	b.samples = append(b.samples, samples...)
	b.rows = append(b.rows, relayed{plane, len(b.samples)})
	if len(b.samples) < relayBytes && len(b.rows) < relayRows {
		return nil
	}
	return r.hand()
}

// hand passes the batch on and takes an empty one.
func (r *relay) hand() error {
	r.full <- r.filling // never waits: there are no more batches than fit in
	select {
	case r.filling = <-r.empty:
		return nil
	case <-r.done:
		r.stopped = true
		return r.err
	}
}

// run works batches off until there are no more or one fails.
func (r *relay) run() {
	defer close(r.done)
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("scaling failed: %v", p)
		}
	}()
	for b := range r.full {
		at := 0
		for _, row := range b.rows {
			if r.err = r.to.Row(row.plane, b.samples[at:row.end]); r.err != nil {
				return
			}
			at = row.end
		}
		b.samples, b.rows = b.samples[:0], b.rows[:0]
		r.empty <- b
	}
}

// close hands the last rows on and waits until all are worked off.
func (r *relay) close() error {
	if !r.started {
		return nil
	}
	if !r.stopped {
		r.full <- r.filling
	}
	close(r.full)
	<-r.done
	return r.err
}
