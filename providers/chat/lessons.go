package chat

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"espy/providers"
)

// lesson is what a server taught by refusing a field. Each is learned once and only ever switched on.
type lesson struct {
	noStreamOptions bool   // refuses stream_options
	maxTokensField  string // names the other field for the output bound
	noEffort        bool   // refuses the effort field
	effortNone      bool   // takes tools only with reasoning_effort "none" (gpt-5.6 and later over Chat)
	noDetail        bool   // refuses image detail
	nonNull         bool   // refuses null content
}

// lessons guards the lesson of one base URL.
type lessons struct {
	mu      sync.Mutex
	current lesson
}

func (l *lessons) now() lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// learn reports whether the refusal of a request sent under used teaches something new, so that the request is
// worth sending once more. A later request that was refused for what is known by now is sent again too.
func (l *lessons) learn(err error, used lesson) bool {
	var e *providers.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	taught := teach(used, strings.ToLower(e.Message))
	if taught == used {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = merge(l.current, taught)
	return true
}

func teach(l lesson, text string) lesson {
	switch {
	case strings.Contains(text, "stream_options"):
		l.noStreamOptions = true
	case strings.Contains(text, "max_completion_tokens") && l.maxTokensField == "":
		// OpenAI names the right field while refusing the other; strict servers name the one they refuse.
		l.maxTokensField = "max_tokens"
		if strings.Contains(text, "max_tokens") {
			l.maxTokensField = "max_completion_tokens"
		}
	case strings.Contains(text, "reasoning_effort to 'none'"):
		l.effortNone = true
	case strings.Contains(text, "reasoning_effort") || strings.Contains(text, "enable_thinking") || strings.Contains(text, `"thinking"`):
		l.noEffort = true
	case strings.Contains(text, "image_url.detail"):
		l.noDetail = true
	case strings.Contains(text, "content") && (strings.Contains(text, "null") || strings.Contains(text, "none is not")):
		l.nonNull = true
	}
	return l
}

func merge(a, b lesson) lesson {
	a.noStreamOptions = a.noStreamOptions || b.noStreamOptions
	a.noEffort = a.noEffort || b.noEffort
	a.effortNone = a.effortNone || b.effortNone
	a.noDetail = a.noDetail || b.noDetail
	a.nonNull = a.nonNull || b.nonNull
	if a.maxTokensField == "" {
		a.maxTokensField = b.maxTokensField
	}
	return a
}
