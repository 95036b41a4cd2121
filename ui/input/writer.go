package input

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/x/term"
)

const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"

	// The title of the window is kept while the program writes its own (xterm's title stack).
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"

	// The mouse: presses and the wheel, and movements while a button is down, in the form without bounds (SGR). Where Shift
	// is held, terminals keep the mouse for selecting.
	mouseOn  = "\x1b[?1002h\x1b[?1006h"
	mouseOff = "\x1b[?1002l\x1b[?1006l"
)

// errAway says that the terminal is another program's.
var errAway = errors.New("the terminal is not this program's now")

// Writer is the terminal as the program writes to it. [Writer.Enter] makes it the program's, [Writer.Leave] gives it back,
// and what is written in between goes out in one piece each. Its methods are safe for concurrent use; those that write wait
// for the terminal, and belong where that holds nothing up.
type Writer struct {
	*os.File
	events   atomic.Bool
	mouse    atomic.Bool
	farewell atomic.Pointer[string]

	mu      sync.Mutex // held while something is written, and while the terminal changes hands
	entered bool       // the alternate screen is ours
	moused  bool       // the terminal reports the mouse
	console console
}

// NewWriter returns a writer to stdout.
func NewWriter(stdout *os.File) *Writer { return &Writer{File: stdout} }

// Size is the window's size in cells.
func (w *Writer) Size() (width, height int, err error) { return term.GetSize(w.Fd()) }

// SetMouse says whether the program wants the mouse. It takes effect at [Writer.Enter] and [Writer.TellMouse].
func (w *Writer) SetMouse(on bool) { w.mouse.Store(on) }

// TellMouse tells the terminal whether the program wants the mouse.
func (w *Writer) TellMouse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if on := w.mouse.Load(); w.entered && on != w.moused {
		w.moused = on
		_ = writeAll(w.File, []byte(mouseMode(on))) // a terminal that takes nothing has no mouse
	}
}

func mouseMode(on bool) string {
	if on {
		return mouseOn
	}
	return mouseOff
}

// SetEvents says whether the terminal sends clipboard events (mode 5522); Events reports it.
func (w *Writer) SetEvents(on bool) { w.events.Store(on) }

// Events reports whether clipboard events were asked for.
func (w *Writer) Events() bool { return w.events.Load() }

// SetFarewell says what is written before the alternate screen is left, besides [Teardown]: pictures belong to a screen and
// outlive what is drawn over them.
func (w *Writer) SetFarewell(s string) { w.farewell.Store(&s) }

// Enter makes the terminal the program's: the alternate screen, empty, with [Setup] and what the program wants besides.
func (w *Writer) Enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.entered {
		return nil
	}
	if err := w.console.take(w.File); err != nil {
		return err
	}
	w.entered, w.moused = true, w.mouse.Load()
	s := pushTitle + enterScreen + wholeScreen + Setup
	if w.moused {
		s += mouseOn
	}
	if w.events.Load() {
		s += EnableClipboardEvents
	}
	return writeAll(w.File, []byte(s))
}

// Leave gives the terminal back as [Writer.Enter] found it.
func (w *Writer) Leave() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.entered {
		return nil
	}
	w.entered = false
	s := Teardown + popTitle
	if last := w.farewell.Load(); last != nil {
		s += *last
	}
	err := writeAll(w.File, []byte(s+leaveScreen+showCursor))
	return errors.Join(err, w.console.give(w.File))
}

// Graphics writes b, in one piece, where the terminal is the program's; otherwise b is dropped. A terminal that takes nothing
// shows nothing, which is nothing to stop for.
func (w *Writer) Graphics(b []byte) { _, _ = w.Write(b) }

// Write writes b in one piece where the terminal is the program's.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.entered {
		return 0, errAway
	}
	if err := writeAll(w.File, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// WriteString is Write for strings.
func (w *Writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }
