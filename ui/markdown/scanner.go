package markdown

import (
	"strings"
	"unicode/utf8"
)

// scanner cuts code into tokens. It knows of a language only what its row in the table says: how comments and strings begin
// and end, which words mean something, and which of four shapes the text has. It reads each byte about once, accepts anything,
// and what it emits is src again. A comment or string that is not closed ends with the line or with the text, as the row says.
type scanner struct {
	lang *language
	src  string
	pos  int
	held int // start of plain text not emitted yet
	emit func(class int, text string)
}

func (s *scanner) run() {
	switch s.lang.shape {
	case diffShape:
		s.diff()
	case markupShape:
		s.markup()
	default:
		for s.pos < len(s.src) {
			s.token()
		}
	}
	s.flush()
}

// flush emits the plain text before pos.
func (s *scanner) flush() {
	if s.held < s.pos {
		s.emit(Plain, s.src[s.held:s.pos])
	}
	s.held = s.pos
}

// take passes the next n bytes as class; plain ones are held to be emitted together.
func (s *scanner) take(class, n int) {
	if class == Plain {
		s.pos += n
		return
	}
	s.flush()
	s.emit(class, s.src[s.pos:s.pos+n])
	s.pos += n
	s.held = s.pos
}

// token reads one token of ordinary code.
func (s *scanner) token() {
	rest := s.src[s.pos:]
	if n := s.comment(rest); n > 0 {
		s.take(Comment, n)
		return
	}
	if n := s.quoted(rest); n > 0 {
		class := String
		if s.lang.shape == dataShape && followedByColon(rest[n:]) {
			class = Key
		}
		s.take(class, n)
		return
	}
	c := rest[0]
	switch {
	case isDigit(c):
		s.take(Number, numberLen(rest))
	case isWordStart(c):
		s.word(rest)
	case c == '$' && s.lang.dollar:
		s.take(Variable, variableLen(rest))
	case c == '@' && s.lang.at && len(rest) > 1 && isWordStart(rest[1]):
		s.take(Constant, 1+wordLen(rest[1:], ""))
	case c == '#' && s.lang.directive && s.lineBegins():
		n := 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], " "))
		s.take(Keyword, n+wordLen(rest[n:], ""))
	case c == '[' && s.lang.sections && s.lineBegins():
		n := strings.IndexByte(rest+"\n", '\n')
		s.take(Section, min(n, len(rest)))
	case c == '-' && len(rest) > 1 && isWordStart(rest[1]) && s.lang.options && s.pos > 0 && isBlank(s.src[s.pos-1]):
		s.take(Constant, 1+wordLen(rest[1:], "-"))
	case c == '-' && strings.HasPrefix(rest, "--") && s.lang.options:
		s.take(Constant, 2+wordLen(rest[2:], "-"))
	default:
		s.take(Plain, 1)
	}
}

// comment is the length of the comment rest begins with, 0 when it begins none.
func (s *scanner) comment(rest string) int {
	for _, mark := range s.lang.line {
		if !strings.HasPrefix(rest, mark) || mark == "#" && s.lang.options && s.pos > 0 && !isBlank(s.src[s.pos-1]) {
			continue
		}
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			return i
		}
		return len(rest)
	}
	for _, pair := range s.lang.block {
		if strings.HasPrefix(rest, pair[0]) {
			return len(pair[0]) + through(rest[len(pair[0]):], pair[1])
		}
	}
	return 0
}

// through is the length up to and with end, or of all s.
func through(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// quoted is the length of the string rest begins with, 0 when it begins none.
func (s *scanner) quoted(rest string) int {
	for _, q := range s.lang.quotes {
		switch {
		case !strings.HasPrefix(rest, q.mark):
		case q.char:
			return charLen(rest)
		default:
			return q.length(rest)
		}
	}
	return 0
}

// length is the length of the string s begins with.
func (q quote) length(s string) int {
	for n := len(q.mark); n < len(s); n++ {
		switch {
		case s[n] == '\\' && !q.raw:
			n++
		case s[n] == '\n' && !q.lines:
			return n
		case strings.HasPrefix(s[n:], q.mark):
			return n + len(q.mark)
		}
	}
	return len(s)
}

// charLen is the length of a literal of one character, 0 where a quote begins none: it is an apostrophe, or a lifetime in
// Rust.
func charLen(s string) int {
	if len(s) > 2 && s[1] == '\\' {
		end := strings.IndexByte(s[3:min(len(s), maxChar)], '\'')
		if end < 0 {
			return 0
		}
		return 3 + end + 1
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	if 1+size < len(s) && s[1] != '\'' && s[1+size] == '\'' {
		return 1 + size + 1
	}
	return 0
}

const (
	// maxChar is the longest character literal, in bytes, with its quotes: '\U0010FFFF'.
	maxChar = 12

	// maxVariable is how far the end of ${…} is looked for, in bytes.
	maxVariable = 256
)

func (s *scanner) word(rest string) {
	n := wordLen(rest, s.lang.inWord)
	w := rest[:n]
	if s.lang.fold {
		w = strings.ToLower(w)
	}
	class, known := s.lang.words[w]
	if known && class == Type && s.lang.options && s.pos > 0 && !isBlank(s.src[s.pos-1]) {
		class = Plain // the name of a command inside another word
	}
	switch {
	case known:
	case s.lang.shape == dataShape && followedByColon(rest[n:]):
		class = Key
	case s.lang.shape == dataShape:
	case n < len(rest) && rest[n] == '(':
		class = Function
	case s.lang.capitals && w[0] >= 'A' && w[0] <= 'Z' && strings.ToUpper(w) != w:
		class = Type
	}
	s.take(class, n)
}

// lineBegins reports whether only blanks stand before pos on its line.
func (s *scanner) lineBegins() bool {
	i := s.pos - 1
	for i >= 0 && s.src[i] == ' ' {
		i--
	}
	return i < 0 || s.src[i] == '\n'
}

// diff colours whole lines by how they begin.
func (s *scanner) diff() {
	for s.pos < len(s.src) {
		line := s.src[s.pos:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		s.take(diffClass(line), len(line))
	}
}

func diffClass(line string) int {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return Keyword
	case strings.HasPrefix(line, "+"):
		return Insertion
	case strings.HasPrefix(line, "-"):
		return Deletion
	case strings.HasPrefix(line, "@@"):
		return Section
	}
	return Plain
}

// markup reads HTML and XML: tags, their attributes, comments and entities.
func (s *scanner) markup() {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch {
		case s.comment(rest) > 0:
			s.take(Comment, s.comment(rest))
		case rest[0] == '<' && len(rest) > 1 && (isWordStart(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0):
			s.tag(rest)
		case rest[0] == '&':
			n := 1 + wordLen(rest[1:], "#")
			if n < len(rest) && rest[n] == ';' {
				s.take(Constant, n+1)
			} else {
				s.take(Plain, 1)
			}
		default:
			s.take(Plain, 1)
		}
	}
}

func (s *scanner) tag(rest string) {
	n := 1
	if strings.IndexByte("/!?", rest[1]) >= 0 {
		n = 2
	}
	s.take(Tag, n+wordLen(rest[n:], "-:."))
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch c := rest[0]; {
		case c == '>':
			s.take(Tag, 1)
			return
		case c == '<':
			return
		case c == '"' || c == '\'':
			s.take(String, 1+through(rest[1:], rest[:1]))
		case isWordStart(c):
			s.take(Key, wordLen(rest, "-:."))
		default:
			s.take(Plain, 1)
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isBlank(c byte) bool { return c == ' ' || c == '\n' }
func isWordStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// wordLen is the length of the word s begins with; extra names the bytes beyond letters and digits that belong to words.
func wordLen(s, extra string) int {
	n := 0
	for n < len(s) && (isWordStart(s[n]) || isDigit(s[n]) || strings.IndexByte(extra, s[n]) >= 0) {
		n++
	}
	return n
}

// numberLen is the length of a number in any notation: 0x1F, 1_000, 1.5e-3, 10ms.
func numberLen(s string) int {
	n := 1
	for n < len(s) {
		switch c := s[n]; {
		case isDigit(c) || isWordStart(c) && c < utf8.RuneSelf:
		case c == '.' && n+1 < len(s) && isDigit(s[n+1]):
		case (c == '+' || c == '-') && s[n-1]|0x20 == 'e' && n+1 < len(s) && isDigit(s[n+1]) && !strings.HasPrefix(s, "0x"):
		default:
			return n
		}
		n++
	}
	return n
}

// variableLen is the length of $name, ${…} or $ and one special character.
func variableLen(s string) int {
	switch {
	case strings.HasPrefix(s, "${"):
		n := strings.IndexAny(s[:min(len(s), maxVariable)], "}\n")
		if n < 0 || s[n] == '\n' {
			return 2
		}
		return n + 1
	case len(s) > 1 && strings.IndexByte("?#@*!$-0123456789", s[1]) >= 0:
		return 2
	}
	return 1 + wordLen(s[1:], "")
}

func followedByColon(s string) bool {
	s = strings.TrimLeft(s, " ")
	return s != "" && (s[0] == ':' || s[0] == '=') && !strings.HasPrefix(s, "::")
}
