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

	"espy/providers"
)

// Adapter is one route over Chat Completions. It is safe for concurrent use.
type Adapter struct {
	providers.Endpoint
	learned providers.Lessons[lesson]
}

// New returns the adapter of a route. Pictures are read through blobs while a request is sent.
func New(route providers.Route, blobs providers.Blobs, client *providers.Client) *Adapter {
	return &Adapter{Endpoint: providers.NewEndpoint("chat", "/chat/completions", route, blobs, client)}
}

// Stream implements providers.Provider.
func (a *Adapter) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	stream, err := a.learned.Try(teach, func(known lesson) (*providers.Stream, error) {
		return a.Post(ctx, a.Header(a.Bearer()), func(body *providers.Body) (any, error) { return translate(a.Route, req, known, body) })
	})
	if err != nil {
		return providers.Response{}, err
	}
	return read(stream, emit)
}
