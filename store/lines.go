package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"espy/agent/message"
)

// line is one line of a log. Text is at most the reader's limit long and valid until the next line is read.
type line struct {
	text  []byte
	size  int64 // of the whole line without its newline
	ended bool  // a newline stands after it
}

// lineReader reads lines of any length in bounded memory: of a longer one only the start is held.
type lineReader struct {
	r     *bufio.Reader
	limit int
	held  []byte
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBytes), limit: limit}
}

// next returns the next line, or io.EOF after the last.
func (l *lineReader) next() (line, error) {
	l.held = l.held[:0]
	var size int64
	for {
		part, err := l.r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		size += int64(len(part))
		l.held = append(l.held, part[:min(len(part), l.limit-len(l.held))]...)
		switch {
		case ended:
			return line{l.held, size, true}, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && size > 0:
			return line{l.held, size, false}, nil
		default:
			return line{}, err
		}
	}
}

// load reads a whole log. A line that is no record is skipped and counted, wherever it stands; a last line
// without its newline is kept when it is whole.
func load(ctx context.Context, r io.Reader) (Loaded, error) {
	var loaded Loaded
	lines := newLineReader(contextReader{ctx, r}, maxRecordBytes)
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return loaded, nil
		}
		if err != nil {
			return loaded, err
		}
		if l.size == 0 {
			continue
		}
		record, err := decode(l)
		if err != nil {
			loaded.Damaged++
			continue
		}
		loaded.Records = append(loaded.Records, record)
	}
}

// decode reads a line that is held whole.
func decode(l line) (message.Record, error) {
	if l.size > int64(len(l.text)) {
		return nil, fmt.Errorf("a line of %d bytes; records end at %d", l.size, maxRecordBytes)
	}
	if !utf8.Valid(l.text) {
		return nil, errors.New("not valid UTF-8")
	}
	return message.Decode(bytes.TrimRight(l.text, "\r"))
}

// encode writes records as lines.
func encode(records []message.Record) ([]byte, error) {
	var batch []byte
	for _, r := range records {
		text, err := message.Encode(r)
		switch {
		case err != nil:
			return nil, err
		case len(text) > maxRecordBytes:
			return nil, fmt.Errorf("a %s record of %d bytes; the log takes %d", r.Header().Kind, len(text), maxRecordBytes)
		case bytes.IndexByte(text, '\n') >= 0:
			return nil, fmt.Errorf("a %s record with a line break in it", r.Header().Kind)
		}
		batch = append(append(batch, text...), '\n')
	}
	return batch, nil
}
