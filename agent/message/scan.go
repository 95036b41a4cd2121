package message

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The two records that make up nearly all of a log, messages and results, are read by hand and in one pass:
// encoding/json takes four of each byte of a message (it checks the line, finds the message's end, checks it again,
// and decodes), which is what a resume would take its time with. Whatever is not written the way Encode writes it
// (white space, another spelling of a key, a key twice, null, a field nobody knows) makes the scanner give up, and
// encoding/json decides. So this code may refuse anything, and must never read anything otherwise than that does.

// scanner reads compact JSON from its start. After a failure everything it returns is zero.
type scanner struct {
	text   []byte
	at     int
	failed bool
}

// decodeByHand reads a message or result record. ok is false where encoding/json has to.
func decodeByHand(line []byte) (r Record, ok bool) {
	if !utf8.Valid(line) {
		return nil, false
	}
	s := scanner{text: line}
	var head Head
	var m Message
	var result ToolResult
	seen := make(keys, 0, mostKeys)
	s.object(func(key string) {
		s.once(&seen, key)
		switch key {
		case "message":
			m = s.message()
		case "v":
			head.V = s.number()
		case "kind":
			head.Kind = Kind(s.string())
		case "id":
			head.ID = s.string()
		case "parent":
			head.Parent = s.string()
		case "time":
			s.decode(&head.Time)
		default:
			s.result(key, &result)
		}
	})
	if s.failed || s.at != len(line) || head.ID == "" {
		return nil, false
	}
	switch {
	case head.Kind == KindMessage && seen.only("v", "kind", "id", "parent", "time", "message"):
		return MessageRecord{Head: head, Message: m}, true
	case head.Kind == KindResult && !seen.has("message"):
		return ResultRecord{Head: head, ToolResult: result}, true
	}
	return nil, false
}

func (s *scanner) message() (m Message) {
	m.Blocks = []Block{}
	seen := make(keys, 0, mostKeys)
	s.object(func(key string) {
		s.once(&seen, key)
		switch key {
		case "role":
			m.Role = Role(s.string())
		case "blocks":
			s.array(func() { m.Blocks = append(m.Blocks, s.block()) })
		case "provider":
			m.Provider = s.string()
		case "model":
			m.Model = s.string()
		case "stop":
			m.Stop = Stop(s.string())
		case "usage":
			s.decode(&m.Usage)
		default:
			s.fail()
		}
	})
	return m
}

func (s *scanner) block() Block {
	var b anyBlock
	seen := make(keys, 0, mostKeys)
	s.object(func(key string) {
		s.once(&seen, key)
		switch key {
		case "type":
			b.Type = s.string()
		case "text":
			b.Text = s.string()
		case "origin":
			b.Origin = Origin(s.string())
		case "opaque":
			b.Opaque = s.string()
		case "ref":
			b.Ref = s.string()
		case "media_type":
			b.MediaType = s.string()
		case "width":
			b.Width = s.number()
		case "height":
			b.Height = s.number()
		case "id":
			b.ID = s.string()
		case "name":
			b.Name = s.string()
		case "args":
			b.Args = s.string()
		case "call":
			b.CallID = s.string()
		case "images":
			s.decode(&b.Images)
		case "is_error":
			s.decode(&b.IsError)
		case "meta":
			s.decode(&b.Meta)
		default:
			s.fail()
		}
	})
	block, err := b.block()
	if err != nil {
		s.fail()
	}
	return block
}

// result reads one field of a result record.
func (s *scanner) result(key string, r *ToolResult) {
	switch key {
	case "call":
		r.CallID = s.string()
	case "text":
		r.Text = s.string()
	case "images":
		s.decode(&r.Images)
	case "is_error":
		s.decode(&r.IsError)
	case "meta":
		s.decode(&r.Meta)
	default:
		s.fail()
	}
}

// keys are the keys an object has had.
type keys []string

func (k keys) has(key string) bool {
	for _, had := range k {
		if had == key {
			return true
		}
	}
	return false
}

func (k keys) only(known ...string) bool {
	for _, had := range k {
		if !keys(known).has(had) {
			return false
		}
	}
	return true
}

// once notes a key and fails at the second time.
func (s *scanner) once(seen *keys, key string) {
	if seen.has(key) {
		s.fail()
	}
	*seen = append(*seen, key)
}

func (s *scanner) fail() { s.failed = true }

// take passes over a byte that has to be there.
func (s *scanner) take(c byte) {
	if s.failed || s.at >= len(s.text) || s.text[s.at] != c {
		s.fail()
		return
	}
	s.at++
}

func (s *scanner) next(c byte) bool { return !s.failed && s.at < len(s.text) && s.text[s.at] == c }

// object calls field with each key; field reads the value.
func (s *scanner) object(field func(key string)) {
	s.take('{')
	if s.next('}') {
		s.at++
		return
	}
	for !s.failed {
		key := s.string()
		s.take(':')
		if !s.failed {
			field(key)
		}
		if s.next(',') {
			s.at++
			continue
		}
		s.take('}')
		return
	}
}

// array calls element for each element, which that reads.
func (s *scanner) array(element func()) {
	s.take('[')
	if s.next(']') {
		s.at++
		return
	}
	for !s.failed {
		element()
		if s.next(',') {
			s.at++
			continue
		}
		s.take(']')
		return
	}
}

// mostKeys is how many keys objects have of which there are many.
const mostKeys = 8

// maxDigits keeps a number inside an int.
const maxDigits = 18

// number reads a whole number; another sort of number fails.
func (s *scanner) number() int {
	start, sign := s.at, 1
	if s.next('-') {
		s.at++
		start, sign = s.at, -1
	}
	n := 0
	for ; s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' && s.at-start <= maxDigits; s.at++ {
		n = 10*n + int(s.text[s.at]-'0')
	}
	digits := s.at - start
	if digits == 0 || digits > maxDigits || digits > 1 && s.text[start] == '0' || !s.next(',') && !s.next('}') {
		s.fail()
		return 0
	}
	return sign * n
}

// decode has encoding/json read a small value. Null is not taken: what it leaves alone was never set here.
func (s *scanner) decode(into any) {
	raw := s.raw()
	if s.failed || bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, into) != nil {
		s.fail()
	}
}

// raw passes over a value and returns its text. Whether that is JSON is for its reader to say; only where it ends is
// found out, which for JSON is right.
func (s *scanner) raw() []byte {
	start, depth := s.at, 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.quoted()
			if s.failed {
				return nil
			}
			s.at--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return s.text[start:s.at]
			}
		case ',':
			if depth == 0 {
				return s.text[start:s.at]
			}
		}
	}
	s.fail()
	return nil
}

// quoted passes over a string and returns what stands between its quotes, and how many escapes that has.
func (s *scanner) quoted() (inner []byte, escapes int) {
	if s.take('"'); s.failed {
		return nil, 0
	}
	start := s.at
	for i := start; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.text[start:i], escapes
		case c == '\\':
			escapes++
			i++
		case c < ' ':
			s.fail()
			return nil, 0
		}
	}
	s.fail()
	return nil, 0
}

// string reads a string as encoding/json does.
func (s *scanner) string() string {
	inner, escapes := s.quoted()
	if escapes == 0 {
		return string(inner)
	}
	return s.unescape(inner, len(inner)-escapes)
}

// unescape resolves escapes into a string of at most so many bytes.
func (s *scanner) unescape(inner []byte, most int) string {
	var out strings.Builder
	out.Grow(most)
	for !s.failed {
		at := bytes.IndexByte(inner, '\\')
		if at < 0 {
			out.Write(inner)
			break
		}
		out.Write(inner[:at])
		c := inner[at+1] // quoted passed over it
		inner = inner[at+2:]
		switch {
		case c == 'u':
			r, length := codePoint(inner)
			if length == 0 {
				s.fail()
			}
			out.WriteRune(r)
			inner = inner[length:]
		case escaped[c] != 0:
			out.WriteByte(escaped[c])
		default:
			s.fail()
		}
	}
	return out.String()
}

// escaped is what a letter after a backslash stands for.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// codePoint reads what follows \u: four digits, or a surrogate pair. One alone is U+FFFD. Length is how many bytes
// that took; 0 where it is none.
func codePoint(text []byte) (r rune, length int) {
	r = hex4(text)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(text) >= 10 && text[4] == '\\' && text[5] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(text[6:])); pair != unicode.ReplacementChar {
			return pair, 10
		}
	}
	return unicode.ReplacementChar, 4
}

// hex4 reads four hexadecimal digits; below zero where there are none.
func hex4(text []byte) (r rune) {
	if len(text) < 4 {
		return -1
	}
	for _, c := range text[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
