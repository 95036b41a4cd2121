package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// settledProtocol is the protocol that is spoken first: every server in use understands its beginning.
	settledProtocol = "2025-11-25"
	// hangGrace is how long a request may outlive its context before its connection is cut.
	hangGrace = time.Second
)

// carrier is the way to a server: a program's pipes, or HTTP.
type carrier interface {
	transport() sdk.Transport
	// cut ends it at once; whatever waits for it fails. It may be called from anywhere, several times.
	cut()
	// close ends it in order, and waits until nothing of it is left. End ends the session on it, where there is one.
	close(end func())
	// because adds what the carrier knows of why an exchange failed.
	because(err error) error
}

// link is one connection.
type link struct {
	carrier
	session *sdk.ClientSession
	ended   chan struct{} // closed when the connection is over
	changed chan struct{} // holds a token when the server's lists changed
	waiting sync.WaitGroup

	mu       sync.Mutex
	progress map[string]func(string) // by the token of a call
}

// join connects: to the protocol every server knows, and where a server refuses that, to the newest.
func (s *server) join(ctx context.Context) (*link, error) {
	l, err := s.greet(ctx, settledProtocol)
	var refused *jsonrpc.Error
	if err != nil && errors.As(err, &refused) && ctx.Err() == nil {
		if newest, second := s.greet(ctx, ""); second == nil {
			return newest, nil
		}
	}
	return l, err
}

// greet makes a carrier and a session on it.
func (s *server) greet(ctx context.Context, protocol string) (*link, error) {
	c, err := s.carrier(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{carrier: c, ended: make(chan struct{}), changed: make(chan struct{}, 1), progress: make(map[string]func(string))}
	client := sdk.NewClient(&sdk.Implementation{Name: "espy", Version: s.opt.Version}, l.options())
	//lint:ignore SA1019 the newest protocol has no roots; the servers in use ask for them
	client.AddRoots(&sdk.Root{Name: filepath.Base(s.opt.Workspace), URI: fileURI(s.opt.Workspace)})
	stop := hurry(ctx, c.cut)
	session, err := client.Connect(ctx, c.transport(), &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	stop()
	if err != nil {
		err = c.because(err)
		c.close(func() {})
		return nil, err
	}
	l.session = session
	l.waiting.Go(func() {
		_ = session.Wait() // what went wrong is the carrier's to tell
		close(l.ended)
	})
	return l, nil
}

func (s *server) carrier(ctx context.Context) (carrier, error) {
	if s.config.URL != "" {
		return s.dial()
	}
	return s.launch(ctx)
}

// options are what a server may ask of espy: the root, and to hear of changes. Nothing else is offered.
func (l *link) options() *sdk.ClientOptions {
	change := func() {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}
	//lint:ignore SA1019 the newest protocol has no roots; the servers in use ask for them
	offered := &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}}
	return &sdk.ClientOptions{
		Capabilities:               offered,
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { change() },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { change() },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { change() },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			l.mu.Lock()
			tell := l.progress[fmt.Sprint(r.Params.ProgressToken)]
			l.mu.Unlock()
			if tell != nil {
				tell(progressLine(r.Params))
			}
		},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, // it would ask a person or a model on the server's behalf
	}
}

func progressLine(p *sdk.ProgressNotificationParams) string {
	switch {
	case p.Message != "":
		return p.Message
	case p.Total > 0:
		return fmt.Sprintf("%.0f%%", 100*p.Progress/p.Total)
	}
	return fmt.Sprintf("%g", p.Progress)
}

// ask makes one request. A connection that keeps it from ending with its context is cut.
func (l *link) ask(ctx context.Context, request func(context.Context) error) error {
	defer hurry(ctx, l.cut)()
	return request(ctx)
}

// hurry cuts what goes on although its context ended, until stop is called.
func hurry(ctx context.Context, cut func()) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		timer := time.NewTimer(hangGrace)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			cut()
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// over reports whether the connection has ended. A nil link has.
func (l *link) over() bool {
	if l == nil {
		return true
	}
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// ends reports whether the connection has ended, or does within a moment: a request fails a little before.
func (l *link) ends(err error) bool {
	grace := inputGrace
	if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		grace = endGrace
	}
	select {
	case <-l.ended:
		return true
	case <-time.After(grace):
		return false
	}
}

// because is a fault with what is known of its cause. A nil link knows nothing.
func (l *link) because(err error) error {
	if l == nil {
		return err
	}
	return l.carrier.because(err)
}

// close ends the connection and waits for it. A nil link is closed.
func (l *link) close() {
	if l == nil {
		return
	}
	l.carrier.close(func() { _ = l.session.Close() })
	l.waiting.Wait()
}

// fileURI is a folder's address.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
