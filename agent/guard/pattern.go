package guard

import (
	"errors"
	"strings"
)

// anything stands for a `*` inside a word of a pattern. A command with a NUL byte is never judged, so it
// cannot stand for itself.
const anything = "\x00"

// patternWords splits the pattern of a command into words the way a shell would: quotes group, a backslash
// makes the next character ordinary, a bare `*` is anything.
func patternWords(pattern string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote byte
	begun := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'', quote == '"' && c != '\\':
			word.WriteByte(c)
		case c == '\\':
			if i++; i == len(pattern) {
				return nil, errors.New("the pattern ends in a backslash")
			}
			word.WriteByte(pattern[i])
			begun = true
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case c == '*':
			word.WriteString(anything)
			begun = true
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("the pattern has an open quote")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

func wordPattern(s string) string { return strings.ReplaceAll(s, "*", anything) }

// matchesWords reports whether a pattern covers the words of one simple command.
func (r Rule) matchesWords(words []string) bool {
	if r.Pattern == "" {
		return true
	}
	pattern, err := patternWords(r.Pattern)
	if err != nil || len(pattern) == 0 {
		return false
	}
	last := len(pattern) - 1
	if pattern[last] == anything {
		if len(words) < last {
			return false
		}
		pattern, words = pattern[:last], words[:last]
	}
	if len(pattern) != len(words) {
		return false
	}
	for i := range pattern {
		if !matchWord(pattern[i], words[i]) {
			return false
		}
	}
	return true
}

// matchWord matches one word; anything stands for any characters. It takes time proportional to the product
// of the lengths at worst.
func matchWord(pattern, word string) bool {
	parts := strings.Split(pattern, anything)
	if len(parts) == 1 {
		return pattern == word
	}
	if !strings.HasPrefix(word, parts[0]) {
		return false
	}
	word = word[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(word, part)
		if i < 0 {
			return false
		}
		word = word[i+len(part):]
	}
	return strings.HasSuffix(word, parts[len(parts)-1])
}

// exactPattern writes words as a pattern that matches only them; ok is false where that cannot be written.
func exactPattern(words []string) (string, bool) {
	quoted := make([]string, len(words))
	for i, word := range words {
		if strings.ContainsFunc(word, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return "", false
		}
		quoted[i] = quotePattern(word)
	}
	return strings.Join(quoted, " "), len(words) > 0
}

func quotePattern(word string) string {
	switch {
	case word == "":
		return "''"
	case !strings.ContainsAny(word, " \t'\"\\*"):
		return word
	case !strings.Contains(word, "'"):
		return "'" + word + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
