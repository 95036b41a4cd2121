package providers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Lookup is a short question to a server about itself.
type Lookup struct {
	URL    string
	Header http.Header
	JSON   []byte   // posted where there is one; else the question is a GET
	Most   int64    // bytes of the answer; a longer one is an error
	Secret []string // never to appear in an error
}

// Fetch asks and returns the whole answer. It is bounded by ctx and by Most, goes around proxies towards this
// machine, and follows no redirect to another host. An answer that is no success is an error.
func (c *Client) Fetch(ctx context.Context, l Lookup) ([]byte, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if l.JSON != nil {
		method, body = http.MethodPost, bytes.NewReader(l.JSON)
	}
	req, err := http.NewRequestWithContext(ctx, method, l.URL, body)
	if err != nil {
		return nil, fmt.Errorf("%s is no address", cleanText(l.URL, l.Secret))
	}
	for name, values := range l.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if l.JSON != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s did not answer in time", req.URL.Host)
		}
		return nil, connectError(ctx, ctx, req.URL.Host, err, l.Secret)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, l.Most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer of %s broke off", req.URL.Host)
	case int64(len(text)) > l.Most:
		return nil, fmt.Errorf("the answer of %s is longer than %d bytes", req.URL.Host, l.Most)
	case resp.StatusCode != http.StatusOK:
		return nil, &Error{Class: classOfStatus(resp.StatusCode), Status: resp.StatusCode, Picture: -1,
			Message: req.URL.Host + " answered " + strings.ToLower(http.StatusText(resp.StatusCode))}
	}
	return text, nil
}
