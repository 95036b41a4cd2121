package input

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// decoder turns bytes into messages. It is pure: what comes out depends on the bytes alone and not on how they were split,
// but for two calls that the reader makes when time has passed, flush and drop.
type decoder struct {
	emit    func(tea.Msg)
	pending []byte   // the beginning of a sequence, under maxCSI bytes
	body    *collect // the paste or string that is coming in, nil in between
}

// feed takes the next bytes.
func (d *decoder) feed(b []byte) {
	if len(d.pending) > 0 {
		b = append(d.pending, b...)
		d.pending = nil
	}
	for len(b) > 0 {
		if d.body != nil {
			rest, done := d.body.take(b)
			b = rest
			if done {
				body := d.body
				d.body = nil
				d.emit(body.message())
			}
			continue
		}
		n := d.one(b)
		if n == 0 {
			d.pending = append([]byte(nil), b...)
			return
		}
		b = b[n:]
	}
}

// one decodes what b begins with and returns its length; 0 means that more bytes are needed to tell.
func (d *decoder) one(b []byte) int {
	if b[0] == '\x1b' {
		return d.escape(b)
	}
	n, msg := plainKey(b, 0)
	if msg != nil {
		d.emit(msg)
	}
	return n
}

// escape decodes what an ESC begins.
func (d *decoder) escape(b []byte) int {
	if len(b) == 1 {
		return 0
	}
	switch b[1] {
	case '[':
		return d.csi(b)
	case 'O':
		return d.ss3(b)
	case ']', 'P', '_':
		return d.open(b)
	case '\x1b':
		return d.twice(b)
	}
	n, msg := plainKey(b[1:], alt)
	if n == 0 {
		return 0
	}
	if msg != nil {
		d.emit(msg)
	}
	return 1 + n
}

// twice decodes two ESC in a row: the first is Alt for a sequence sent with "ESC first", or a key of its own.
func (d *decoder) twice(b []byte) int {
	if len(b) == 2 {
		return 0
	}
	if b[2] != '[' && b[2] != 'O' {
		d.emit(key("esc", 0))
		return 1
	}
	if len(b) == 3 {
		return 0
	}
	n, name, mods := keySequence(b[1:])
	if n == 0 && incomplete(b[1:]) {
		return 0
	}
	if name == "" {
		d.emit(key("esc", 0))
		return 1
	}
	d.emit(key(name, mods|alt))
	return 1 + n
}

// open begins a control string if what follows its introducer can be an answer; else it was a key with Alt.
func (d *decoder) open(b []byte) int {
	if len(b) == 2 {
		return 0
	}
	if !startsReply(b[1], b[2]) {
		d.emit(key(string(b[1]), alt))
		return 2
	}
	d.body = &collect{intro: b[1], limit: maxReply}
	return 2
}

// startsReply reports whether c can be the first byte of an answer introduced by ESC and intro. OSC answers begin with a
// number, DCS answers with a parameter or a private mark, and the only APC answer is about graphics.
func startsReply(intro, c byte) bool {
	switch intro {
	case ']':
		return c >= '0' && c <= '9'
	case 'P':
		return (c >= '0' && c <= '9') || (c >= '<' && c <= '?') || c == '!'
	}
	return c == 'G'
}

// holding reports whether the bytes held may be a whole key, should nothing follow them.
func (d *decoder) holding() bool {
	return d.body == nil && len(d.pending) > 0 && d.pending[0] == '\x1b' && len(d.pending) <= 3
}

// flush ends the wait for the rest of a sequence: what is held was keys.
func (d *decoder) flush() {
	held := d.pending
	d.pending = nil
	switch {
	case len(held) == 1:
		d.emit(key("esc", 0))
	case len(held) == 2 && held[1] == '\x1b':
		d.emit(key("esc", 0))
		d.emit(key("esc", 0))
	case len(held) == 3 && held[1] == '\x1b':
		d.emit(key("esc", 0))
		d.emit(key(string(held[2]), alt))
	case len(held) == 2 && held[0] == '\x1b' && held[1] < utf8.RuneSelf:
		d.emit(key(string(held[1]), alt))
	default: // a sequence with a parameter, or half a character: nothing a key sends
		d.pending = held
	}
}

// drop forgets a sequence or answer that was begun too long ago to be going on. A paste is kept: dropping it would let the
// rest of it type.
func (d *decoder) drop() {
	d.pending = nil
	if d.body != nil && !d.body.paste() {
		d.body = nil
	}
}

// abandon hands out a paste whose end never came.
func (d *decoder) abandon() {
	if d.body == nil || !d.body.paste() {
		return
	}
	msg := d.body.message().(PasteMsg)
	msg.Unfinished = true
	d.body = nil
	d.emit(msg)
}

// plainKey decodes the character or control that b begins with, pressed with mods. The message is nil for bytes that are not
// UTF-8, the length 0 for the beginning of a character.
func plainKey(b []byte, mods mods) (int, tea.Msg) {
	if b[0] < utf8.RuneSelf {
		name, ctl := controlName(b[0])
		return 1, key(name, mods|ctl)
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		if !utf8.FullRune(b) {
			return 0, nil
		}
		return 1, nil
	}
	if r <= 0x9f {
		return size, nil // a C1 control is no key
	}
	return size, key(string(r), mods)
}

// controlName names the key that sends the ASCII byte c.
func controlName(c byte) (string, mods) {
	switch {
	case c == '\r':
		return "enter", 0
	case c == '\t':
		return "tab", 0
	case c == 0x7f:
		return "backspace", 0
	case c == '\x1b':
		return "esc", 0
	case c == ' ':
		return "space", 0
	case c == 0:
		return "space", ctrl
	case c <= 26:
		return string(rune('a' + c - 1)), ctrl
	case c < ' ':
		return string(rune(c + 0x40)), ctrl // \ ] ^ _
	}
	return string(rune(c)), 0
}
