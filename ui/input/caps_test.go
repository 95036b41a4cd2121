package input

import (
	"strings"
	"testing"
)

// learn feeds what a terminal answers, as bytes, to the zero Caps.
func learn(answers string) Caps {
	var c Caps
	for _, m := range decode(answers) {
		if reply, ok := m.(ReplyMsg); ok {
			c = c.With(reply)
		}
	}
	return c
}

func TestTerminalsAreKnownByTheirAnswers(t *testing.T) {
	for _, c := range []struct {
		name, answers string
		want          Caps
	}{
		{"kitty", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1bP>|kitty(0.46.2)\x1b\\\x1b[?2026;2$y\x1b[?5522;2$y\x1b[?0u\x1b[?62;52;c",
			Caps{Shade: Dark, Name: "kitty", Version: "0.46.2", Placeholders: true, Frames: true, Events: true, KittyKeys: true, Done: true}},
		{"old kitty", "\x1bP>|kitty(0.26.5)\x1b\\\x1b[?62;c", Caps{Name: "kitty", Version: "0.26.5", Done: true}},
		{"ghostty", "\x1bP>|ghostty 1.2.0\x1b\\", Caps{Name: "ghostty", Version: "1.2.0", Placeholders: true}},
		{"foot", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1bP>|foot(1.13.1)\x1b\\\x1b[?2026;2$y\x1b[?5522;0$y\x1b[?0u\x1b[?62;4;22c",
			Caps{Shade: Light, Name: "foot", Version: "1.13.1", Frames: true, KittyKeys: true, Sixel: true, Done: true}},
		{"konsole, which says OK to graphics", "\x1bP>|Konsole 22.12.3\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[?62;1;4c", Caps{Name: "konsole", Version: "22.12.3", Sixel: true, Done: true}},
		{"VTE: 2026 is fixed off", "\x1b[?2026;4$y\x1b[?65;1;9c", Caps{Done: true}},
		{"tmux", "\x1bP>|tmux 3.3a\x1b\\\x1b[?1;2;4c", Caps{Name: "tmux", Version: "3.3a", Sixel: true, Done: true}},
		{"silent", "", Caps{}},
	} {
		if got := learn(c.answers); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTheBackgroundIsJudgedAsPeopleSeeIt(t *testing.T) {
	for in, want := range map[string]Shade{
		"rgb:0000/0000/0000": Dark, "rgb:ffff/ffff/ffff": Light, "rgb:ff/ff/ff": Light, "#fdf6e3": Light, "#002b36": Dark, "rgba:0000/0000/0000/ffff": Dark,
		"rgb:0000/0000/ffff": Dark, "rgb:ffff/ffff/0000": Light, "": UnknownShade, "rgb:": UnknownShade, "rgb:zz/00/00": UnknownShade, "rgb:12345/0/0": UnknownShade, "#12": UnknownShade,
		"rgb:0/0": UnknownShade, "rgb://": UnknownShade,
	} {
		if got := shade(in); got != want {
			t.Errorf("shade(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestTerminalsAreNotAskedWhatTheyWouldPrint(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(key string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == key {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	full := query(env("TERM", "xterm-256color"))
	for _, part := range []string{"\x1b]11;?", "\x1b[>q", "?2026$p", "?5522$p", "\x1b[?u"} {
		if !strings.Contains(full, part) {
			t.Errorf("the question %q is missing", part)
		}
	}
	if !strings.HasSuffix(full, "\x1b[c") {
		t.Error("the question that every terminal answers is not the last")
	}
	if q := query(env("TERM_PROGRAM", "Apple_Terminal")); strings.Contains(q, "$p") {
		t.Errorf("Terminal.app would print part of %q", q)
	}
	if q := query(env("TERM", "linux")); q != "\x1b[c" {
		t.Errorf("the Linux console is asked %q", q)
	}
	if q := query(env("TERM", "dumb")); q != "" {
		t.Errorf("a dumb terminal is asked %q", q)
	}
}
