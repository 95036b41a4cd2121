package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote is a server that is reached over streamable HTTP, on one host.
type remote struct {
	address *url.URL
	header  http.Header
	base    *http.Transport
	ctx     context.Context // of everything that goes to the server
	cancel  context.CancelFunc
	streams atomic.Bool // the server's own stream was asked for

	mu    sync.Mutex
	fault error // why the server could not be understood
}

// dial prepares the way to the server. Nobody is contacted yet.
func (s *server) dial() (*remote, error) {
	address, err := url.Parse(s.config.URL)
	if err != nil {
		return nil, fmt.Errorf("its url cannot be read: %w", err)
	}
	header := http.Header{}
	for name, template := range s.config.Headers {
		value, err := s.expand(template)
		if err != nil {
			return nil, err
		}
		if value == template && len(value) >= leastLiteral {
			s.secrets.add(value)
		}
		header.Set(name, value)
	}
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", "espy/"+s.opt.Version)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &remote{address: address, header: header, ctx: ctx, cancel: cancel, base: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: mostHeader, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute}}, nil
}

// leastLiteral is how long the value of a header that stands in the settings as it is has to be to count as a key.
const leastLiteral = 16

func (r *remote) transport() sdk.Transport {
	client := &http.Client{Transport: r, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if err := r.stays(next.URL); err != nil {
			return err
		}
		if len(via) > mostRedirects {
			return fmt.Errorf("more than %d redirects", mostRedirects)
		}
		return nil
	}}
	return &sdk.StreamableClientTransport{Endpoint: r.address.String(), HTTPClient: client, MaxEventSize: mostMessage}
}

// stays says why an address is not the configured host's, or nil.
func (r *remote) stays(to *url.URL) error {
	if to.Scheme != r.address.Scheme || !strings.EqualFold(to.Host, r.address.Host) {
		return fmt.Errorf("the server redirects to %s, and espy stays on %s", to.Host, r.address.Host)
	}
	return nil
}

// RoundTrip sends a request with the configured headers, which go to no other host, and bounds what comes back.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.stays(req.URL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(r.ctx, cancel)
	end := func() {
		stop()
		cancel()
	}
	impatient := func() bool { return true }
	if limit := patience(req.Method); limit > 0 {
		impatient = time.AfterFunc(limit, cancel).Stop
	}
	first := req.Method == http.MethodGet && r.streams.CompareAndSwap(false, true)
	out := req.Clone(ctx)
	for name, values := range r.header {
		out.Header[name] = values
	}
	resp, err := r.base.RoundTrip(out)
	impatient()
	if err != nil {
		end()
		if first && req.Context().Err() == nil && r.ctx.Err() == nil {
			return r.noStream(req), nil
		}
		return nil, err
	}
	return r.bounded(resp, end)
}

// patience is how long an answer may take to begin, 0 where only the request's context says.
func patience(method string) time.Duration {
	switch method {
	case http.MethodGet:
		return streamTimeout
	case http.MethodDelete:
		return partingTimeout
	}
	return 0
}

// noStream stands for a server that has no stream of its own: that is allowed, and no reason to do without its tools.
func (r *remote) noStream(req *http.Request) *http.Response {
	return &http.Response{StatusCode: http.StatusMethodNotAllowed, Status: "405 Method Not Allowed", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req}
}

// bounded judges what a server answers: a document as a whole, a stream event by event.
func (r *remote) bounded(resp *http.Response, end func()) (*http.Response, error) {
	body := &answer{Reader: resp.Body, closer: resp.Body, end: end}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch kind = strings.TrimSpace(strings.ToLower(kind)); {
	case kind == "text/event-stream" && resp.StatusCode < 300:
		body.Reader = &events{sieve: newSieve(resp.Body, nil), fail: func(err error) error {
			defer r.cancel()
			return r.fail(err)
		}}
	case kind == "application/json":
		data, err := io.ReadAll(io.LimitReader(resp.Body, mostMessage+1))
		_ = resp.Body.Close()
		end()
		if err != nil {
			return nil, err
		}
		if len(data) > mostMessage {
			return nil, r.fail(errMessage)
		}
		j := judge{now: time.Now}
		judged, err := j.line(data)
		if err == nil && len(judged) > 0 {
			data = judged
		}
		resp.ContentLength = int64(len(data))
		resp.Body = io.NopCloser(bytes.NewReader(data))
		return resp, nil
	default:
		body.Reader = io.LimitReader(resp.Body, mostHeader)
	}
	resp.ContentLength = -1
	resp.Body = body
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		r.fail(fmt.Errorf("it answers %s: it wants a key; set one in the headers of its settings, as \"Bearer ${env:NAME}\"", resp.Status))
	}
	return resp, nil
}

// fail remembers why the server could not be understood.
func (r *remote) fail(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = err
	}
	return err
}

func (r *remote) cut() { r.cancel() }

func (r *remote) close(end func()) {
	late := time.AfterFunc(partingTimeout, r.cancel) // what is under way keeps the session from ending
	end()
	late.Stop()
	r.cancel()
	r.base.CloseIdleConnections()
}

func (r *remote) because(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault != nil {
		return r.fault
	}
	return err
}

// answer is a body that ends its request when it is closed.
type answer struct {
	io.Reader
	closer io.Closer
	end    func()
}

func (a *answer) Close() error {
	defer a.end()
	return a.closer.Close()
}

// events judges the data of a stream of events, one message a line; all else passes as it is.
type events struct {
	*sieve
	fail func(error) error
}

var dataField = []byte("data:")

// Read implements io.Reader. One goroutine calls it.
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		line, err := readLine(e.from, mostMessage)
		if errors.Is(err, errMessage) {
			return 0, e.fail(err)
		}
		if len(line) == 0 {
			return 0, err
		}
		data, isData := bytes.CutPrefix(line, dataField)
		if !isData || len(bytes.TrimSpace(data)) == 0 {
			e.ready = append(e.ready, line...)
			continue
		}
		judged, err := e.judge.line(data)
		switch {
		case errors.Is(err, errNoMessage): // part of a message over several lines, or nonsense: the protocol's reader tells
			e.ready = append(e.ready, line...)
		case err != nil:
			return 0, e.fail(err)
		case len(judged) > 0 && bytes.Count(judged, []byte("\n")) == 1:
			e.ready = append(append(e.ready, dataField...), judged...)
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}
