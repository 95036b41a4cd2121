// Package responses speaks OpenAI Responses, to OpenAI and to the servers that imitate it.
//
// Contract: it translates a providers.Request into one POST {base}/responses that stores nothing on the
// server, and the stream that comes back into a providers.Response. Reasoning comes encrypted and is replayed
// byte for byte. How a server deviates is read from the route's quirks or learned from a refusal, for as long
// as the adapter value lives. It sends once (a learned deviation aside): retrying is providers.WithRetry's
// business. It must not know where a request came from, and never drops, shortens or adds content on its own
// judgement.
package responses

import (
	"context"
	"strings"

	"espy/providers"
)

// Adapter is one route over Responses. It is safe for concurrent use.
type Adapter struct {
	providers.Endpoint
	learned providers.Lessons[lesson]
}

// lesson is what a server taught by refusing a field.
type lesson struct {
	textOutput bool // takes only a string as a call's output
	noInclude  bool // has no encrypted reasoning to include
	noCacheKey bool // refuses prompt_cache_key
	noSummary  bool // refuses to summarise reasoning
	noEffort   bool // refuses reasoning
}

// New returns the adapter of a route. Pictures are read through blobs while a request is sent.
func New(route providers.Route, blobs providers.Blobs, client *providers.Client) *Adapter {
	return &Adapter{Endpoint: providers.NewEndpoint("responses", "/responses", route, blobs, client)}
}

// Stream implements providers.Provider.
func (a *Adapter) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	stream, err := a.learned.Try(teach, func(known lesson) (*providers.Stream, error) {
		return a.Post(ctx, a.Header(a.Bearer()), func(body *providers.Body) (any, error) { return translate(a.Route.Model, req, known, body) })
	})
	if err != nil {
		return providers.Response{}, err
	}
	return read(stream, emit)
}

func teach(l lesson, e *providers.Error) lesson {
	text := strings.ToLower(e.Message)
	output := strings.Contains(text, "output") && strings.Contains(text, "string") || strings.Contains(text, "function_call_output")
	switch {
	case strings.Contains(text, "encrypted") || strings.Contains(text, "'include'"):
		l.noInclude = true
	case strings.Contains(text, "prompt_cache_key"):
		l.noCacheKey = true
	case strings.Contains(text, "reasoning.summary") || strings.Contains(text, "reasoning summar"):
		l.noSummary = true
	case strings.Contains(text, "reasoning.effort") || strings.Contains(text, "'reasoning'"):
		l.noEffort = true
	case e.Class != providers.ClassPicture && output:
		l.textOutput = true
	}
	return l
}
