package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"espy/agent/message"
)

// blobMark stands for the blob's name until its hash is known. Cleaned output holds no control characters.
const blobMark = "\x00blob\x00"

// capture takes a command's output as it comes: cleaned, folded, its head and tail kept for the model, and the
// whole stored as a blob once it is more than a model is shown. Its memory does not grow with the output. One
// goroutine writes, others may look at what came last; finish or abandon is called after writing ended.
type capture struct {
	mu    sync.Mutex // guards all of it: news is told by a timer too
	clean cleaner
	fold  folder
	shown headTail
	whole spillStream
	last  recent
	news  news
}

func newCapture(ctx context.Context, blobs Blobs, progress func(lines string)) *capture {
	c := &capture{whole: spillStream{ctx: context.WithoutCancel(ctx), blobs: blobs}}
	c.news = news{tell: progress, again: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.news.due(c.clean.line)
	}}
	c.clean.emit = c.line
	c.fold = folder{emit: c.keep, name: blobMark}
	return c
}

// Write takes a piece of output. It never fails, so that a command is not killed by a full disk half way.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.clean.Write(p)
	c.news.came(c.clean.line)
	return n, err
}

func (c *capture) keep(text string, ended bool) {
	c.shown.line(text, ended)
	c.last.line(text, ended)
}

// quiet ends the telling of progress: nobody follows the command any more.
func (c *capture) quiet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news.end()
}

func (c *capture) line(text string, ended bool) {
	c.whole.write(text)
	if ended {
		c.whole.write("\n")
	}
	c.fold.line(text, ended)
	c.news.line(text)
}

// finish returns what the model is shown and the Ref of the whole output, "" where what is shown is all. An
// error means that the output could not be stored.
func (c *capture) finish() (shown, ref string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news.end()
	c.clean.close()
	c.fold.close()
	ref, err = c.whole.finish(c.fold.any)
	if err != nil {
		return "", "", err
	}
	shown = c.shown.text(spillNote(c.shown.left(), blobMark))
	return strings.ReplaceAll(shown, blobMark, message.BlobName(ref)), ref, nil
}

// abandon lets go of what is stored of the output; nothing is kept.
func (c *capture) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news.end()
	if c.whole.pipe != nil {
		c.whole.pipe.CloseWithError(errAbandoned)
		<-c.whole.done
	}
}

// errAbandoned ends the storing of an output that nobody will read.
var errAbandoned = errors.New("the output is not kept")

// headTail keeps the beginning and the end of a text.
type headTail struct {
	head  []byte
	tail  []byte
	total int64
}

// tailRoom is how many bytes of the end are kept; half of what is shown.
const tailRoom = maxOutputChars / 2

func (h *headTail) line(text string, ended bool) {
	if ended {
		text += "\n"
	}
	h.total += int64(len(text))
	if room := maxOutputChars - tailRoom - len(h.head); room > 0 {
		n := min(room, len(text))
		h.head = append(h.head, text[:n]...)
		text = text[n:]
	}
	h.tail = append(h.tail, text...)
	if len(h.tail) > 4*tailRoom {
		h.tail = append(h.tail[:0], h.tail[len(h.tail)-tailRoom:]...)
	}
}

func (h *headTail) ends() (head, tail string) {
	if h.total <= maxOutputChars {
		return string(h.head), string(h.tail)
	}
	return cutHead(strings.ToValidUTF8(string(h.head), ""), len(h.head)-1), cutTail(string(h.tail), min(tailRoom, len(h.tail)-1))
}

// left is how many bytes are not shown.
func (h *headTail) left() int64 {
	head, tail := h.ends()
	return h.total - int64(len(head)) - int64(len(tail))
}

func (h *headTail) text(note string) string {
	head, tail := h.ends()
	if h.total <= maxOutputChars {
		return head + tail
	}
	return strings.TrimSuffix(head, "\n") + note + tail
}

// spillStream stores a text of unknown length as a blob while it is made. Short texts stay in memory and are
// stored only if finish is told to.
type spillStream struct {
	ctx   context.Context
	blobs Blobs

	pending strings.Builder
	pipe    *io.PipeWriter
	buffer  *bufio.Writer // before the pipe: a line at a time would wake the reader for each
	done    chan struct{} // closed by the storing goroutine; ref and err are then set
	ref     string
	err     error
	stored  int64
	lost    int64
}

func (s *spillStream) write(text string) {
	if s.pipe == nil {
		s.pending.WriteString(text)
		if s.pending.Len() > maxOutputChars {
			s.start()
		}
		return
	}
	s.pass(text)
}

func (s *spillStream) start() {
	r, w := io.Pipe()
	s.pipe, s.buffer, s.done = w, bufio.NewWriterSize(w, spillBuffer), make(chan struct{})
	go func() {
		defer close(s.done)
		s.ref, s.err = s.blobs.PutBlob(s.ctx, "txt", r)
		r.CloseWithError(io.ErrClosedPipe) // whatever still comes is dropped, and finish reports s.err
	}()
	s.pass(s.pending.String())
	s.pending.Reset()
}

func (s *spillStream) pass(text string) {
	if s.stored+int64(len(text)) > maxSpillBytes {
		s.lost += int64(len(text))
		return
	}
	n, _ := s.buffer.WriteString(text)
	s.stored += int64(n)
}

// finish waits for the blob. A text still in memory is stored where always is set.
func (s *spillStream) finish(always bool) (string, error) {
	if s.pipe == nil {
		if !always {
			return "", nil
		}
		s.start()
	}
	if s.lost > 0 {
		fmt.Fprintf(s.buffer, "\n[%s more were printed and not stored]\n", size(s.lost))
	}
	_ = s.buffer.Flush() // fails only if storing did, which is told below
	s.pipe.Close()
	<-s.done
	if s.err != nil {
		return "", fmt.Errorf("storing the output of a command: %w", s.err)
	}
	return s.ref, nil
}
