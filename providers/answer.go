package providers

import (
	"bytes"
	"encoding/json"
	"io"
)

// Answer is how a protocol's adapter gathers a response from what a server sends.
type Answer interface {
	// Whole takes an answer that came as one JSON text, from a server that does not stream.
	Whole(text []byte) error
	// Event takes an event of the stream, whose data is JSON, and says how far the answer is.
	Event(name string, data []byte) (Progress, error)
	// Mark takes the mark "[DONE]" that ends the streams of Chat Completions; others may send it too.
	Mark() (Progress, error)
	// Response is what was gathered. It refuses an answer that cannot be used although it is whole.
	Response() (Response, error)
}

// Progress is how far an answer is.
type Progress int

const (
	Open     Progress = iota // more is to come
	Finished                 // the model has said its last word: where the stream just ends, the answer is whole
	Ended                    // the end mark came: nothing more is read
)

// Answer turns what the server sent into a response and ends the request. Errors are marked by what out has shown.
func (s *Stream) Answer(out *Emission, a Answer) (Response, error) {
	defer s.Close()
	kind, err := s.Kind()
	if err != nil {
		return Response{}, err
	}
	switch kind {
	case KindPage:
		err = s.Page()
	case KindEmpty:
		err = s.Truncated(io.ErrUnexpectedEOF)
	case KindJSON:
		err = s.whole(a)
	default:
		err = s.events(a)
	}
	var r Response
	if err == nil {
		r, err = a.Response()
	}
	if err != nil {
		return Response{}, out.Fail(err)
	}
	return r, nil
}

func (s *Stream) whole(a Answer) error {
	text, err := s.JSON()
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return s.Truncated(io.ErrUnexpectedEOF)
	}
	return a.Whole(text)
}

func (s *Stream) events(a Answer) error {
	events := s.Events()
	for progress := Open; progress != Ended; {
		e, err := events.Next()
		if err != nil {
			return s.ended(err, progress)
		}
		switch {
		case bytes.Equal(bytes.TrimSpace(e.Data), []byte("[DONE]")):
			progress, err = a.Mark()
		case json.Valid(e.Data):
			progress, err = a.Event(e.Name, e.Data)
		case !e.Cut: // where it is, the next read tells of the end
			err = s.Unintelligible(e.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ended judges the end of a stream without its end mark. A server that said it had finished and then just closed has
// finished.
func (s *Stream) ended(err error, progress Progress) error {
	failed := s.Truncated(err)
	if err != io.EOF {
		if failed = s.ReadError(err); ClassOf(failed) == "" {
			return failed // interrupted
		}
	}
	if progress == Finished {
		return nil
	}
	return failed
}
