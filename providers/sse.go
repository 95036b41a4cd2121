package providers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrEventTooLong says that a server sent an event larger than MaxEventBytes.
var ErrEventTooLong = errors.New("the server sent an event larger than 64 MiB")

// Event is one server-sent event. Data is valid until the next call of Next.
type Event struct {
	Name string // the event field; "" where the server sends data only
	Data []byte // never empty; several data lines are joined by newlines
	Cut  bool   // the stream ended inside the event: Data may be half of what was meant
}

// Events reads a stream of server-sent events as the WHATWG specification words it, and forgives what servers
// get wrong: lines end in LF, CRLF or CR, a byte order mark is skipped, comments and unknown fields are passed
// over, and an event that the end of the stream cuts short is still delivered, marked Cut.
type Events struct {
	r      *bufio.Reader
	line   []byte
	data   []byte
	name   string
	begun  bool // the first line was read
	skipLF bool // the last line ended in CR: a LF that follows belongs to it
	err    error
}

// NewEvents reads events from r. It never reads further than it must to deliver the next event.
func NewEvents(r io.Reader) *Events {
	return &Events{r: bufio.NewReaderSize(r, 16<<10)}
}

// Next returns the next event with data. At the end of the stream it returns io.EOF, or the reader's own error.
func (e *Events) Next() (Event, error) {
	e.data, e.name = e.data[:0], ""
	for e.err == nil {
		line, err := e.readLine()
		e.err = err
		if len(line) == 0 && err == nil {
			if event, ok := e.take(false); ok {
				return event, nil
			}
			continue
		}
		if err := e.field(line); err != nil {
			e.err = err
			return Event{}, err
		}
	}
	if event, ok := e.take(true); ok && !errors.Is(e.err, ErrEventTooLong) {
		return event, nil
	}
	return Event{}, e.err
}

// take ends the event that was being gathered. Without data there is none.
func (e *Events) take(cut bool) (Event, bool) {
	event := Event{Name: e.name, Data: bytes.TrimSuffix(e.data, []byte("\n")), Cut: cut}
	if len(event.Data) == 0 {
		e.data, e.name = e.data[:0], ""
		return Event{}, false
	}
	return event, true
}

func (e *Events) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if len(e.data)+len(value) > MaxEventBytes {
			return ErrEventTooLong
		}
		e.data = append(append(e.data, value...), '\n')
	case "event":
		e.name = string(value)
	}
	return nil
}

// readLine returns the next line without its end. With an error it returns what there was of the line.
func (e *Events) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		if _, err := e.r.Peek(1); err != nil {
			return e.stripMark(e.line), err
		}
		chunk, _ := e.r.Peek(e.r.Buffered())
		if e.skipLF {
			e.skipLF = false
			if chunk[0] == '\n' {
				e.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end >= 0 {
			e.line = append(e.line, chunk[:end]...)
			e.skipLF = chunk[end] == '\r'
			e.r.Discard(end + 1)
			return e.stripMark(e.line), nil
		}
		e.line = append(e.line, chunk...)
		e.r.Discard(len(chunk))
		if len(e.line) > MaxEventBytes {
			return nil, ErrEventTooLong
		}
	}
}

// stripMark takes a byte order mark off the first line.
func (e *Events) stripMark(line []byte) []byte {
	if e.begun {
		return line
	}
	e.begun = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}
