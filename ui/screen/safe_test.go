package screen

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestOutsideTextIsShownWithoutItsControls(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text is untouched", "func main() {}\n", "func main() {}\n"},
		{"colours go, their text stays", "\x1b[31mred\x1b[0m", "red"},
		{"a clipboard write in a file name", "a\x1b]52;c;cm0gLXJmIC8=\x07.png", "a.png"},
		{"a window title ended by ST", "x\x1b]0;owned\x1b\\y", "xy"},
		{"a hyperlink keeps its text", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"8-bit CSI", "a\u009b2Jb", "ab"},
		{"8-bit OSC with 8-bit end", "a\u009d0;t\u009cb", "ab"},
		{"raw C1 bytes are not UTF-8", "a\x9b2Jb", "a\uFFFD2Jb"},
		{"an OSC without an end hides nothing", "\x1b]0;rm -rf /", "0;rm -rf /"},
		{"an OSC does not reach over a line end", "\x1b]0;t\nrm\x07", "0;t\nrm"},
		{"a DCS", "\x1bPq#0;1\x1b\\z", "z"},
		{"a kitty picture", "\x1b_Gf=100;AAAA\x1b\\z", "z"},
		{"a reset", "\x1bcz", "z"},
		{"a character set switch", "\x1b(0lqk", "lqk"},
		{"a lone escape at the end", "z\x1b", "z"},
		{"a CSI without an end", "\x1b[31;", "31;"},
		{"bell, backspace, delete", "a\ab\bc\x7fd", "abcd"},
		{"a bidirectional override", "x\u202Egnp.exe", "xgnp.exe"},
		{"isolates and marks", "\u2066a\u2069\u200f\u061c", "a"},
		{"invisible tags", "a\U000E0041\U000E0042b", "ab"},
		{"zero-width space, byte-order mark", "\uFEFFa\u200Bb", "ab"},
		{"emoji presentation, joiner, skin tone, keycap", "❤\uFE0F 👍🏽 👨\u200d👩 1\uFE0F\u20e3", "❤ 👍 👨👩 1"},
		{"a soft hyphen", "co\u00adop", "coop"},
		{"line ends of three systems", "a\r\nb\rc\n", "a\nb\nc\n"},
		{"Unicode line ends", "a\u2028b\u2029c\u0085d", "a\nb\nc\nd"},
		{"tabs go to the next stop", "\ta\n日\tb\nabcd\te", "    a\n日  b\nabcd    e"},
		{"a heap of accents is cut", "a" + strings.Repeat("\u0301", 40), "a" + strings.Repeat("\u0301", maxMarks)},
		{"half-width sound marks take a fixed width", "ｶﾞ", "ｶ゛"},
		{"not UTF-8", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"other scripts stay", "日本 नमस्ते العربية 한글 🇩🇪", "日本 नमस्ते العربية 한글 🇩🇪"},
	} {
		if got := Safe(c.in); got != c.want {
			t.Errorf("%s: Safe(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestANameStaysOnOneLine(t *testing.T) {
	if got := SafeLine("a\nb\r\nc"); got != "a b c" {
		t.Errorf("expected line ends to become spaces, got %q", got)
	}
}

func TestNothingHidesFromAPersonWhoApproves(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an escape", "ls \x1b[8m; rm -rf /", "ls ␛[8m; rm -rf /"},
		{"carriage return", "rm -rf /\rls      ", "rm -rf /␍ls      "},
		{"bidirectional override", "x\u202Ey", "x<U+202E>y"},
		{"zero width and tags", "a\u200bb\U000E0041", "a<U+200B>b<U+E0041>"},
		{"a space that is none", "rm\u00a0-rf\u3000", "rm<U+00A0>-rf<U+3000>"},
		{"C1", "\u009b31m", "<U+009B>31m"},
		{"bytes", "a\xffb", "a<0xFF>b"},
		{"delete and null", "\x7f\x00", "␡␀"},
		{"line feeds and tabs", "a\n\tb", "a\n    b"},
		{"unassigned and private", "\U0010FFFF\ue000", "<U+10FFFF><U+E000>"},
		{"ordinary text of any script", "echo 日本 é 한글", "echo 日本 é 한글"},
		{"a replacement character that was there", "\uFFFD", "\uFFFD"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestManyOpeningsAreReadOnce(t *testing.T) {
	hostile := strings.Repeat("\x1b]0;a", 1<<18)
	done := make(chan string, 1)
	go func() { done <- Safe(hostile) }()
	select {
	case got := <-done:
		if want := strings.Repeat("0;a", 1<<18); got != want {
			t.Errorf("expected the text of %d unended strings, got %d bytes", 1<<18, len(got))
		}
	case <-time.After(time.Minute):
		t.Fatal("1.3 MB of unended control strings took over a minute: each is searched to the end of the text")
	}
}

// harmless fails when s could move a terminal.
func harmless(t *testing.T, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("%s is not UTF-8: %q", what, s)
	}
	for _, r := range s {
		if (r < ' ' && r != '\n') || (r >= 0x7f && r <= 0x9f) || isUnseen(r) {
			t.Fatalf("%s holds %U: %q", what, r, s)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"a\x1b]52;c;x\a", "\u009b2J", "\x1b\x1b[31m", "\xc2\x1b\x9b", "\u202e\t日\t", "\x1b]\x1b]\x1b\\", "\x1b\u009b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := Safe(s)
		harmless(t, "Safe", safe)
		if again := Safe(safe); again != safe {
			t.Fatalf("Safe is not settled: %q became %q", safe, again)
		}
		harmless(t, "Visible", Visible(s))
	})
}

func BenchmarkSafe(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":    strings.Repeat("plain words in a line of text\n", 4096),
		"cjk":      strings.Repeat("日本語のテキスト、そして words\n", 2048),
		"coloured": strings.Repeat("\x1b[32mok\x1b[0m\tpackage/name\t0.1s\n", 4096),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Safe(s)
			}
		})
	}
}
