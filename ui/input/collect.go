package input

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// collect gathers the body of a paste or of a control string until its end marker. Each byte is looked at once, whatever the
// pieces it comes in: what could be the beginning of the marker is carried over to the next piece.
type collect struct {
	intro byte // ']', 'P' or '_' of a control string, 0 for a paste
	limit int
	text  []byte
	over  int    // bytes beyond limit
	carry []byte // the beginning of an end marker, at the end of the last piece
}

func (c *collect) paste() bool { return c.intro == 0 }

// take gathers from b up to the end marker and returns what follows that, and whether it was there.
func (c *collect) take(b []byte) (rest []byte, done bool) {
	if len(c.carry) > 0 {
		b = append(c.carry, b...)
		c.carry = nil
	}
	body, used, done := c.split(b)
	c.add(b[:body])
	if !done {
		c.carry = bytes.Clone(b[body:])
		return nil, false
	}
	return b[used:], true
}

func (c *collect) add(b []byte) {
	room := min(c.limit-len(c.text), len(b))
	c.text = append(c.text, b[:room]...)
	c.over += len(b) - room
}

// split finds the end marker in b: body is where it begins, or where the last bytes begin that could be its start; used is
// where what follows it begins.
func (c *collect) split(b []byte) (body, used int, done bool) {
	if c.paste() {
		if i := bytes.Index(b, []byte(pasteEnd)); i >= 0 {
			return i, i + len(pasteEnd), true
		}
		return len(b) - partial(b, pasteEnd), len(b), false
	}
	i := bytes.IndexAny(b, "\a\x1b\x18\x1a")
	switch {
	case i < 0:
		return len(b), len(b), false
	case b[i] != '\x1b':
		return i, i + 1, true
	case i+1 == len(b):
		return i, len(b), false
	case b[i+1] == '\\':
		return i, i + 2, true
	}
	return i, i, true // a new sequence cuts the string short, as it does in terminals
}

// partial is the length of the longest end of b that marker begins with.
func partial(b []byte, marker string) int {
	for n := min(len(marker)-1, len(b)); n > 0; n-- {
		if string(b[len(b)-n:]) == marker[:n] {
			return n
		}
	}
	return 0
}

// message turns what was gathered into a PasteMsg or a ReplyMsg.
func (c *collect) message() any {
	if c.paste() {
		return PasteMsg{Text: cleanText(c.text), Cut: c.over}
	}
	kind, data := c.reply(strings.ToValidUTF8(string(c.text), "\uFFFD"))
	return ReplyMsg{Kind: kind, Data: data, Cut: c.over > 0}
}

func (c *collect) reply(s string) (Kind, string) {
	switch c.intro {
	case ']':
		number, rest, _ := strings.Cut(s, ";")
		n, err := strconv.Atoi(number)
		if kind, ok := oscKinds[n]; ok && err == nil {
			return kind, rest
		}
	case 'P':
		if rest, ok := strings.CutPrefix(s, ">|"); ok {
			return Version, rest
		}
	case '_':
		return Graphics, strings.TrimPrefix(s, "G")
	}
	return Other, string(c.intro) + s
}

var oscKinds = map[int]Kind{11: Background, 52: Clipboard, 5522: Paste}

// cleanText makes pasted bytes valid UTF-8 with "\n" at line ends; terminals send "\r", "\n" or both.
func cleanText(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
