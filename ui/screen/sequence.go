package screen

import (
	"strings"
	"unicode/utf8"
)

// sequenceLen returns how many bytes at the start of s a terminal would take as one control: s begins with an ASCII control
// character or with one of the C1 characters U+0080 to U+009F, which terminals also read as the start of a sequence. It is
// at least the length of that character. A control string without an end counts as its opening only.
func sequenceLen(s string) int {
	kind, head := opening(s)
	switch kind {
	case '[':
		return head + csiLen(s[head:])
	case ']', 'P', '_', '^', 'X':
		return head + stringLen(s[head:])
	case '(':
		return head + charsetLen(s[head:])
	}
	return head
}

// opening tells which kind of sequence s begins with, by the byte that follows ESC ('[' for CSI, ']' for OSC and so on, '('
// for any that carries intermediate bytes, 0 for none), and the length of its opening.
func opening(s string) (kind byte, head int) {
	if s[0] != '\x1b' {
		r, size := utf8.DecodeRuneInString(s)
		if r < 0x80 || r > 0x9f {
			return 0, size
		}
		return byte(r) - 0x40, size // each C1 character equals ESC and the character 0x40 below it
	}
	if len(s) < 2 {
		return 0, 1
	}
	switch c := s[1]; {
	case c >= 0x20 && c <= 0x2f:
		return '(', 1
	case c >= 0x30 && c <= 0x7e:
		return c, 2
	}
	return 0, 1
}

// csiLen is the length of the parameters, intermediates and final byte of a CSI sequence, 0 when it has no final byte.
func csiLen(s string) int {
	i := 0
	for i < len(s) && i < maxSequence && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// charsetLen is the length of intermediates and a final byte, 0 when there is none.
func charsetLen(s string) int {
	i := 0
	for i < len(s) && i < maxSequence && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// stringLen is the length of a control string with its terminator, 0 when no terminator comes before the line ends, another
// sequence begins or [maxSequence] is passed. Each failed search stops where the next one would begin, so that a text full
// of openings is still read once.
func stringLen(s string) int {
	s = s[:min(len(s), maxSequence)]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\a':
			return i + 1
		case '\x1b':
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			return 0
		case '\n', '\r', 0x18, 0x1a:
			return 0
		case 0xc2:
			if strings.HasPrefix(s[i:], "\u009c") {
				return i + 2
			}
			if i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f {
				return 0
			}
		}
	}
	return 0
}
