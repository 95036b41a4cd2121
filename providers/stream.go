package providers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
)

// Stream is a server's answer with a status of 2xx, before any of it was understood.
type Stream struct {
	Header http.Header
	body   *bufio.Reader
	raw    io.Closer
	watch  *stallWatch
	ex     Exchange
	ctx    context.Context
}

// Kind says what a success holds, judged by its first byte: servers label streams as JSON and JSON as streams.
type Kind string

const (
	KindEvents Kind = "events"
	KindJSON   Kind = "json"
	KindPage   Kind = "page"
	KindEmpty  Kind = "empty"
)

// Kind looks at the first byte that is not white space. It waits for it.
func (s *Stream) Kind() (Kind, error) {
	for {
		b, err := s.body.Peek(1)
		if err == io.EOF {
			return KindEmpty, nil
		}
		if err != nil {
			return "", s.ReadError(err)
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n':
			s.body.Discard(1)
		case '{', '[':
			return KindJSON, nil
		case '<':
			return KindPage, nil
		default:
			return KindEvents, nil
		}
	}
}

// Events reads the answer as server-sent events.
func (s *Stream) Events() *Events { return NewEvents(s.body) }

// JSON reads the answer as one JSON text, bounded.
func (s *Stream) JSON() ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(s.body, MaxEventBytes+1))
	switch {
	case err != nil:
		return nil, s.ReadError(err)
	case len(text) > MaxEventBytes:
		return nil, s.unintelligible("the server's answer is larger than 64 MiB")
	}
	return text, nil
}

// Finishing says that the answer is whole and only the stream's tail is awaited: a short wait is enough.
func (s *Stream) Finishing() { s.watch.hurry() }

// Close ends the request, wherever it stands.
func (s *Stream) Close() error {
	s.watch.stop()
	return s.raw.Close()
}

// ReadError says why reading the stream failed: ctx's own error, silence, a cut, or an event too large.
func (s *Stream) ReadError(err error) error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.Is(err, ErrEventTooLong):
		return s.unintelligible(err.Error())
	case s.watch.stalled():
		return &Error{Class: ClassNetwork, Picture: -1, RequestID: requestID(s.Header), Message: "the server went silent in the middle of its answer", Err: err}
	}
	return s.Truncated(err)
}

// Truncated is the error of a stream that ended before its end mark. err is what ended it; io.EOF for a clean end.
func (s *Stream) Truncated(err error) error {
	return &Error{Class: ClassTruncated, Picture: -1, RequestID: requestID(s.Header), Message: "the server stopped in the middle of its answer", Err: err}
}

// Unintelligible is the error of an answer in another language than was asked for; it quotes the start of it.
func (s *Stream) Unintelligible(text []byte) error {
	const quoted = 200 // bytes, enough to recognise a page or a message
	sample := cleanText(string(text[:min(len(text), quoted)]), s.ex.Secret)
	return s.unintelligible(fmt.Sprintf("the server answered with something that is not a model's answer (%q); check base_url and protocol", sample))
}

func (s *Stream) unintelligible(sentence string) error {
	return &Error{Class: ClassUnintelligible, Picture: -1, RequestID: requestID(s.Header), Message: sentence}
}

// Page is the error of a success that is a web page.
func (s *Stream) Page() error {
	text, _ := io.ReadAll(io.LimitReader(s.body, maxErrorBody)) // the title is near the start
	return s.unintelligible("the server answered with a web page" + pageTitle(text, s.ex.Secret) + "; check base_url")
}

// pageTitle is ` titled "…"` for an HTML text that has a title.
func pageTitle(text []byte, secret []string) string {
	const longest = 100 // bytes of a title that are worth a line
	found := regexp.MustCompile(`(?i)<title[^>]*>([^<]+)`).FindSubmatch(text)
	if found == nil {
		return ""
	}
	title := cleanText(string(found[1][:min(len(found[1]), longest)]), secret)
	if title == "" {
		return ""
	}
	return fmt.Sprintf(" titled %q", title)
}
