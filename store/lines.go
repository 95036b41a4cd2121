package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

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
// without its newline is kept when it is whole. Lines are read in order and decoded in chunks side by side:
// decoding takes nearly all of the time of a resume. Of the log's text only what is being decoded is held, in a few
// buffers that are used again; what remains is the records.
func load(ctx context.Context, r io.Reader) (Loaded, error) {
	lines := newLineReader(contextReader{ctx, r}, maxRecordBytes)
	var workers errgroup.Group
	workers.SetLimit(decoders)
	buffers := make(chan []byte, decoders+1)
	for range cap(buffers) {
		buffers <- nil
	}
	var chunks []*chunk
	for reading := true; reading; {
		c := &chunk{text: <-buffers}
		err := c.fill(lines)
		reading = err == nil
		if err != nil && !errors.Is(err, io.EOF) {
			workers.Wait()
			return Loaded{}, err
		}
		chunks = append(chunks, c)
		workers.Go(func() error {
			buffers <- c.decode()
			return nil
		})
	}
	workers.Wait()
	return gather(chunks), nil
}

func gather(chunks []*chunk) Loaded {
	var all Loaded
	count := 0
	for _, c := range chunks {
		count += len(c.Records)
	}
	all.Records = make([]message.Record, 0, count)
	for _, c := range chunks {
		all.Records = append(all.Records, c.Records...)
		all.Damaged += c.Damaged
	}
	return all
}

// chunk is some lines of a log, and what they held.
type chunk struct {
	text []byte
	ends []int // where each line ends in text
	Loaded
}

// fill takes lines until there is enough for one worker. It returns io.EOF with the last.
func (c *chunk) fill(lines *lineReader) error {
	if c.text == nil {
		c.text = make([]byte, 0, chunkBytes+readBytes)
	}
	for len(c.text) < chunkBytes {
		l, err := lines.next()
		switch {
		case err != nil:
			return err
		case l.size > int64(len(l.text)):
			c.Damaged++
		case l.size > 0:
			c.text = append(c.text, l.text...)
			c.ends = append(c.ends, len(c.text))
		}
	}
	return nil
}

// decode reads the lines and returns the buffer that held them, for the next chunk; not one that a long line made.
func (c *chunk) decode() (buffer []byte) {
	c.Records = make([]message.Record, 0, len(c.ends))
	start := 0
	for _, end := range c.ends {
		record, err := decode(c.text[start:end])
		start = end
		if err != nil {
			c.Damaged++
			continue
		}
		c.Records = append(c.Records, record)
	}
	if cap(c.text) <= 2*chunkBytes {
		buffer = c.text[:0]
	}
	c.text, c.ends = nil, nil
	return buffer
}

// decode reads a line that is held whole.
func decode(text []byte) (message.Record, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not valid UTF-8")
	}
	return message.Decode(bytes.TrimRight(text, "\r"))
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
