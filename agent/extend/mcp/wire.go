package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

var (
	// errFlood ends the connection to a server that sends more than anybody asked for.
	errFlood = fmt.Errorf("it sent more than %d messages a second that nobody asked for", unaskedPerSecond)
	// errChatter ends the connection to a program that does not speak the protocol.
	errChatter = errors.New("it does not speak MCP: what it prints on standard output is no JSON-RPC")
	// errMessage ends the connection to a server whose messages nobody holds in memory.
	errMessage = fmt.Errorf("it sent a message of more than %d MiB", mostMessage>>20)
)

// heard are the notifications espy does something about; any other is dropped on the way.
var heard = []string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/progress", "notifications/subscriptions/acknowledged"}

// sieve reads the messages of a server, one a line, and lets through what the protocol's reader takes: lines that
// are no message are chatter of the program, contents nobody knows become words, and who sends too much is cut off.
type sieve struct {
	judge   judge
	from    *bufio.Reader
	chatter func(line []byte) // takes what is no message
	noise   int               // bytes of chatter since the last message

	ready   []byte // judged and not yet read
	drained chan struct{}

	mu  sync.Mutex
	err error
}

func newSieve(r io.Reader, chatter func([]byte)) *sieve {
	return &sieve{from: bufio.NewReaderSize(r, 64<<10), chatter: chatter, drained: make(chan struct{}), judge: judge{now: time.Now}}
}

// fault is why the sieve ended the connection, or nil.
func (s *sieve) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *sieve) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		select {
		case <-s.drained:
		default:
			close(s.drained)
		}
		if err != io.EOF {
			s.err = err
		}
	}
	return err
}

// Read implements io.Reader. One goroutine calls it.
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		line, err := readLine(s.from, mostMessage)
		if len(bytes.TrimSpace(line)) == 0 && err != nil {
			return 0, s.fail(err)
		}
		if errors.Is(err, errMessage) {
			return 0, s.fail(err)
		}
		messages, err := s.judge.line(line)
		switch {
		case errors.Is(err, errNoMessage):
			s.chatter(bytes.TrimRight(line[:min(len(line), mostRemembered)], "\r\n"))
			if s.noise += len(line); s.noise > mostChatter {
				return 0, s.fail(errChatter)
			}
		case err != nil:
			return 0, s.fail(err)
		default:
			s.noise = 0
			s.ready = messages
		}
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// readLine reads to the end of a line, or of the stream.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && err == nil {
			return part, nil
		}
		if len(line)+len(part) > most {
			return nil, errMessage
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// errNoMessage says that a line is no message at all.
var errNoMessage = errors.New("no message")

// judge looks at the messages of one stream, and counts those nobody asked for.
type judge struct {
	now   func() time.Time
	left  float64 // messages that may still come unasked
	since time.Time
	begun bool
}

// line judges a line: the messages to pass on, a line each; none where it was dropped.
func (j *judge) line(line []byte) ([]byte, error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil, nil
	case line[0] == '[': // several at once, as an earlier protocol had it
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) != nil {
			return nil, errNoMessage
		}
		var all []byte
		for _, one := range batch {
			passed, err := j.message(one)
			if err != nil {
				return nil, err
			}
			all = append(all, passed...)
		}
		return all, nil
	}
	return j.message(line)
}

// message judges one message.
func (j *judge) message(text []byte) ([]byte, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, errNoMessage
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		return nil, errNoMessage
	}
	id, method := m["id"], ""
	if raw, ok := m["method"]; ok {
		if json.Unmarshal(raw, &method) != nil || method == "" {
			return nil, errNoMessage
		}
		if !j.unasked() {
			return nil, errFlood
		}
		if len(id) == 0 && !slices.Contains(heard, method) {
			return nil, nil
		}
	} else if m["result"] == nil && m["error"] == nil {
		return nil, errNoMessage
	}
	if len(id) > 0 && id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil, nil // an id nobody gave
	}
	if fixed, changed := mend(m["result"]); changed {
		m["result"] = fixed
		again, err := json.Marshal(m)
		if err != nil {
			return nil, errNoMessage
		}
		text = again
	}
	if bytes.ContainsAny(text, "\r\n") { // a document over several lines
		var one bytes.Buffer
		if json.Compact(&one, text) != nil {
			return nil, errNoMessage
		}
		text = one.Bytes()
	}
	return append(slices.Clip(text), '\n'), nil
}

// unasked counts a message nobody asked for, and says whether it is one too many.
func (j *judge) unasked() bool {
	now := j.now()
	if !j.begun {
		j.begun, j.left, j.since = true, unaskedBurst, now
	}
	j.left = min(j.left+now.Sub(j.since).Seconds()*unaskedPerSecond, unaskedBurst)
	j.since = now
	j.left--
	return j.left >= 0
}
