// Package paint puts frames on a terminal: the newest one, only what changed of it, in one piece.
//
// A frame is lines of styled text and the place of the cursor. Whoever draws hands frames over with [Painter.Show] and is
// never held up: one goroutine of the painter writes, and while the terminal takes its time, frames that were overtaken
// are dropped. Between frames the painter does nothing: it writes nothing and wakes up for nothing. [Painter.Wait] says
// when a frame was really written, for what must have been seen before it is answered.
//
// What is on the screen is known line by line. Of a changed line only what follows the first difference is written, and
// only where every terminal agrees at which column that is. After the terminal was another program's, or has another
// size, everything is painted once.
//
// The package knows the sequences that move, erase and show. It knows nothing of the program, of Bubble Tea, of the modes
// of the terminal and of who has it.
package paint

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// ErrEnded says that a frame will not be written any more.
var ErrEnded = errors.New("the painter has ended")

// Painter paints frames. Its methods may be called from any goroutine; Show and Next belong together on one.
type Painter struct {
	out   io.Writer
	fault func(any)

	wake  chan struct{} // holds one: there is something to look at
	quit  chan struct{} // closed by Close
	ended chan struct{} // closed by the goroutine

	mu      sync.Mutex
	next    *Frame // the newest, nil where it was begun
	number  uint64 // of the newest
	written uint64 // of the newest that was written
	marked  bool   // the terminal takes whole frames
	whole   bool   // the next frame is painted whole
	away    bool   // the terminal is another's
	writing bool
	closing bool
	changed chan struct{} // closed and replaced when written or writing changed

	shown shown     // the goroutine's, and Pause's while nothing is written
	free  time.Time // when the terminal has had time for what it was given
}

// New returns a painter that writes to out, each frame in one call. A fault in painting is handed to fault, on the
// painter's goroutine, which then has ended. Nothing is painted before [Painter.Resume].
func New(out io.Writer, fault func(any)) *Painter {
	p := &Painter{out: out, fault: fault, away: true, wake: make(chan struct{}, 1), quit: make(chan struct{}),
		ended: make(chan struct{}), changed: make(chan struct{})}
	go p.run()
	return p
}

// Show makes f what the screen is to show. It does not wait.
func (p *Painter) Show(f Frame) {
	p.mu.Lock()
	p.next = &f
	p.number++
	p.mu.Unlock()
	p.stir()
}

// Next is the number of the frame that [Painter.Show] will be called with next.
func (p *Painter) Next() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.number + 1
}

// Repaint makes the next frame painted whole: the screen may show something else than was written.
func (p *Painter) Repaint() {
	p.mu.Lock()
	p.whole = true
	p.mu.Unlock()
}

// SetMarked says whether the terminal can be told where a frame begins and ends (mode 2026), so that it never shows half
// of one.
func (p *Painter) SetMarked(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marked = on
}

// Wait waits until the frame of a number, or a newer one in its place, was written whole. The error says that it will not
// be, or that ctx ended first.
func (p *Painter) Wait(ctx context.Context, number uint64) error {
	for {
		p.mu.Lock()
		written, changed := p.written >= number, p.changed
		p.mu.Unlock()
		if written {
			return nil
		}
		select {
		case <-changed:
		case <-p.ended:
			return ErrEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Pause waits for the frame that is being written and paints no more until [Painter.Resume]: the terminal goes to another
// program. The cursor gets its usual shape back. It is false where the terminal takes nothing any more.
func (p *Painter) Pause() bool {
	p.mu.Lock()
	p.away = true
	p.mu.Unlock()
	if !p.rested() {
		return false
	}
	if b := p.shown.undo(); len(b) > 0 {
		_, _ = p.out.Write(b)
	}
	return true
}

// rested waits until nothing is being written.
func (p *Painter) rested() bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		p.mu.Lock()
		writing, changed := p.writing, p.changed
		p.mu.Unlock()
		if !writing {
			return true
		}
		select {
		case <-changed:
		case <-late.C:
			return false
		}
	}
}

// Resume paints again, the next frame whole. What was to be shown before is not: the terminal may have another size.
func (p *Painter) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away, p.whole, p.next = false, true, nil
}

// Close pauses and ends the painter. It is false where the terminal takes nothing any more: its goroutine then ends when
// the terminal goes.
func (p *Painter) Close() bool {
	ok := p.Pause()
	p.mu.Lock()
	first := !p.closing
	p.closing = true
	p.mu.Unlock()
	if first {
		close(p.quit)
	}
	if ok {
		<-p.ended
	}
	return ok
}

func (p *Painter) stir() {
	select {
	case p.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// run paints until the painter is closed.
func (p *Painter) run() {
	defer close(p.ended)
	defer func() {
		if fault := recover(); fault != nil {
			p.finish(0)
			p.fault(fault)
		}
	}()
	for {
		select {
		case <-p.wake:
		case <-p.quit:
			return
		}
		if p.rest() {
			p.paint()
		}
	}
}

// rest waits until the terminal has had time for the frames before; what comes meanwhile overtakes. It is false where
// the painter ends first.
func (p *Painter) rest() bool {
	pause := time.Until(p.free)
	if pause <= 0 {
		return true
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.quit:
		return false
	}
}

// paint writes the newest frame.
func (p *Painter) paint() {
	p.mu.Lock()
	f, number, marked := p.next, p.number, p.marked
	if f == nil || p.away {
		p.mu.Unlock()
		return
	}
	if p.whole {
		p.shown.forget()
	}
	p.next, p.whole, p.writing = nil, false, true
	p.mu.Unlock()
	if b := p.shown.paint(*f, marked); len(b) > 0 {
		n, err := p.out.Write(b)
		p.free = time.Now().Add(min(time.Duration(n)*time.Second/bytesPerSecond, longestRest))
		if err != nil { // what arrived of it is anybody's guess
			p.shown.forget()
			number = 0
		}
	}
	p.finish(number)
}

// finish says that nothing is being written, and that a frame was; 0 is none.
func (p *Painter) finish(number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written, p.writing = max(p.written, number), false
	close(p.changed)
	p.changed = make(chan struct{})
}
