package store

import "bytes"

// mend ends a JSON text that was cut somewhere, so that what stands before the cut can be read: a cut string is
// closed after its last whole character, a cut key or number is dropped back to the comma before it, and every
// open bracket is closed.
//
//	{"kind":"message","message":{"blocks":[{"text":"a long te   ->   ..."a long te"}]}}
//	{"kind":"message","time":"2026","mess                       ->   {"kind":"message","time":"2026"}
//
// It costs one pass. ok is false where the text is no JSON object or nests deeper than maxNesting.
func mend(cut []byte) (mended []byte, ok bool) {
	var m mender
	for i, c := range cut {
		if !m.step(i, c) {
			return nil, false
		}
	}
	if m.inString && m.isValue {
		return m.close(append(wholeCharacters(cut, m.escape), '"'), m.open), true
	}
	if m.comma == 0 {
		return nil, false
	}
	return m.close(bytes.Clone(cut[:m.comma]), m.atComma), true
}

// mender follows the brackets and strings of a JSON text.
type mender struct {
	open     []byte // the closers still owed, outermost first
	inString bool
	isValue  bool // the string stands after a colon or in an array
	escape   int  // where the last escape of the string began, -1 for none
	escaped  bool // the byte before was a backslash that escapes this one
	comma    int  // the last place the text could end at
	atComma  []byte
	colon    bool // a colon was seen since the last comma or brace
}

func (m *mender) step(i int, c byte) bool {
	if m.inString {
		m.stepString(i, c)
		return true
	}
	switch c {
	case '"':
		m.inString, m.escape = true, -1
		m.isValue = m.colon || len(m.open) > 0 && m.open[len(m.open)-1] == ']'
	case '{', '[':
		m.open, m.colon = append(m.open, c+2), false // ASCII: '}' is '{'+2 and ']' is '['+2
	case '}', ']':
		if len(m.open) < 2 || m.open[len(m.open)-1] != c {
			return false
		}
		m.open, m.colon = m.open[:len(m.open)-1], false
	case ':':
		m.colon = true
	case ',':
		m.comma, m.atComma, m.colon = i, append(m.atComma[:0], m.open...), false
	}
	return len(m.open) <= maxNesting
}

func (m *mender) stepString(i int, c byte) {
	switch {
	case m.escaped:
		m.escaped = false
	case c == '\\':
		m.escaped, m.escape = true, i
	case c == '"':
		m.inString = false
	}
}

func (m *mender) close(text, owed []byte) []byte {
	for i := len(owed) - 1; i >= 0; i-- {
		text = append(text, owed[i])
	}
	return text
}

// wholeCharacters drops a cut escape or a cut UTF-8 sequence from the end of a string. Escape is where its last
// escape began; the longest, \uXXXX, has six bytes.
func wholeCharacters(cut []byte, escape int) []byte {
	if escape >= 0 && len(cut)-escape < 6 {
		cut = cut[:escape]
	}
	return bytes.ToValidUTF8(bytes.Clone(cut), nil)
}
