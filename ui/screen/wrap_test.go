package screen

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func TestTextWrapsWhereAReaderWouldBreakIt(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"empty", "", 10, []string{""}},
		{"fits", "hello", 10, []string{"hello"}},
		{"at spaces", "the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"spaces at a break go, others stay", "a  b     c", 4, []string{"a  b", "c"}},
		{"an indent stays", "    x", 10, []string{"    x"}},
		{"a long word breaks", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a long URL loses nothing", "see https://example.test/abc", 10, []string{"see", "https://ex", "ample.test", "/abc"}},
		{"after a hyphen in a word, not before an option", "well-known --flag", 7, []string{"well-", "known", "--flag"}},
		{"Chinese breaks between characters", "日本語日本語", 5, []string{"日本", "語日", "本語"}},
		{"a full stop does not begin a line", "日本語。日本", 6, []string{"日本", "語。日", "本"}},
		{"an opening bracket does not end one", "日本「語」", 6, []string{"日本", "「語」"}},
		{"mixed text", "ab日本cd", 4, []string{"ab日", "本cd"}},
		{"paragraphs", "a\n\nb", 3, []string{"a", "", "b"}},
		{"narrower than a wide character", "日a", 1, []string{"日", "a"}},
		{"a style stands on each of its lines", "\x1b[1mone two\x1b[0m x", 4, []string{"\x1b[1mone\x1b[m", "\x1b[1mtwo\x1b[m", "x"}},
		{"a style reaches over a line end", "\x1b[1ma\nb\x1b[m", 4, []string{"\x1b[1ma\x1b[m", "\x1b[1mb\x1b[m"}},
		{"other controls are dropped", "a\x1b[2Jb\x1b]0;t\ac", 9, []string{"abc"}},
		{"an apostrophe does not part a word", "I don’t know", 7, []string{"I don’t", "know"}},
		{"a no-break space holds", "a 10\u00a0km", 6, []string{"a", "10\u00a0km"}},
	} {
		if got := Wrap(c.in, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s: Wrap(%q, %d) = %q, want %q", c.name, c.in, c.width, got, c.want)
		}
	}
}

func TestCodeIsChoppedAtTheColumn(t *testing.T) {
	got := Chop("  if a == b { x }\n日本語", 6)
	if want := []string{"  if a", " == b ", "{ x }", "日本語"}; !slices.Equal(got, want) {
		t.Errorf("Chop = %q, want %q", got, want)
	}
}

func TestLinesAreCutAndPaddedToTheColumn(t *testing.T) {
	for _, c := range []struct {
		name, got, want string
	}{
		{"truncate", Truncate("hello world", 6), "hello…"},
		{"truncate nothing", Truncate("hello", 5), "hello"},
		{"truncate wide", Truncate("日本語", 4), "日…"},
		{"truncate to nothing", Truncate("abc", 0), ""},
		{"truncate left", TruncateLeft("/a/long/path.go", 8), "…path.go"},
		{"truncate left wide", TruncateLeft("日本語", 4), "…語"},
		{"pad", PadRight("日", 4), "日  "},
		{"pad nothing", PadRight("abcd", 2), "abcd"},
		{"fit", Fit("日本語", 4), "日… "},
		{"fit nothing", Fit("日本語", -1), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// seen is the text of s without styles and spaces.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

var sgr = regexp.MustCompile("\x1b\\[[0-9:;]*m")

func isControl(r rune) bool { return r < ' ' || (r >= 0x7f && r <= 0x9f) }

func FuzzWrap(f *testing.F) {
	f.Add("the quick \x1b[31mbrown\x1b[0m 日本語 fox", 7)
	f.Add("é\u0301 🇩🇪🇩 한글 नमस्ते", 2)
	f.Add("\x1b[1m\n\n-a-b --c", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + (width&0x7fffffff)%100
		styled := "\x1b[1;31m" + Safe(s) + "\x1b[0m" + Safe(s)
		for name, lines := range map[string][]string{"Wrap": Wrap(styled, width), "Chop": Chop(styled, width)} {
			for _, line := range lines {
				if w := Width(line); w > max(width, minWidth) {
					t.Fatalf("%s to %d made a line of %d columns: %q", name, width, w, line)
				}
				harmless(t, name, ansi.Strip(line))
				if strings.Contains(line, "\x1b[1;31m") && !strings.HasSuffix(line, reset) && !strings.Contains(line, reset) {
					t.Fatalf("%s leaves its style open: %q", name, line)
				}
			}
			if got, want := seen(strings.Join(lines, "")), seen(styled); got != want {
				t.Fatalf("%s lost text: got %q, want %q", name, got, want)
			}
		}
		for _, line := range Wrap(s, width) {
			if plain := sgr.ReplaceAllString(line, ""); strings.ContainsFunc(plain, isControl) {
				t.Fatalf("Wrap of raw text lets a control through: %q", line)
			}
		}
		if cut := Truncate(Safe(s), width); !strings.Contains(cut, "\n") && Width(cut) > width {
			t.Fatalf("Truncate to %d made %d columns: %q", width, Width(cut), cut)
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  strings.Repeat("plain words in a line of text ", 4096),
		"cjk":    strings.Repeat("日本語のテキスト、そして words ", 2048),
		"styled": strings.Repeat("plain \x1b[1mbold\x1b[m words in a line ", 4096),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Wrap(s, 100)
			}
		})
	}
}
