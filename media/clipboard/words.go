package clipboard

import (
	"errors"
	"strings"
)

// errQuote is an argument line whose quote never ends.
var errQuote = errors.New("a quote is not closed: close it, or put a backslash before it")

// SplitArgs splits the arguments of a command such as /attach by the rules pasted paths are split by: ASCII
// blanks separate, quotes and backslashes protect, nothing is expanded. Other spaces, such as the U+202F in
// the names of macOS screenshots, belong to a name. With goos "windows" a backslash is a separator of
// folders and protects nothing.
func SplitArgs(line, goos string) ([]string, error) {
	if goos == "windows" {
		return windowsWords(line)
	}
	return posixWords(line)
}

// splitter collects words; started tells an empty quoted word from no word.
type splitter struct {
	words   []string
	word    strings.Builder
	started bool
}

func (s *splitter) add(b byte) {
	s.word.WriteByte(b)
	s.started = true
}

func (s *splitter) end() {
	if s.started {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.started = false
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// posixWords splits as a shell would before any expansion.
func posixWords(text string) ([]string, error) {
	var s splitter
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case isBlank(b):
			s.end()
			i++
		case b == '\\':
			i = s.escape(text, i)
		case b == '\'' || b == '"':
			next, ok := s.quoted(text, i)
			if !ok {
				return nil, errQuote
			}
			i = next
		default:
			s.add(b)
			i++
		}
	}
	s.end()
	return s.words, nil
}

// escape takes a backslash outside quotes: the next byte is itself, an escaped line end joins two lines, and
// a backslash at the very end stands for itself.
func (s *splitter) escape(text string, i int) int {
	if i+1 == len(text) {
		s.add('\\')
		return i + 1
	}
	if text[i+1] != '\n' {
		s.add(text[i+1])
	}
	return i + 2
}

// quoted takes a quoted run beginning at i and returns where it ended. In double quotes a backslash protects
// only what it must, so that "C:\a\b.png" keeps its backslashes.
func (s *splitter) quoted(text string, i int) (next int, ok bool) {
	quote := text[i]
	s.started = true
	for i++; i < len(text); i++ {
		b := text[i]
		if b == quote {
			return i + 1, true
		}
		if quote == '"' && b == '\\' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0 {
			i++
			b = text[i]
		}
		s.add(b)
	}
	return i, false
}

// windowsWords splits at blanks; only double quotes protect.
func windowsWords(text string) ([]string, error) {
	var s splitter
	in := false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '"':
			in = !in
			s.started = true
		case isBlank(b) && !in:
			s.end()
		default:
			s.add(b)
		}
	}
	if in {
		return nil, errQuote
	}
	s.end()
	return s.words, nil
}
