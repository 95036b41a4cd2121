package input

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// decode feeds the pieces as reads that follow each other at once, and then lets time pass.
func decode(pieces ...string) []tea.Msg {
	var got []tea.Msg
	d := decoder{emit: func(m tea.Msg) { got = append(got, m) }}
	for _, p := range pieces {
		d.feed([]byte(p))
	}
	d.flush()
	return got
}

// show writes messages so that a table can hold them: keys by name, the rest by kind and content.
func show(msgs []tea.Msg) string {
	var words []string
	for _, m := range msgs {
		if name, ok := Name(m); ok {
			words = append(words, name)
			continue
		}
		switch m := m.(type) {
		case PasteMsg:
			words = append(words, fmt.Sprintf("paste(%q)", m.Text))
		case ReplyMsg:
			words = append(words, fmt.Sprintf("reply(%d %q)", m.Kind, m.Data))
		case tea.MouseMsg:
			words = append(words, fmt.Sprintf("mouse(%s %d,%d)", m.String(), m.X, m.Y))
		case tea.FocusMsg:
			words = append(words, "focus")
		case tea.BlurMsg:
			words = append(words, "blur")
		default:
			words = append(words, fmt.Sprintf("%T", m))
		}
	}
	return strings.Join(words, " ")
}

var streams = []struct{ name, in, want string }{
	{"letters", "aB é日", "a B space é 日"},
	{"controls", "\x03\x16\x00\t\r\x7f\n\x1f", "ctrl+c ctrl+v ctrl+space tab enter backspace ctrl+j ctrl+_"},
	{"escape", "\x1b", "esc"},
	{"escape twice", "\x1b\x1b", "esc esc"},
	{"escape, then alt", "\x1b\x1bx", "esc alt+x"},
	{"alt chords", "\x1bv\x1bV\x1b\r\x1b\x7f\x1bé\x1b \x1b\x16", "alt+v alt+V alt+enter alt+backspace alt+é alt+space ctrl+alt+v"},
	{"alt with the letters that begin sequences", "\x1b[", "alt+["},
	{"alt and a bracket, then text", "\x1b]hi", "alt+] h i"},
	{"alt+shift+P, then text", "\x1bPx", "alt+P x"},
	{"alt+underscore, then text", "\x1b_x", "alt+_ x"},
	{"alt+shift+O, then text", "\x1bO\x1bOz", "alt+O alt+O z"},
	{"arrows", "\x1b[A\x1bOB\x1b[1;5C\x1b[1;2D\x1b[1;3A\x1b[1;6B\x1b[1;7A", "up down ctrl+right shift+left alt+up ctrl+shift+down ctrl+alt+up"},
	{"escape before an arrow is alt", "\x1b\x1b[A\x1b\x1bOA", "alt+up alt+up"},
	{"paging and editing", "\x1b[5~\x1b[6;5~\x1b[3~\x1b[3;5~\x1b[3;2~\x1b[2~\x1b[1~\x1b[F\x1b[1;5H", "pgup ctrl+pgdown delete ctrl+delete shift+delete insert home end ctrl+home"},
	{"function keys", "\x1bOP\x1b[15~\x1b[24;2~\x1b[1;2R\x1b[[C\x1b[13~", "f1 f5 shift+f12 shift+f3 f3 f3"},
	{"shift+tab", "\x1b[Z", "shift+tab"},
	{"kitty keys", "\x1b[13;2u\x1b[118;5u\x1b[118;6u\x1b[27u\x1b[120;3u\x1b[97;2u\x1b[13;5u", "shift+enter ctrl+v ctrl+shift+v esc alt+x A ctrl+enter"},
	{"kitty keys with caps and num lock", "\x1b[99;133u\x1b[99;69u", "ctrl+c ctrl+c"},
	{"kitty releases mean nothing", "\x1b[99;5:3u\x1b[1;1:3A\x1b[99;5:1u", "ctrl+c"},
	{"kitty on a Cyrillic keyboard", "\x1b[1089::99;5u\x1b[1089;3u", "ctrl+c alt+с"},
	{"kitty keypad and modifiers alone", "\x1b[57404u\x1b[57414u\x1b[57441;2u\x1b[57376u", "5 enter f13"},
	{"kitty command key", "\x1b[118;9u", "super+v"},
	{"kitty keys that terminals cannot tell apart", "\x1b[105;5u\x1b[109;5u\x1b[91;5u\x1b[47;5u\x1b[32;5u\x1b[127;2u\x1b[32;2u", "tab enter esc ctrl+_ ctrl+space backspace space"},
	{"shifted key told by kitty", "\x1b[49:33;2u", "!"},
	{"modifyOtherKeys", "\x1b[27;2;13~\x1b[27;5;118~\x1b[27;6;86~\x1b[27;5;9~", "shift+enter ctrl+v ctrl+shift+v ctrl+tab"},
	{"a paste", "\x1b[200~one\rtwo\r\nthree\x1b[201~x", `paste("one\ntwo\nthree") x`},
	{"an empty paste", "\x1b[200~\x1b[201~", `paste("")`},
	{"escape just before a paste", "\x1b\x1b[200~a\x1b[201~", `esc paste("a")`},
	{"a paste holding sequences", "\x1b[200~\x1b[A\x1b]11;x\a\x1b[200~\x1b[20\x1b[201~", `paste("\x1b[A\x1b]11;x\a\x1b[200~\x1b[20")`},
	{"a paste holding the end marker ends there", "\x1b[200~a\x1b[201~b\x1b[201~", `paste("a") b reply(0 "[201~")`},
	{"a paste that is not UTF-8", "\x1b[200~a\xffb\x1b[201~", `paste("a�b")`},
	{"a paste, then enter", "\x1b[200~hi\x1b[201~\r", `paste("hi") enter`},
	{"background, ended by ST and by BEL", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b]11;rgb:ff/ff/ff\a", `reply(1 "rgb:1e1e/1e1e/2e2e") reply(1 "rgb:ff/ff/ff")`},
	{"clipboard", "\x1b]52;c;aGk=\x1b\\", `reply(2 "c;aGk=")`},
	{"clipboard event", "\x1b]5522;type=read:status=OK\x1b\\", `reply(3 "type=read:status=OK")`},
	{"graphics", "\x1b_Gi=1;OK\x1b\\", `reply(4 "i=1;OK")`},
	{"a mode", "\x1b[?2026;2$y", `reply(5 "2026;2")`},
	{"device class", "\x1b[?62;4;52c", `reply(6 "62;4;52")`},
	{"version", "\x1bP>|kitty(0.46.2)\x1b\\", `reply(7 "kitty(0.46.2)")`},
	{"cursor", "\x1b[12;40R", `reply(8 "12;40")`},
	{"keyboard flags", "\x1b[?1u", `reply(9 "1")`},
	{"colour scheme", "\x1b[?997;1n", `reply(10 "997;1")`},
	{"answers between keys", "a\x1b]11;rgb:0/0/0\ab\x1b[?6cc", `a reply(1 "rgb:0/0/0") b reply(6 "6") c`},
	{"an answer cut short by a key", "\x1b]11;rgb\x1b[A", `reply(1 "rgb") up`},
	{"unknown sequences never type", "\x1b[>1;2;3c\x1b[=9z\x1b[999~\x1b]4;1;rgb:0/0/0\a", `reply(0 "[>1;2;3c") reply(0 "[=9z") reply(0 "[999~") reply(0 "]4;1;rgb:0/0/0")`},
	{"mouse", "\x1b[<0;5;6M\x1b[<0;5;6m\x1b[<64;1;1M\x1b[<32;2;2M\x1b[<20;1;1M", "mouse(left press 4,5) mouse(left release 4,5) mouse(wheel up 0,0) mouse(left motion 1,1) mouse(ctrl+shift+left press 0,0)"},
	{"old mouse", "\x1b[M !!\x1b[M#!!", "mouse(left press 0,0) mouse(release 0,0)"},
	{"focus", "\x1b[I\x1b[O", "focus blur"},
	{"bytes that are not UTF-8", "a\xff\xc3b\xf0\x9f\x98", "a b"},
	{"a C1 character is no key", "a\u009bb", "a b"},
	{"a control inside a sequence ends it", "\x1b[1;\rx", "enter x"},
}

func TestEveryByteTheTerminalSendsHasOneMeaning(t *testing.T) {
	for _, c := range streams {
		if got := show(decode(c.in)); got != c.want {
			t.Errorf("%s: %q gave\n %s\nwant\n %s", c.name, c.in, got, c.want)
		}
	}
}

func TestWhereReadsAreSplitDoesNotMatter(t *testing.T) {
	for _, c := range streams {
		for i := 1; i < len(c.in); i++ {
			if got := show(decode(c.in[:i], c.in[i:])); got != c.want {
				t.Errorf("%s split at %d: got\n %s\nwant\n %s", c.name, i, got, c.want)
			}
		}
		if got := show(decode(strings.Split(c.in, "")...)); utf8.ValidString(c.in) && got != c.want {
			t.Errorf("%s one character at a time: got\n %s\nwant\n %s", c.name, got, c.want)
		}
	}
}

func TestAPasteIsWholeWhereverItsMarkersAreSplit(t *testing.T) {
	body := strings.Repeat("日本 text\x1b[20\x1b[2\n", 60)
	stream := pasteStart + body + pasteEnd + "\r"
	want := []tea.Msg{PasteMsg{Text: body}, tea.KeyMsg{Type: tea.KeyEnter}}
	for size := 1; size <= 256; size++ {
		var pieces []string
		for rest := stream; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := decode(pieces...); !reflect.DeepEqual(got, want) {
			t.Fatalf("in reads of %d bytes: got %d messages, want the paste and enter", size, len(got))
		}
	}
}

func TestAPasteTooLongIsCutAndSaysSo(t *testing.T) {
	got := decode(pasteStart, strings.Repeat("a", maxPaste), "bcd", pasteEnd, "x")
	if len(got) != 2 {
		t.Fatalf("expected a paste and a key, got %d messages", len(got))
	}
	if p := got[0].(PasteMsg); len(p.Text) != maxPaste || p.Cut != 3 {
		t.Errorf("expected %d bytes kept and 3 cut, got %d and %d", maxPaste, len(p.Text), p.Cut)
	}
}

func TestAnAnswerThatNeverEndsStaysBoundedAndIsForgotten(t *testing.T) {
	var got []tea.Msg
	d := decoder{emit: func(m tea.Msg) { got = append(got, m) }}
	d.feed([]byte("\x1b]52;c;"))
	for range 2 * maxReply / readSize {
		d.feed(make([]byte, readSize))
	}
	if len(d.body.text) > maxReply {
		t.Errorf("%d bytes are held, more than %d", len(d.body.text), maxReply)
	}
	d.drop()
	d.feed([]byte("a"))
	if show(got) != "a" {
		t.Errorf("expected only the key typed later, got %s", show(got))
	}
}

func TestAPasteWithoutAnEndCanBeGivenUp(t *testing.T) {
	var got []tea.Msg
	d := decoder{emit: func(m tea.Msg) { got = append(got, m) }}
	d.feed([]byte(pasteStart + "half"))
	d.drop()
	d.abandon()
	d.feed([]byte("\x03"))
	want := []tea.Msg{PasteMsg{Text: "half", Unfinished: true}, tea.KeyMsg{Type: tea.KeyCtrlC}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want the half paste and ctrl+c", got)
	}
}

func TestBubbleTeaComponentsUnderstandTheKeysItHasValuesFor(t *testing.T) {
	for in, want := range map[string]tea.KeyMsg{
		"a":          {Type: tea.KeyRunes, Runes: []rune{'a'}},
		" ":          {Type: tea.KeySpace, Runes: []rune{' '}},
		"\x1b[99;5u": {Type: tea.KeyCtrlC},
		"\x1b[A":     {Type: tea.KeyUp},
		"\x1bb":      {Type: tea.KeyRunes, Runes: []rune{'b'}, Alt: true},
		"\x1b\x7f":   {Type: tea.KeyBackspace, Alt: true},
		"\x1b[1;3D":  {Type: tea.KeyLeft, Alt: true},
	} {
		if got := decode(in); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%q gave %#v, want %#v", in, got, want)
		}
	}
}

func TestKeysWrittenByPeopleGetTheNameTheKeyHas(t *testing.T) {
	for in, want := range map[string]string{
		"enter": "enter", "Return": "enter", "escape": "esc", "Ctrl+V": "ctrl+v", "alt+ctrl+v": "ctrl+alt+v",
		"shift+ctrl+v": "ctrl+shift+v", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+i": "tab", "ctrl+@": "ctrl+space",
		"shift+a": "A", "alt+shift+a": "alt+A", "option+left": "alt+left", "ctrl++": "ctrl++", "+": "+", " ": "space",
		"pageup": "pgup", "control+shift+up": "ctrl+shift+up", "F12": "f12", "cmd+k": "super+k", "shift+enter": "shift+enter",
		"?": "?", "ctrl+/": "ctrl+_",
	} {
		if got, err := Canonical(in); err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "ctrl+", "hyperspace", "ctrl+foo", "f99", "strg+c", "f1x"} {
		if got, err := Canonical(in); err == nil {
			t.Errorf("expected %q to be refused, got %q", in, got)
		} else if !strings.Contains(err.Error(), "is not a key") {
			t.Errorf("%q: the error does not say what is wrong: %v", in, err)
		}
	}
}

func TestNamesAreTheirOwnCanonicalForm(t *testing.T) {
	for _, c := range streams {
		for _, m := range decode(c.in) {
			name, ok := Name(m)
			if !ok {
				continue
			}
			if got, err := Canonical(name); err != nil || got != name {
				t.Errorf("the key %q is written %q, %v in a configuration file", name, got, err)
			}
		}
	}
}

func TestTextIsNotAKey(t *testing.T) {
	for _, m := range []tea.Msg{
		tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("ab")}, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a"), Paste: true},
		PasteMsg{Text: "y"}, ReplyMsg{}, nil,
	} {
		if name, ok := Name(m); ok {
			t.Errorf("%#v passes for the key %q", m, name)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, c := range streams {
		f.Add([]byte(c.in), uint16(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint16) {
		cut := int(seed) % (len(b) + 1)
		whole, split := decode(string(b)), decode(string(b[:cut]), string(b[cut:]))
		if !reflect.DeepEqual(whole, split) {
			t.Fatalf("split at %d: %s\nwhole: %s", cut, show(split), show(whole))
		}
		for _, m := range whole {
			switch m := m.(type) {
			case PasteMsg:
				if !utf8.ValidString(m.Text) || strings.Contains(m.Text, "\r") {
					t.Fatalf("a paste is not clean: %q", m.Text)
				}
			case ReplyMsg:
				if !utf8.ValidString(m.Data) {
					t.Fatalf("an answer is not UTF-8: %q", m.Data)
				}
			}
			if name, ok := Name(m); ok {
				if got, err := Canonical(name); err != nil || got != name {
					t.Fatalf("key %q has no settled name: %q, %v", name, got, err)
				}
			}
		}
	})
}
