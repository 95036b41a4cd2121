package providers

import (
	"context"
	"maps"
	"net/http"
	"strings"
)

// Endpoint is where an adapter sends the requests of a route. It is safe for concurrent use.
type Endpoint struct {
	Route  Route
	Blobs  Blobs
	Client *Client
	URL    string
}

// NewEndpoint is a path below a route's base_url, in the form the protocol wants that in. Pictures are read through
// blobs while a request is sent.
func NewEndpoint(protocol, path string, route Route, blobs Blobs, client *Client) Endpoint {
	base, err := NormaliseBaseURL(protocol, route.Server.BaseURL)
	if err != nil {
		base = route.Server.BaseURL // the request will say what is wrong with it
	}
	return Endpoint{Route: route, URL: base + path, Blobs: blobs, Client: client}
}

// Header is what a request starts with: what the protocol wants of its own, and what the configuration sets, which
// wins.
func (e *Endpoint) Header(own http.Header) http.Header {
	h := http.Header{"Accept": {"text/event-stream"}}
	maps.Copy(h, own)
	for name, value := range e.Route.Server.Headers {
		h.Set(name, value)
	}
	return h
}

// Bearer is the key as a bearer token; nothing where there is no key: some local servers refuse an empty one.
func (e *Endpoint) Bearer() http.Header {
	if key := e.Key(); key != "" {
		return http.Header{"Authorization": {"Bearer " + key}}
	}
	return http.Header{}
}

// Key is the server's key; files and variables often end in a newline.
func (e *Endpoint) Key() string { return strings.TrimSpace(e.Route.Server.Key) }

// Post sends what translate makes of a request.
func (e *Endpoint) Post(ctx context.Context, header http.Header, translate func(*Body) (any, error)) (*Stream, error) {
	body := NewBody(e.Blobs)
	wire, err := translate(body)
	if err != nil {
		return nil, err
	}
	if err := body.Encode(wire); err != nil {
		return nil, err
	}
	return e.Client.Post(ctx, Exchange{URL: e.URL, Header: header, Body: body, Secret: e.Route.Server.Secrets()})
}
