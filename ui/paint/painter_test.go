package paint

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// stuck is how long a test waits for what must come. It is no measure of speed.
const stuck = 30 * time.Second

// sink is a terminal that can be slow, or broken.
type sink struct {
	mu    sync.Mutex
	out   strings.Builder
	count int
	fail  error
	gate  chan struct{} // where set, each write takes one from it
	began chan struct{} // each write says so
}

func newSink() *sink { return &sink{began: make(chan struct{}, 1000)} }

func (s *sink) Write(b []byte) (int, error) {
	s.began <- struct{}{}
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.fail != nil {
		return 0, s.fail
	}
	return s.out.Write(b)
}

func (s *sink) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func start(t *testing.T, s *sink) *Painter {
	t.Helper()
	p := New(s, func(fault any) { t.Errorf("a fault: %v", fault) })
	p.Resume()
	t.Cleanup(func() { p.Close() })
	return p
}

func text(lines ...string) Frame { return Frame{Lines: lines, Width: 20, Height: 4} }

// wait waits for a frame.
func wait(t *testing.T, p *Painter, number uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stuck)
	defer cancel()
	if err := p.Wait(ctx, number); err != nil {
		t.Fatalf("frame %d was not written: %v", number, err)
	}
}

func TestASlowTerminalGetsTheNewestFrameAndHoldsNobodyUp(t *testing.T) {
	s := newSink()
	s.gate = make(chan struct{})
	p := start(t, s)
	p.Show(text("first"))
	<-s.began
	for range 1000 { // nobody waits here
		p.Show(text("overtaken"))
	}
	last := p.Next()
	p.Show(text("last"))
	s.gate <- struct{}{}
	s.gate <- struct{}{}
	wait(t, p, last)
	if out := s.written(); !strings.Contains(out, "first") || !strings.Contains(out, "last") || strings.Contains(out, "overtaken") {
		t.Errorf("written is %q", out)
	}
}

func TestAFrameIsReportedOnlyWhenTheTerminalHasTakenAllOfIt(t *testing.T) {
	s := newSink()
	s.gate = make(chan struct{})
	p := start(t, s)
	number := p.Next()
	p.Show(text("a question"))
	<-s.began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Wait(ctx, number); !errors.Is(err, context.Canceled) {
		t.Errorf("the frame is still being written, and waiting for it gives %v", err)
	}
	s.gate <- struct{}{}
	wait(t, p, number)
	next := p.Next()
	p.Show(text("a question")) // nothing to write: it is there
	wait(t, p, next)
}

func TestAFrameThatFailedIsNotReportedAndTheNextIsPaintedWhole(t *testing.T) {
	s := newSink()
	p := start(t, s)
	p.Show(text("here before", "and this"))
	wait(t, p, 1)
	s.mu.Lock()
	s.fail = errors.New("gone")
	s.mu.Unlock()
	p.Show(text("here before", "and that"))
	<-s.began
	<-s.began
	p.rested()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Wait(ctx, 2); err == nil {
		t.Error("a frame that failed is said to be written")
	}
	s.mu.Lock()
	s.fail = nil
	s.mu.Unlock()
	p.Show(text("here before", "and those"))
	wait(t, p, 3)
	if strings.Count(s.written(), "here before") != 2 {
		t.Errorf("after a failure not everything was painted again: %q", s.written())
	}
}

func TestAwayFromTheTerminalNothingIsPaintedAndBackAllOfItIs(t *testing.T) {
	s := newSink()
	p := start(t, s)
	f := text("mine", "too")
	f.Caret = Caret{X: 1, Y: 1, Shown: true, Shape: Bar}
	p.Show(f)
	wait(t, p, 1)
	if !p.Pause() {
		t.Fatal("the terminal was not let go")
	}
	if !strings.HasSuffix(s.written(), "\x1b[0 q") {
		t.Errorf("the cursor keeps its shape: %q", s.written())
	}
	before := s.written()
	p.Show(text("not now"))
	p.Resume()
	p.Show(f)
	wait(t, p, 3)
	after := s.written()[len(before):]
	if strings.Contains(after, "not now") || !strings.Contains(after, "mine") || !strings.Contains(after, "\x1b[6 q") {
		t.Errorf("back on the terminal %q was painted", after)
	}
}

func TestAClosedPainterWritesNoMoreAndSaysSo(t *testing.T) {
	s := newSink()
	p := New(s, nil)
	p.Resume()
	p.Show(text("a"))
	wait(t, p, 1)
	p.Close()
	if !p.Close() {
		t.Fatal("it did not end")
	}
	p.Show(text("b"))
	if err := p.Wait(t.Context(), 2); !errors.Is(err, ErrEnded) {
		t.Errorf("waiting for a frame that will not come gives %v", err)
	}
	if s.count != 1 {
		t.Errorf("%d frames were written, want 1", s.count)
	}
}

// broken is a terminal that makes its painter fail.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("broken") }

func TestAFaultInPaintingIsHandedOnAndNobodyWaitsForEver(t *testing.T) {
	faults := make(chan any, 1)
	p := New(broken{}, func(fault any) { faults <- fault })
	p.Resume()
	p.Show(text("a"))
	if fault := <-faults; fault != "broken" {
		t.Errorf("the fault is %v", fault)
	}
	if err := p.Wait(t.Context(), 1); !errors.Is(err, ErrEnded) {
		t.Errorf("waiting gives %v", err)
	}
	if !p.Close() {
		t.Error("it is said to hang")
	}
}

// BenchmarkFrame is what painting costs, without the terminal: a letter typed, a line scrolled, a whole screen.
func BenchmarkFrame(b *testing.B) {
	const width, height = 120, 40
	lines := make([]string, height+2)
	for i := range lines {
		lines[i] = "  \x1b[38;5;6mfunc\x1b[0m " + strings.Repeat("some words of an answer ", 4) + "\x1b[2m─│\x1b[0m"
	}
	for i := range lines {
		lines[i] += strings.Repeat("x", i%7)
	}
	frame := func(from int, last string) Frame {
		out := append([]string(nil), lines[from:from+height]...)
		out[height-2] = last
		return Frame{Lines: out, Width: width, Height: height, Caret: Caret{X: 2, Y: height - 2, Shown: true}}
	}
	run := func(name string, frames ...Frame) {
		b.Run(name, func(b *testing.B) {
			var s shown
			s.paint(frames[0], true)
			bytes, i := 0, 0
			for b.Loop() {
				if name == "whole" {
					s.forget()
				}
				i++
				bytes += len(s.paint(frames[i%len(frames)], true))
			}
			b.ReportMetric(float64(bytes)/float64(i), "bytes/frame")
		})
	}
	run("key", frame(0, "› some wor"), frame(0, "› some word"))
	run("scroll", frame(0, "›"), frame(1, "›"))
	run("whole", frame(0, "›"))
}
