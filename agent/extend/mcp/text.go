package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// harmless is a server's text for a model and a screen: valid UTF-8, without escape sequences and control characters
// but line breaks and tabs, and without the keys that were sent to it.
func (s *server) harmless(text string) string {
	if len(text) > mostText {
		text = clip(text, mostText) + "\n[cut here: the text goes on]"
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, controls) >= 0 {
		text = strings.Map(func(r rune) rune {
			if controls(r) {
				return -1
			}
			return r
		}, ansi.Strip(text))
	}
	return s.secrets.scrub(text)
}

func controls(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// line is what a server, or a fault, says, as one line.
func (s *server) line(text string) string { return oneLine(s.harmless(text), mostSaid) }

// oneLine is a text as one printable line of at most so many characters.
func oneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// clip is at most so many bytes of a text, whole characters only.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
