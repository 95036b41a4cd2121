package chat

import (
	"strings"

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

func teach(l lesson, e *providers.Error) lesson {
	text := strings.ToLower(e.Message)
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
