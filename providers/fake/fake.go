// Package fake is the model espy runs on where no provider is configured, and the one tests script.
//
// Unscripted ("fake/echo") it says what it received, word for word, so that one honest line proves that a
// picture survived a whole turn or a resume. Lines of the newest user message that a person typed steer it:
//
//	call NAME {json}   it asks for that tool; several lines are several calls of one batch
//	check blobs        it opens every picture of the request and says how many bytes there are and of what kind
//
// After results arrive it reports them and stops. It opens no picture unless told to, and no network ever.
//
// Scripted (the server's script file) it plays answers; script.go documents the file.
package fake

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"espy/agent/message"
	"espy/providers"
)

// pieceRunes is how much of a text is emitted at a time, in runes: small enough that streaming shows.
const pieceRunes = 12

// maxScript bounds a script file, in bytes.
const maxScript = 16 << 20

// Model is the fake model. It is safe for concurrent use; a script's position is kept in the value.
type Model struct {
	blobs  providers.Blobs
	script func() (*Script, error)
}

// New returns the fake model of a route. The client is not used; the parameter keeps all constructors alike.
func New(route providers.Route, blobs providers.Blobs, _ *providers.Client) *Model {
	if route.Server.Script == "" {
		return &Model{blobs: blobs}
	}
	return &Model{blobs, sync.OnceValues(func() (*Script, error) { return load(route.Server.Script) })}
}

// Play returns a model that plays a parsed script.
func Play(script *Script, blobs providers.Blobs) *Model {
	return &Model{blobs, func() (*Script, error) { return script, nil }}
}

func load(path string) (*Script, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the script cannot be read: %w", err)
	}
	if info.Size() > maxScript {
		return nil, fmt.Errorf("the script %s has %d bytes; a script has at most %d", path, info.Size(), maxScript)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the script cannot be read: %w", err)
	}
	script, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return script, nil
}

// Stream implements providers.Provider.
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	s := &speaker{ctx: ctx, out: providers.NewEmission(emit), resp: providers.Response{Stop: message.StopEnd, Model: "echo"}}
	if m.script == nil {
		return s.finish(m.echo(s, req))
	}
	script, err := m.script()
	if err != nil {
		return providers.Response{}, &providers.Error{Class: providers.ClassBadRequest, Picture: -1, Message: err.Error(), Err: err}
	}
	answer := script.next(req)
	if answer == nil {
		return s.finish(s.text("(the script has no further answer)", 0, 0))
	}
	return s.finish(s.play(answer))
}

// echo reports, and asks for the tools it was told to call.
func (m *Model) echo(s *speaker, req providers.Request) error {
	newest := providers.Message{}
	if n := len(req.Messages); n > 0 {
		newest = req.Messages[n-1]
	}
	orders := readOrders(newest)
	if err := s.text(report(req)+m.checkBlobs(orders.check, req), 0, 0); err != nil {
		return err
	}
	asked := earlierCalls(req)
	for i, c := range orders.calls {
		c.ID = fmt.Sprintf("call_%d", asked+i+1)
		if err := s.call(c); err != nil {
			return err
		}
	}
	return nil
}

// earlierCalls counts the calls of the conversation, so that no two have the same id.
func earlierCalls(req providers.Request) int {
	n := 0
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if _, ok := b.(message.ToolCall); ok {
				n++
			}
		}
	}
	return n
}

// speaker builds a response while it emits it.
type speaker struct {
	ctx  context.Context
	out  *providers.Emission
	resp providers.Response
}

func (s *speaker) finish(err error) (providers.Response, error) {
	if err != nil {
		return providers.Response{}, s.out.Fail(err)
	}
	return s.resp, nil
}

// pieces emits text a few runes at a time, waiting between two pieces if a pause is given.
func (s *speaker) pieces(text string, size int, pause time.Duration, emit func(string) error) error {
	if size <= 0 {
		size = pieceRunes
	}
	for runes := []rune(text); len(runes) > 0; {
		if err := s.wait(pause); err != nil {
			return err
		}
		n := min(size, len(runes))
		if err := emit(string(runes[:n])); err != nil {
			return err
		}
		runes = runes[n:]
	}
	return nil
}

func (s *speaker) wait(d time.Duration) error {
	if d <= 0 {
		return s.ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (s *speaker) text(text string, size int, pause time.Duration) error {
	s.resp.Blocks = append(s.resp.Blocks, message.Text{Text: text})
	return s.pieces(text, size, pause, s.out.Text)
}

func (s *speaker) think(text string, size int, pause time.Duration) error {
	s.resp.Blocks = append(s.resp.Blocks, message.Thinking{Text: text})
	return s.pieces(text, size, pause, s.out.Thinking)
}

func (s *speaker) call(c message.ToolCall) error {
	index := 0
	for _, b := range s.resp.Blocks {
		if _, ok := b.(message.ToolCall); ok {
			index++
		}
	}
	s.resp.Blocks = append(s.resp.Blocks, c)
	s.resp.Stop = message.StopTools
	if err := s.out.Call(index, c.Name, ""); err != nil {
		return err
	}
	return s.pieces(c.Args, 0, 0, func(piece string) error { return s.out.Call(index, "", piece) })
}
