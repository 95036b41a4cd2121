package paint

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestALineIsGoneOnWithOnlyWhereItsColumnIsSure(t *testing.T) {
	const red, bold = "\x1b[31m", "\x1b[1m"
	for _, c := range []struct {
		old, line string
		want      place
	}{
		{"word a", "word b", place{5, 5, ""}},
		{"word", "word and more", place{4, 4, ""}},
		{"word and more", "word", place{4, 4, ""}},
		{"word x", "word \u0301x", place{4, 4, ""}}, // the mark sits on the blank before
		{"wor\u0301d", "worx", place{2, 2, ""}},     // it goes from its letter
		{"か", "か\u3099", place{0, 0, ""}},           // two characters are one letter
		{"你好 x", "你好 y", place{7, 5, ""}},           // never half of a wide one
		{"❤️ x", "❤️ y", place{0, 0, ""}},           // nobody knows how wide it is
		{"a ❤️ x", "a ❤️ y", place{1, 1, ""}},       // nor whether something sits on the blank before
		{red + "ab", red + "ac", place{6, 1, red}},  // its style goes on
		{red + "a\x1b[mb", red + "a\x1b[mc", place{9, 1, ""}},
		{bold + red + "ab", bold + red + "ac", place{10, 1, bold + red}},
		{"a" + red + "b", "a" + bold + "b", place{1, 1, ""}},
		{"a\x1b]8;;x\x07b", "a\x1b]8;;x\x07c", place{0, 0, ""}}, // a link is not gone on with
		{"", "", place{}},
	} {
		if got := shared(c.old, c.line); got != c.want {
			t.Errorf("%q over %q is written from %+v, want %+v", c.line, c.old, got, c.want)
		}
	}
}

func TestSureLinesTakeTheCellsThatTextIsLaidOutWith(t *testing.T) {
	for _, line := range pieces {
		cells, sure := measure(line)
		if want := ansi.StringWidth(line); cells != want {
			t.Errorf("%q takes %d cells, counted are %d (sure: %v)", line, want, cells, sure)
		}
	}
	for r := rune(' '); r < 0x30000; r++ {
		if n := agreed(r); n > 0 && n != ansi.StringWidth(string(r)) {
			t.Errorf("%q (%U) is taken for %d cells, it is laid out with %d", r, r, n, ansi.StringWidth(string(r)))
		}
	}
}
