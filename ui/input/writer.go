package input

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"

	// The title of the window is kept while the program writes its own (xterm's title stack).
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"

	frameBegin = "\x1b[?2026h"
	frameEnd   = "\x1b[?2026l"

	// frameSize is the least that is worth marking as one frame, in bytes: less is drawn at once anyway.
	frameSize = 256
)

// Writer is the program's output: give it to tea.WithOutput. It writes [Setup] whenever the alternate screen is entered and
// [Teardown] before it is left, so that a start, an exit, a suspension and another program in between all find the terminal
// as they should. It shows the descriptor of the file it writes to, for the size of the window.
type Writer struct {
	*os.File
	frames atomic.Bool
	events atomic.Bool

	mu       sync.Mutex // held while the terminal changes hands
	entered  bool       // the alternate screen is ours
	farewell string     // written before it is left
}

// NewWriter returns a writer to stdout.
func NewWriter(stdout *os.File) *Writer { return &Writer{File: stdout} }

// SetFrames says whether the terminal can be told where a frame begins and ends (mode 2026), so that it never shows half of
// one.
func (w *Writer) SetFrames(on bool) { w.frames.Store(on) }

// SetEvents says whether the terminal sends clipboard events (mode 5522); Events reports it.
func (w *Writer) SetEvents(on bool) { w.events.Store(on) }

// Events reports whether clipboard events were asked for.
func (w *Writer) Events() bool { return w.events.Load() }

// SetFarewell says what is written before the alternate screen is left, besides [Teardown]: pictures belong to a screen and
// outlive what is drawn over them.
func (w *Writer) SetFarewell(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.farewell = s
}

// Graphics writes b, in one piece, where the alternate screen is ours; otherwise b is dropped. A terminal that takes nothing
// shows nothing, which is nothing to stop for.
func (w *Writer) Graphics(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.entered {
		_, _ = w.File.Write(b)
	}
}

// Write writes b with what belongs around it, in one piece.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.wrap(b)
	n, err := w.File.Write(out)
	if err != nil {
		return min(n, len(b)), err
	}
	return len(b), nil
}

// WriteString is Write for strings.
func (w *Writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *Writer) wrap(b []byte) []byte {
	switch {
	case len(b) <= 2*len(enterScreen) && bytes.Contains(b, []byte(enterScreen)):
		w.entered = true
		out := append([]byte(pushTitle), append(bytes.Clone(b), Setup...)...)
		if w.events.Load() {
			out = append(out, EnableClipboardEvents...)
		}
		return out
	case len(b) <= 2*len(leaveScreen) && bytes.Contains(b, []byte(leaveScreen)):
		w.entered = false
		return append([]byte(Teardown+popTitle+w.farewell), b...)
	case len(b) >= frameSize && w.frames.Load():
		out := make([]byte, 0, len(frameBegin)+len(b)+len(frameEnd))
		return append(append(append(out, frameBegin...), b...), frameEnd...)
	}
	return b
}

// Options are the program options that put a reader and a writer in place.
func Options(r *Reader, w *Writer) []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithInput(r), tea.WithOutput(w)}
}
