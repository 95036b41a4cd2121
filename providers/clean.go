package providers

import (
	"net/http"
	"strings"
	"unicode"
)

// Secrets lists what must never appear in an error from a server: the key, and the words of the configured
// headers' values, because a server may quote "Bearer KEY" without the first.
func (s Server) Secrets() []string {
	secrets := []string{strings.TrimSpace(s.Key)}
	for _, v := range s.Headers {
		secrets = append(secrets, strings.Fields(v)...)
	}
	return secrets
}

// Clean makes a name that a server sent fit to be shown and kept: one bounded line without control characters.
func Clean(name string) string { return cleanText(name, nil) }

// cleanText makes a server's words fit for one line of a terminal: valid UTF-8, no control characters, no
// direction marks, white space folded, secrets taken out, and at most maxErrorText bytes.
func cleanText(text string, secrets []string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(Redact(text, secrets), ""))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

func requestID(h http.Header) string {
	for _, name := range []string{"request-id", "x-request-id", "x-amzn-requestid", "cf-ray"} {
		if id := h.Get(name); id != "" {
			return cleanText(id, nil)
		}
	}
	return ""
}
