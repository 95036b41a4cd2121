package input

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// csi decodes a control sequence: a key, a mouse event, a change of focus, the beginning of a paste or an answer.
func (d *decoder) csi(b []byte) int {
	if n, msg := linuxFunctionKey(b); n > 0 {
		d.emit(msg)
		return n
	}
	if len(b) == 3 && b[2] == '[' {
		return 0
	}
	if len(b) >= 3 && b[2] == 'M' {
		return d.oldMouse(b)
	}
	n, ok := csiLen(b)
	switch {
	case n == 0:
		return 0
	case !ok && n == 2:
		d.emit(key("[", alt))
		return 2
	case !ok:
		return n // cut short: no key sends this
	}
	if string(b[:n]) == pasteStart {
		d.body = &collect{limit: maxPaste}
		return n
	}
	if msg := csiMessage(b[:n]); msg != nil {
		d.emit(msg)
	}
	return n
}

// csiLen is the length of the control sequence that b begins with, 0 when it is not all there. It is false when something
// came in between that cannot belong to it; the length is then that of the part before.
func csiLen(b []byte) (int, bool) {
	i := 2
	for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3f && i < maxCSI {
		i++
	}
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f && i < maxCSI {
		i++
	}
	switch {
	case i >= maxCSI:
		return i, false
	case i == len(b):
		return 0, false
	case b[i] >= 0x40 && b[i] <= 0x7e:
		return i + 1, true
	}
	return i, false
}

// incomplete reports whether the sequence b begins with may go on.
func incomplete(b []byte) bool {
	if b[1] == 'O' {
		return len(b) == 2
	}
	n, _ := csiLen(b)
	return n == 0 || (len(b) == 3 && b[2] == '[')
}

// csiMessage is what a whole sequence means, nil when it is known to mean nothing here.
func csiMessage(seq []byte) tea.Msg {
	body, final := string(seq[2:len(seq)-1]), seq[len(seq)-1]
	switch {
	case body == "" && final == 'I':
		return tea.FocusMsg{}
	case body == "" && final == 'O':
		return tea.BlurMsg{}
	case strings.HasPrefix(body, "<") && (final == 'M' || final == 'm'):
		return mouse(body[1:], final == 'm')
	case final == 'u' && !strings.HasPrefix(body, "?"):
		return unicodeKey(body)
	case final == '~' && strings.HasPrefix(body, "27;"):
		return otherKey(body)
	}
	if reply, ok := csiReply(body, final); ok {
		return reply
	}
	if _, name, mods := keySequence(seq); name == released {
		return nil
	} else if name != "" {
		return key(name, mods)
	}
	return ReplyMsg{Kind: Other, Data: string(seq[1:])}
}

// csiReply recognises the answers that come as control sequences.
func csiReply(body string, final byte) (ReplyMsg, bool) {
	private := strings.HasPrefix(body, "?")
	data := strings.TrimPrefix(body, "?")
	switch {
	case private && final == 'c':
		return ReplyMsg{Kind: Device, Data: data}, true
	case private && final == 'u':
		return ReplyMsg{Kind: Keyboard, Data: data}, true
	case private && final == 'n' && strings.HasPrefix(data, "997;"):
		return ReplyMsg{Kind: Scheme, Data: data}, true
	case final == 'y' && strings.HasSuffix(data, "$"):
		return ReplyMsg{Kind: Mode, Data: strings.TrimSuffix(data, "$")}, true
	case final == 'R' && strings.Contains(data, ";") && !f3WithModifiers(body):
		return ReplyMsg{Kind: Cursor, Data: data}, true
	}
	return ReplyMsg{}, false
}

// f3WithModifiers tells shift+F3 and its like from a cursor report: both are CSI 1;N R. Reports of the first row are not
// asked for by this program.
func f3WithModifiers(body string) bool {
	rest, ok := strings.CutPrefix(body, "1;")
	n, err := strconv.Atoi(strings.SplitN(rest, ":", 2)[0])
	return ok && err == nil && n <= 16
}

// ss3 decodes ESC O and a letter, which keypads and the first function keys send.
func (d *decoder) ss3(b []byte) int {
	if len(b) == 2 {
		return 0
	}
	n, name, mods := keySequence(b)
	if name == "" {
		d.emit(key("O", alt))
		return 2
	}
	d.emit(key(name, mods))
	return n
}

// linuxFunctionKey decodes CSI [ A to CSI [ E, which the Linux console sends for F1 to F5.
func linuxFunctionKey(b []byte) (int, tea.Msg) {
	if len(b) < 4 || b[2] != '[' || b[3] < 'A' || b[3] > 'E' {
		return 0, nil
	}
	return 4, key("f"+strconv.Itoa(int(b[3]-'A')+1), 0)
}
