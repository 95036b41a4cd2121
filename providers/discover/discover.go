// Package discover asks servers what they serve: which models, whether each sees pictures, how long its context
// is. The answers become rows of the book, between the configuration and the tables.
//
// Contract: nothing is asked unless someone looks at a list of models or wants a diagnosis. A question is short,
// bounded in time and bytes, and goes to no host but the server's own. Every answer is foreign: what does not fit
// is left out, and nothing of it is shown unchecked. The package knows how servers describe themselves; it must
// not know the book's tables, a session, or a screen.
package discover

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"espy/providers"
)

// Bounds on one server's answers.
const (
	// localPatience is how long a server on this machine may take in all. They answer within milliseconds, even
	// while a model loads.
	localPatience = 2 * time.Second
	// farPatience is the same for a server elsewhere.
	farPatience = 5 * time.Second
	// mostBytes bounds one answer. OpenRouter's list of all its models has about 1 MB.
	mostBytes = 8 << 20
	// mostModels bounds how many models of one server are taken in; OpenRouter has about 500.
	mostModels = 2000
	// mostDetails bounds how many models are asked after one by one, which only Ollama needs.
	mostDetails = 200
	// detailsAtOnce is how many of those questions are under way together.
	detailsAtOnce = 4
	// longestID bounds a model's name, in bytes. File paths of local models are the longest.
	longestID = 300
	// mostTokens bounds what is believed of a context window; the largest real ones have ten million.
	mostTokens = 100_000_000
)

// Answer is what one server said, or why it said nothing.
type Answer struct {
	Server string
	Kind   string // "Ollama", "llama.cpp", "LM Studio", "vLLM", "OpenRouter", "Anthropic" or "a models list"
	Models []providers.ModelCells
	Err    error
}

// Worth reports whether a server is to be asked: those on this machine and those of the person's own configuration
// always, and of the hosted ones those that say more than the catalogue, once there is a key for them.
func Worth(s providers.Server) bool {
	switch {
	case s.Protocol == "fake" || s.BaseURL == "":
		return false
	case providers.IsLoopback(host(s)):
		return true
	case s.KeyEnv != "" && s.Key == "":
		return false
	}
	return s.Own || s.Name == "openrouter" || s.Name == "anthropic"
}

// Ask asks all servers worth it, side by side, and returns when each has answered or its time is over.
func Ask(ctx context.Context, client *providers.Client, servers []providers.Server) []Answer {
	return ask(ctx, client, servers, Worth)
}

// Diagnose asks every server that a request could go to: also the hosted ones whose lists say no more than the
// catalogue, where there is a key for them.
func Diagnose(ctx context.Context, client *providers.Client, servers []providers.Server) []Answer {
	return ask(ctx, client, servers, func(s providers.Server) bool {
		return s.Protocol != "fake" && s.BaseURL != "" && s.Usable()
	})
}

func ask(ctx context.Context, client *providers.Client, all []providers.Server, worth func(providers.Server) bool) []Answer {
	var servers []providers.Server
	var answers []Answer
	for _, s := range all {
		if worth(s) {
			servers, answers = append(servers, s), append(answers, Answer{Server: s.Name})
		}
	}
	var wait sync.WaitGroup
	for i, s := range servers {
		into := &answers[i]
		wait.Add(1)
		go func() {
			defer wait.Done()
			into.Kind, into.Models, into.Err = one(ctx, client, s)
		}()
	}
	wait.Wait()
	return answers
}

// one asks one server, within its time.
func one(ctx context.Context, client *providers.Client, s providers.Server) (kind string, models []providers.ModelCells, err error) {
	patience := farPatience
	if providers.IsLoopback(host(s)) {
		patience = localPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	q := &inquiry{ctx: ctx, client: client, server: s}
	if s.Protocol == "anthropic" && !providers.IsLoopback(host(s)) {
		models, err = q.anthropic()
		return "Anthropic", q.admitted(models), err
	}
	kind, models, err = q.list()
	return kind, q.admitted(models), err
}

// inquiry is the questions to one server.
type inquiry struct {
	ctx    context.Context
	client *providers.Client
	server providers.Server
}

// get asks at an address of the server.
func (q *inquiry) get(url string) ([]byte, error) { return q.fetch(url, nil) }

func (q *inquiry) fetch(url string, body []byte) ([]byte, error) {
	h := http.Header{}
	switch key := strings.TrimSpace(q.server.Key); {
	case key == "":
	case q.server.Protocol == "anthropic":
		h.Set("x-api-key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
	if q.server.Protocol == "anthropic" {
		h.Set("anthropic-version", "2023-06-01")
	}
	for name, value := range q.server.Headers {
		h.Set(name, value)
	}
	return q.client.Fetch(q.ctx, providers.Lookup{URL: url, Header: h, JSON: body, Most: mostBytes, Secret: q.server.Secrets()})
}

// root is the server without the path of its compatible interface.
func (q *inquiry) root() string {
	base := q.server.BaseURL
	for _, tail := range []string{"/v1", "/api/v1"} {
		base = strings.TrimSuffix(base, tail)
	}
	return base
}

// admitted keeps models with a name that can be shown and sent.
func (q *inquiry) admitted(models []providers.ModelCells) []providers.ModelCells {
	var kept []providers.ModelCells
	seen := map[string]bool{}
	for _, m := range models {
		if m.Name == "" || len(m.Name) > longestID || seen[m.Name] || !plain(m.Name) || len(kept) == mostModels {
			continue
		}
		if title, ok := m.Cells["name"].(string); ok && (len(title) > longestID || !plain(title) || title == "") {
			delete(m.Cells, "name")
		}
		seen[m.Name] = true
		kept = append(kept, m)
	}
	return kept
}

func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func host(s providers.Server) string {
	_, rest, _ := strings.Cut(s.BaseURL, "://")
	rest, _, _ = strings.Cut(rest, "/")
	if strings.HasPrefix(rest, "[") {
		inner, _, _ := strings.Cut(rest[1:], "]")
		return inner
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// notUnderstood is the error for an answer of another kind.
func notUnderstood(s providers.Server) error {
	return fmt.Errorf("%s answered with something that is no list of models", s.Name)
}
