package providers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// userAgent is what servers see of espy; it says nothing about the person.
const userAgent = "espy"

// Timeouts bound the waits of a request. A zero field takes the default of bounds.go. There is no bound on
// the whole: a long answer is not a broken one.
type Timeouts struct {
	Connect time.Duration // TCP, and again TLS
	Header  time.Duration // from the last byte sent to the first byte of the answer
	Idle    time.Duration // between any two bytes, either way
	Tail    time.Duration // to the end of the stream once the answer is finished
}

// Client sends the requests of all adapters. It is safe for concurrent use; one serves a process.
type Client struct {
	http  *http.Client
	t     Timeouts
	trace *Trace // nil writes none
}

// NewClient returns a client that uses the proxies of the environment, except towards this machine, and never
// carries a key to another host than the one it was meant for.
func NewClient(t Timeouts) *Client {
	orDefault := func(d *time.Duration, standard time.Duration) {
		if *d == 0 {
			*d = standard
		}
	}
	orDefault(&t.Connect, connectTimeout)
	orDefault(&t.Header, headerTimeout)
	orDefault(&t.Idle, idleTimeout)
	orDefault(&t.Tail, tailTimeout)
	transport := &http.Transport{
		Proxy:                 proxyFor,
		DialContext:           (&net.Dialer{Timeout: t.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   t.Connect,
		ResponseHeaderTimeout: t.Header,
		ExpectContinueTimeout: expectTimeout,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       90 * time.Second,
	}
	return &Client{http: &http.Client{Transport: transport, CheckRedirect: sameHostOnly}, t: t}
}

// CloseIdle lets kept connections go.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// proxyFor is the environment's proxy, but none for this machine: a local server is not behind a proxy.
func proxyFor(r *http.Request) (*url.URL, error) {
	if IsLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// IsLoopback reports whether a host name means this machine.
func IsLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// sameHostOnly follows a redirect that repeats the request at the same place; any other answer is handed back
// for a person to read, because following it would lose the body or show the key to someone else.
func sameHostOnly(req *http.Request, via []*http.Request) error {
	first := via[0]
	same := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && req.Method == first.Method
	if !same || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// Exchange is one request of an adapter.
type Exchange struct {
	URL    string
	Header http.Header // the adapter's own; User-Agent and Content-Type are added
	Body   *Body
	Secret []string // never to appear in an error: the key and the values of configured headers
}

// Post sends the exchange. An answer that is not a success, or none, is an *Error. The stream must be closed.
func (c *Client) Post(ctx context.Context, ex Exchange) (*Stream, error) {
	watched, watch := newStallWatch(ctx, c.t)
	req, err := c.request(watched, watch, ex)
	if err != nil {
		watch.stop()
		return nil, err
	}
	trace := c.trace.begin(ex.Secret)
	trace.request(req, ex.Body)
	resp, err := c.http.Do(req)
	if err == nil && resp.StatusCode == http.StatusExpectationFailed && req.Header.Get("Expect") != "" {
		resp.Body.Close()
		req.Header.Del("Expect") // some proxies refuse the question itself
		req.Body, _ = req.GetBody()
		resp, err = c.http.Do(req)
	}
	if err != nil {
		trace.failure(err)
		err = connectError(ctx, watched, req.URL.Host, err, ex.Secret)
		watch.stop()
		return nil, err
	}
	trace.response(resp)
	watch.touch()
	body := &watchedReader{resp.Body, watch}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer watch.stop()
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what came of it is what there is to say
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, StatusError(resp, text, ex)
	}
	return &Stream{Header: resp.Header, body: bufio.NewReaderSize(body, 4<<10), raw: resp.Body, watch: watch, ex: ex, ctx: ctx}, nil
}

func (c *Client) request(ctx context.Context, watch *stallWatch, ex Exchange) (*http.Request, error) {
	reader := func() (io.ReadCloser, error) { return &watchedBody{ex.Body.Reader(), watch}, nil }
	body, _ := reader()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ex.URL, body)
	if err != nil {
		return nil, &Error{Class: ClassBadRequest, Picture: -1, Message: "the base_url is not an address: " + cleanText(err.Error(), ex.Secret), Err: err}
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "" {
		return nil, &Error{Class: ClassBadRequest, Picture: -1, Message: fmt.Sprintf("base_url is missing or no address (the request would go to %q); write it like https://host/v1", cleanText(ex.URL, ex.Secret))}
	}
	req.GetBody, req.ContentLength = reader, ex.Body.Len()
	for name, values := range ex.Header {
		if strings.ContainsFunc(strings.Join(values, ""), unicode.IsControl) {
			return nil, &Error{Class: ClassBadRequest, Picture: -1, Message: fmt.Sprintf("the header %s holds a line break or another control character; check api_key and headers", name)}
		}
		req.Header[name] = values
	}
	if req.ContentLength >= expectAbove {
		req.Header.Set("Expect", "100-continue")
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}
