package input

import (
	"os"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Reader is the program's input: give it to tea.WithInput. Bubble Tea calls Read whenever the terminal has something, and
// Read delivers it as messages. It is safe for concurrent use; a second Read waits for the first.
type Reader struct {
	file // shows its descriptor on Unix, so that raw mode, cancelling and suspending work as with standard input

	mu   sync.Mutex // one Read at a time: messages must keep their order
	dec  decoder
	send func(tea.Msg)
	buf  []byte
	last time.Time // when the last bytes came
	held           // how the terminal was before

	chordWait, burstWait time.Duration // the constants; tests that must not depend on a clock wait longer
}

// New returns a reader of stdin that hands its messages to send, which is tea.Program.Send: it may block until the message is
// taken and must return once the program has ended. send is not called before the first Read.
func New(stdin *os.File, send func(tea.Msg)) *Reader {
	return &Reader{
		file: newFile(stdin), dec: decoder{emit: send}, send: send, buf: make([]byte, readSize),
		chordWait: chordWait, burstWait: burstWait,
	}
}

// Read takes what the terminal has sent and delivers it before it returns. It puts nothing into p: the count is always 0, and
// the error is nil until the terminal is gone, which a [ClosedMsg] says too. It blocks only while there is nothing to read.
func (r *Reader) Read(_ []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, err := r.more()
	r.take(b)
	for err == nil && r.dec.holding() {
		if !r.ready(r.chordWait) {
			r.dec.flush()
			break
		}
		b, err = r.more()
		r.dec.feed(b)
	}
	if err != nil {
		r.dec.flush()
		r.send(ClosedMsg{Err: err})
	}
	return 0, err
}

// more reads once.
func (r *Reader) more() ([]byte, error) {
	n, err := r.file.Read(r.buf)
	return r.buf[:max(n, 0)], err
}

// take decodes the first bytes of a Read. What came before them may be too old to be continued.
func (r *Reader) take(b []byte) {
	now := time.Now()
	idle := now.Sub(r.last)
	r.last = now
	if idle > staleAfter {
		r.dec.drop()
	}
	if idle > abandonAfter && string(b) == "\x03" {
		r.dec.abandon()
	}
	if r.dec.idle() && isBurst(b) {
		r.burst(b)
		return
	}
	r.dec.feed(b)
}

// burst gathers a paste that a terminal without bracketed paste sends as if it were typed. It ends where the terminal pauses
// or sends anything but text. If it is one line that ends in Enter, the Enter was meant.
func (r *Reader) burst(b []byte) {
	c := collect{limit: maxPaste}
	c.add(b)
	var rest []byte // what ended the burst; a lost terminal shows again at the next read
	for r.ready(r.burstWait) {
		more, err := r.more()
		if err != nil || !isText(more) {
			rest = more
			break
		}
		c.add(more)
	}
	enter := isOneLine(c.text)
	if enter {
		c.text = c.text[:len(c.text)-1]
	}
	r.send(c.message())
	if enter {
		r.send(key("enter", 0))
	}
	r.dec.feed(rest)
}

// idle reports that nothing is half read.
func (d *decoder) idle() bool { return d.body == nil && len(d.pending) == 0 }

// isBurst reports whether b is more text than a person types between two reads.
func isBurst(b []byte) bool { return len(b) >= burstSize && isText(b) }

// isText reports whether b holds no control characters but tabs and line ends.
func isText(b []byte) bool {
	for _, c := range b {
		if (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f {
			return false
		}
	}
	return len(b) > 0
}

// isOneLine reports whether b is text without a line end but for the "\r" of an Enter at its end.
func isOneLine(b []byte) bool {
	for i, c := range b {
		if c == '\n' || c == '\r' {
			return c == '\r' && i == len(b)-1
		}
	}
	return false
}
