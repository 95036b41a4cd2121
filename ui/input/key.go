package input

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// mods are the modifiers of a key, numbered as xterm and kitty do.
type mods int

const (
	shift mods = 1 << iota
	alt
	ctrl
	super
	hyper
	meta

	allMods mods = 1<<iota - 1 // caps lock and num lock, the next two bits, are no modifiers of a key
)

// modNames is the order of modifiers in a canonical name.
var modNames = [...]struct {
	bit  mods
	name string
}{{ctrl, "ctrl+"}, {alt, "alt+"}, {shift, "shift+"}, {super, "super+"}, {hyper, "hyper+"}, {meta, "meta+"}}

// Name returns the canonical name of a key message, ours or Bubble Tea's, for looking keys up by action: modifiers in the
// order ctrl, alt, shift, super, then the key, for example "ctrl+alt+v", "shift+enter", "pgup", "space", "A", "é". It is
// false for everything that is not one key.
func Name(msg tea.Msg) (string, bool) {
	switch k := msg.(type) {
	case KeyMsg:
		return k.Name, true
	case tea.KeyMsg:
		return teaName(k)
	}
	return "", false
}

func teaName(k tea.KeyMsg) (string, bool) {
	var m mods
	if k.Alt {
		m = alt
	}
	switch {
	case k.Paste:
		return "", false
	case k.Type == tea.KeyRunes && len(k.Runes) == 1:
		return format(normal(nameOf(k.Runes[0]), m)), true
	case k.Type == tea.KeyRunes:
		return "", false
	}
	name, own, err := parse(tea.Key{Type: k.Type}.String())
	if err != nil {
		return "", false
	}
	return format(normal(name, own|m)), true
}

func nameOf(r rune) string {
	if r == ' ' {
		return "space"
	}
	return string(r)
}

// Canonical returns the name that [Name] gives for the key a person wrote as s in a configuration file: any order and any
// case of modifiers, common other words ("return", "escape", "control", "option"), and keys that terminals cannot tell apart
// under the name they share ("ctrl+m" is "enter"). The error says what is wrong with s.
func Canonical(s string) (string, error) {
	name, m, err := parse(s)
	if err != nil {
		return "", err
	}
	return format(normal(name, m)), nil
}

// parse splits a written key into its name and modifiers.
func parse(s string) (string, mods, error) {
	if s == " " {
		return "space", 0, nil
	}
	var m mods
	rest := s
	for {
		word, after, found := strings.Cut(rest, "+")
		if !found || after == "" && word == "" {
			break
		}
		bit, ok := modWords[strings.ToLower(strings.TrimSpace(word))]
		if !ok {
			break
		}
		m, rest = m|bit, after
	}
	name := strings.TrimSpace(rest)
	if utf8.RuneCountInString(name) == 1 {
		return name, m, nil
	}
	name = strings.ToLower(name)
	if to, ok := keyWords[name]; ok {
		name = to
	}
	if name == "" || !named(name) {
		return "", 0, fmt.Errorf("%q is not a key: write a character or one of enter, tab, esc, space, backspace, delete, "+
			"insert, up, down, left, right, home, end, pgup, pgdown, f1 to f35, with ctrl+, alt+, shift+ or super+ before it", s)
	}
	return name, m, nil
}

var modWords = map[string]mods{
	"ctrl": ctrl, "control": ctrl, "alt": alt, "option": alt, "opt": alt, "shift": shift,
	"super": super, "cmd": super, "command": super, "win": super, "hyper": hyper, "meta": meta,
}

var keyWords = map[string]string{
	"return": "enter", "escape": "esc", "del": "delete", "ins": "insert", "pageup": "pgup", "pagedown": "pgdown",
	"page_up": "pgup", "page_down": "pgdown", "spacebar": "space", "bs": "backspace", "plus": "+", "minus": "-",
}

// named reports whether name is a key that has a word for a name.
func named(name string) bool {
	switch name {
	case "enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end",
		"pgup", "pgdown", "menu", "print", "pause", "begin", "+", "-":
		return true
	}
	var n int
	_, err := fmt.Sscanf(name, "f%d", &n)
	return err == nil && n >= 1 && n <= 35 && name == fmt.Sprintf("f%d", n)
}

// normal brings keys that mean the same to people, or that most terminals cannot tell apart, under one name.
func normal(name string, m mods) (string, mods) {
	m &= allMods
	r, size := utf8.DecodeRuneInString(name)
	if size == len(name) && unicode.IsLetter(r) {
		return normalLetter(r, m)
	}
	switch {
	case m&ctrl != 0 && name == "[":
		return "esc", m &^ ctrl
	case m&ctrl != 0 && name == "@":
		return "space", m
	case m&ctrl != 0 && name == "/":
		return "_", m
	case m == shift && (name == "space" || name == "backspace"):
		return name, 0 // a finger still on shift
	case m&^alt == shift && size == len(name):
		return name, m &^ shift // the character has taken it in
	}
	return name, m
}

// normalLetter: shift is in the letter unless ctrl or super is held, where the letter is always small.
func normalLetter(r rune, m mods) (string, mods) {
	if m&^(shift|alt) == 0 {
		if m&shift != 0 {
			r = unicode.ToUpper(r)
		}
		return string(r), m &^ shift
	}
	r = unicode.ToLower(r)
	if m&shift == 0 && m&ctrl != 0 {
		switch r {
		case 'i':
			return "tab", m &^ ctrl
		case 'm':
			return "enter", m &^ ctrl
		}
	}
	return string(r), m
}

func format(name string, m mods) string {
	var b strings.Builder
	for _, mod := range modNames {
		if m&mod.bit != 0 {
			b.WriteString(mod.name)
		}
	}
	return b.String() + name
}

// key is the message for a key: Bubble Tea's own where it has a value for it, so that its components understand it.
func key(name string, m mods) tea.Msg {
	name, m = normal(name, m)
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && m&^alt == 0 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: m&alt != 0}
	}
	k, ok := teaKeys()[format(name, m&^alt)]
	if !ok {
		return KeyMsg{Name: format(name, m)}
	}
	k.Alt = m&alt != 0
	return tea.KeyMsg(k)
}

// teaKeys are the keys that Bubble Tea has values for, by canonical name.
var teaKeys = sync.OnceValue(func() map[string]tea.Key {
	keys := map[string]tea.Key{"space": {Type: tea.KeySpace, Runes: []rune{' '}}}
	add := func(t tea.KeyType) {
		k := tea.Key{Type: t}
		if name, ok := teaName(tea.KeyMsg(k)); ok && t != tea.KeySpace {
			keys[name] = k
		}
	}
	for t := tea.KeyF20; t < tea.KeyRunes; t++ {
		add(t)
	}
	for t := tea.KeyNull; t <= tea.KeyCtrlUnderscore; t++ {
		add(t)
	}
	add(tea.KeyBackspace)
	return keys
})
