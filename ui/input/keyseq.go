package input

import (
	"strconv"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
)

// released is the name of every key that was let go; nothing follows from that here.
const released = "released"

// keySequence names the key whose sequence, ESC [ … or ESC O …, b begins with, and returns the sequence's length. The name is
// "" for sequences that no key sends.
func keySequence(b []byte) (n int, name string, m mods) {
	if b[1] == 'O' {
		if len(b) < 3 {
			return 0, "", 0
		}
		name, m = ss3Key(b[2])
		return 3, name, m
	}
	n, ok := csiLen(b)
	if n == 0 || !ok {
		return 0, "", 0
	}
	name, m = csiKey(string(b[2:n-1]), b[n-1])
	return n, name, m
}

// csiKey names keys of the forms CSI letter, CSI 1;mods letter and CSI number;mods ~.
func csiKey(body string, final byte) (string, mods) {
	params := strings.Split(body, ";")
	m, up := modifiers(params, 1)
	if len(params) > 2 || strings.Trim(body, "0123456789;:") != "" {
		return "", 0
	}
	if up {
		return released, 0
	}
	switch final {
	case '~':
		return tildeKeys[params[0]], m
	case '^': // rxvt
		return tildeKeys[params[0]], ctrl
	case '@': // rxvt
		return tildeKeys[params[0]], ctrl | shift
	case 'Z':
		return "tab", m | shift
	}
	if params[0] != "" && params[0] != "1" {
		return "", 0
	}
	if final >= 'a' && final <= 'd' { // rxvt
		return letterKeys[final-'a'+'A'], shift
	}
	return letterKeys[final], m
}

// modifiers reads the modifiers of a key from parameter i, and whether the key was let go.
func modifiers(params []string, i int) (m mods, up bool) {
	if i >= len(params) {
		return 0, false
	}
	number, event, _ := strings.Cut(params[i], ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		n = 1
	}
	return mods(n-1) & allMods, event == "3"
}

var letterKeys = map[byte]string{
	'A': "up", 'B': "down", 'C': "right", 'D': "left", 'H': "home", 'F': "end", 'E': "begin",
	'P': "f1", 'Q': "f2", 'R': "f3", 'S': "f4",
}

var tildeKeys = map[string]string{
	"1": "home", "2": "insert", "3": "delete", "4": "end", "5": "pgup", "6": "pgdown", "7": "home", "8": "end",
	"11": "f1", "12": "f2", "13": "f3", "14": "f4", "15": "f5", "17": "f6", "18": "f7", "19": "f8", "20": "f9", "21": "f10",
	"23": "f11", "24": "f12", "25": "f13", "26": "f14", "28": "f15", "29": "f16", "31": "f17", "32": "f18", "33": "f19", "34": "f20",
}

// ss3Key names the key that sends ESC O c.
func ss3Key(c byte) (string, mods) {
	switch {
	case c == 'M':
		return "enter", 0
	case c == 'X':
		return "=", 0
	case c >= 'a' && c <= 'd':
		return letterKeys[c-'a'+'A'], ctrl
	case c >= 'j' && c <= 'y':
		return string("*+,-./0123456789"[c-'j']), 0
	}
	return letterKeys[c], 0
}

// unicodeKey decodes kitty's CSI code:shifted:base ; mods:event u.
func unicodeKey(body string) tea.Msg {
	params := strings.Split(body, ";")
	m, up := modifiers(params, 1)
	var codes [3]rune
	for i, s := range strings.SplitN(params[0], ":", len(codes)) {
		n, _ := strconv.ParseInt(s, 10, 32)
		codes[i] = rune(n)
	}
	if up {
		return nil
	}
	return codeKey(codes, m)
}

// otherKey decodes xterm's modifyOtherKeys, CSI 27 ; mods ; code ~.
func otherKey(body string) tea.Msg {
	params := strings.Split(body, ";")
	if len(params) != 3 {
		return nil
	}
	m, _ := modifiers(params, 1)
	n, _ := strconv.ParseInt(params[2], 10, 32)
	if n >= 'A' && n <= 'Z' && m&ctrl != 0 {
		m |= shift
	}
	return codeKey([3]rune{rune(n)}, m)
}

// codeKey is the key with a code point: what its key cap yields, what it yields with shift, and the key at its place on a
// Latin keyboard, the last two 0 where the terminal does not tell.
func codeKey(codes [3]rune, m mods) tea.Msg {
	code, shifted, base := codes[0], codes[1], codes[2]
	switch {
	case code < ' ' || code == 0x7f:
		if name, ctl := controlName(byte(code)); code > 0 && ctl == 0 {
			return key(name, m)
		}
		return nil
	case code >= 57344 && code <= 63743:
		if name := functionalKey(code); name != "" {
			return key(name, m)
		}
		return nil
	case !unicode.IsPrint(code):
		return nil
	case m&^shift == 0 && m&shift != 0 && unicode.IsPrint(shifted) && shifted > ' ':
		return key(string(shifted), 0)
	case m&^(shift|alt) != 0 && code > unicode.MaxASCII && base > ' ' && base <= '~':
		code = base // shortcuts work on every keyboard layout
	}
	return key(nameOf(code), m)
}

// functionalKey names keys that kitty numbers in Unicode's private area: function keys and the keypad. Keys without a use
// here, such as the modifiers themselves and media keys, have no name.
func functionalKey(code rune) string {
	switch {
	case code >= 57376 && code <= 57398:
		return "f" + strconv.Itoa(int(code-57376)+13)
	case code >= 57399 && code <= 57426:
		return keypad[code-57399]
	}
	return map[rune]string{57361: "print", 57362: "pause", 57363: "menu", 57427: "begin"}[code]
}

var keypad = [...]string{
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "/", "*", "-", "+", "enter", "=", ",",
	"left", "right", "up", "down", "pgup", "pgdown", "home", "end", "insert", "delete",
}
