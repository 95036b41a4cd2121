package ui

import (
	"strings"
	"testing"

	"espy/ui/internal/script"
)

func vimming(t *testing.T, text string) *driver {
	t.Helper()
	d := drive(t, 80, 24, func(o *Options) { o.Vim = true }, script.Opened())
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			d.key("ctrl+j")
		}
		d.types(line)
	}
	return d
}

func TestVimEditsAsVimDoes(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"one two three", "0dwx", "wo three"},
		{"one two three", "bD", "one two "},
		{"one two three", "0wcwTWO", "one TWO three"},
		{"one two three", "02dw", "three"},
		{"one two", "0yw$p", "one twoone "},
		{"one", "xxx", ""},
		{"one", "0iX", "Xone"}, {"one", "0aX", "oXne"}, {"one", "IX", "Xone"}, {"one", "0AX", "oneX"},
		{"one\ntwo\nthree", "ggdd", "two\nthree"}, {"one\ntwo\nthree", "dd", "one\ntwo"},
		{"one\ntwo\nthree", "g2ddp", "three\none\ntwo"}, {"one\ntwo", "gyyP", "one\none\ntwo"},
		{"one\ntwo", "gJ", "one two"}, {"one\ntwo", "gox", "one\nx\ntwo"}, {"one\ntwo", "gOx", "x\none\ntwo"},
		{"one\ntwo", "ccx", "one\nx"},
		{"one two", "0dwu", "one two"}, {"one two", "99x99dd", ""}, {"日本 語", "0x", "本 語"}, {"one", "dz0p", "one"},
		{"one two", "0dey", " two"},
	} {
		d := vimming(t, c.text)
		d.key("esc")
		d.types(c.keys)
		if got := d.m.comp.buf.text(); got != c.want {
			t.Errorf("%q in %q gives %q, want %q", c.keys, c.text, got, c.want)
		}
	}
}

func TestVimSendsWritesAndSaysWhereItIs(t *testing.T) {
	d := vimming(t, "hello")
	d.key("esc")
	d.shows("commands")
	d.key("enter")
	if len(d.submits()) != 1 {
		t.Error("enter did not send")
	}
	d.types("/")
	if d.m.comp.buf.text() != "/" {
		t.Errorf("a slash in an empty composer is %q", d.m.comp.buf.text())
	}
}

func TestWithoutVimEscStaysWhatItIs(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("hi")
	d.key("esc")
	d.types("x")
	if got := d.m.comp.buf.text(); got != "hix" {
		t.Errorf("the text is %q", got)
	}
}

func FuzzVim(f *testing.F) {
	f.Add("one two\nthree", "gdwp3xuJyyPG$cwz")
	f.Fuzz(func(t *testing.T, text, keys string) {
		if len(text) > 500 || len(keys) > 200 {
			t.Skip()
		}
		m := newModel(Options{Conversation: Conversation{Loop: script.NewLoop(), Intake: &script.Intake{}}, Vim: true, Clock: nowAlways}, newTheme("none", true, true, 0), newWorks(t.Context()))
		m.comp.buf.insert(text)
		m.onVimKey("esc", "")
		for _, r := range keys {
			m.onVimKey(string(r), string(r))
			if at, lines := m.comp.buf.at, m.comp.buf.lines; at.row < 0 || at.row >= len(lines) || at.col < 0 || at.col > len(lines[at.row]) {
				t.Fatalf("after %q the cursor is at %+v", r, at)
			}
		}
	})
}
