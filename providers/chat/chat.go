// Package chat speaks OpenAI Chat Completions, to OpenAI and to the many servers that imitate it.
//
// Contract: it translates a providers.Request into one POST {base}/chat/completions and the stream that comes
// back into a providers.Response. How a server deviates is read from the route's quirks; a few deviations are
// learned from a refusal, for as long as the adapter value lives. It sends once (a learned deviation aside):
// retrying is providers.WithRetry's business. It must not know where a request came from, and never drops,
// shortens or adds content on its own judgement.
package chat

import (
	"context"
	"net/http"
	"strings"

	"espy/providers"
)

// Adapter is one route over Chat Completions. It is safe for concurrent use.
type Adapter struct {
	route   providers.Route
	blobs   providers.Blobs
	client  *providers.Client
	url     string
	learned providers.Lessons[lesson]
}

// New returns the adapter of a route. Pictures are read through blobs while a request is sent.
func New(route providers.Route, blobs providers.Blobs, client *providers.Client) *Adapter {
	base, err := providers.NormaliseBaseURL("chat", route.Server.BaseURL)
	if err != nil {
		base = route.Server.BaseURL // the request will say what is wrong with it
	}
	return &Adapter{route: route, blobs: blobs, client: client, url: base + "/chat/completions"}
}

// Stream implements providers.Provider.
func (a *Adapter) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	for {
		known := a.learned.Now()
		stream, err := a.post(ctx, req, known)
		if err == nil {
			return read(stream, emit)
		}
		if !a.learned.Learn(err, known, teach) {
			return providers.Response{}, err
		}
	}
}

func (a *Adapter) post(ctx context.Context, req providers.Request, known lesson) (*providers.Stream, error) {
	body := providers.NewBody(a.blobs)
	wire, err := translate(a.route, req, known, body)
	if err != nil {
		return nil, err
	}
	if err := body.Encode(wire); err != nil {
		return nil, err
	}
	return a.client.Post(ctx, providers.Exchange{
		URL: a.url, Header: header(a.route.Server), Body: body, Secret: a.route.Server.Secrets(),
	})
}

// header leaves Authorization out where there is no key: some local servers refuse an empty one.
func header(s providers.Server) http.Header {
	h := http.Header{"Accept": {"text/event-stream"}}
	if key := strings.TrimSpace(s.Key); key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	for name, value := range s.Headers {
		h.Set(name, value)
	}
	return h
}
