// Package anthropic speaks Anthropic Messages, to Anthropic and to the servers that imitate it.
//
// Contract: it translates a providers.Request into one POST {base}/v1/messages and the stream that comes back
// into a providers.Response. Reasoning is replayed byte for byte. How a server deviates is read from the
// route's quirks or learned from a refusal, for as long as the adapter value lives. It sends once (a learned
// deviation aside): retrying is providers.WithRetry's business. It must not know where a request came from, and
// never drops, shortens or adds content on its own judgement.
package anthropic

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"espy/providers"
)

// version is the protocol version. Every imitator knows it; newer ones only take parameters away.
const version = "2023-06-01"

// Adapter is one route over Anthropic Messages. It is safe for concurrent use.
type Adapter struct {
	providers.Endpoint
	learned providers.Lessons[lesson]
}

// lesson is what a server taught by refusing a field.
type lesson struct {
	noCacheControl bool // refuses cache_control
	picturesApart  bool // takes no picture in a tool result
	noThinking     bool // refuses thinking or output_config
}

// New returns the adapter of a route. Pictures are read through blobs while a request is sent.
func New(route providers.Route, blobs providers.Blobs, client *providers.Client) *Adapter {
	return &Adapter{Endpoint: providers.NewEndpoint("anthropic", "/v1/messages", route, blobs, client)}
}

// Stream implements providers.Provider.
func (a *Adapter) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	stream, err := a.learned.Try(teach, func(known lesson) (*providers.Stream, error) {
		return a.Post(ctx, a.header(), func(body *providers.Body) (any, error) { return translate(a.Route.Model, req, known, body) })
	})
	if err != nil {
		return providers.Response{}, a.spendCap(err)
	}
	return read(stream, emit)
}

// header puts the key where the server looks for it.
func (a *Adapter) header() http.Header {
	own := http.Header{}
	if key := a.Key(); a.Route.Model.Quirks.BearerAuth {
		own = a.Bearer()
	} else if key != "" {
		own.Set("x-api-key", key)
	}
	own.Set("anthropic-version", version)
	return a.Header(own)
}

// spendCap tells a spent budget from a full rate: Anthropic itself answers both with 429, and only the full
// rate says how long to wait.
func (a *Adapter) spendCap(err error) error {
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.ClassRateLimit || e.RetryAfter > 0 || e.Advice == providers.AdviceRetry {
		return err
	}
	if u, parseErr := url.Parse(a.URL); parseErr != nil || u.Hostname() != "api.anthropic.com" {
		return err
	}
	spent := *e
	spent.Class = providers.ClassQuota
	return &spent
}

func teach(l lesson, e *providers.Error) lesson {
	text := strings.ToLower(e.Message)
	switch {
	case strings.Contains(text, "cache_control"):
		l.noCacheControl = true
	case e.Class != providers.ClassPicture && strings.Contains(text, "image") && strings.Contains(text, "tool"):
		l.picturesApart = true
	case strings.Contains(text, "output_config") || strings.Contains(text, "thinking.type") || strings.Contains(text, "thinking: "):
		l.noThinking = true
	}
	return l
}
