package tools

import (
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func cleaned(t *testing.T, raw string, oneByte bool) string {
	t.Helper()
	var out strings.Builder
	c := cleaner{emit: func(text string, ended bool) {
		out.WriteString(text)
		if ended {
			out.WriteByte('\n')
		}
	}}
	var r io.Reader = strings.NewReader(raw)
	if oneByte {
		r = iotest.OneByteReader(r)
	}
	if _, err := io.Copy(&c, struct{ io.Reader }{r}); err != nil {
		t.Fatal(err)
	}
	c.close()
	return out.String()
}

func TestOutputIsCleanedAsATerminalWouldLeaveIt(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"plain\n", "plain\n"},
		{"no end", "no end"},
		{"a\r\nb\r\n", "a\nb\n"},
		{"10%\r50%\r100%\n", "100%\n"},
		{"10%\r50%\r100%\r\n", "100%\n"},
		{"working\r\x1b[Kdone\n", "done\n"},
		{"\x1b[31mred\x1b[0m text\n", "red text\n"},
		{"\x1b]0;title\x07after\n", "after\n"},
		{"\x1b]52;c;aGVsbG8=\x1b\\after\n", "after\n"},
		{"ab\b\bcd\n", "cd\n"},
		{"bell\x07 nul\x00 tab\t.\n", "bell nul tab\t.\n"},
		{"caf\xe9\n", "caf\uFFFD\n"},
		{"c1 \u009b31m\n", "c1 31m\n"},
		{"\n\n", "\n\n"},
		{"日本\r語\n", "語\n"},
	} {
		if got := cleaned(t, c.raw, false); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.raw, got, c.want)
		}
	}
	if got := cleaned(t, "日本語 10%\rok\nend", true); got != "ok\nend" {
		t.Errorf("in single bytes it becomes %q", got)
	}
}

func TestALineTooLongToHoldKeepsItsCharacters(t *testing.T) {
	line := strings.Repeat("日本", maxPendingLine/4) + "\x1b[1m" + strings.Repeat("é", maxPendingLine)
	want := strings.ReplaceAll(line, "\x1b[1m", "")
	if got := cleaned(t, line+"\n", false); got != want+"\n" {
		t.Errorf("%d bytes became %d", len(want), len(got))
	}
}

func TestAProgressBarOfAnyLengthIsOneLine(t *testing.T) {
	var bar strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&bar, "\r%d of 200000", i+1)
	}
	if got := cleaned(t, bar.String(), false); got != "200000 of 200000" {
		t.Errorf("it becomes %d bytes: %.60q", len(got), got)
	}
}

func folded(raw string) string {
	var out strings.Builder
	f := folder{name: "blob:x", emit: func(text string, ended bool) {
		out.WriteString(text)
		if ended {
			out.WriteByte('\n')
		}
	}}
	for line := range strings.Lines(raw) {
		f.line(strings.TrimSuffix(line, "\n"), strings.HasSuffix(line, "\n"))
	}
	f.close()
	return out.String()
}

func TestLongBase64IsFoldedAndNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 6000)
	for i := range data {
		data[i] = byte(r.IntN(256))
	}
	whole := base64.StdEncoding.EncodeToString(data)
	var wrapped strings.Builder
	for i := 0; i < len(whole)-10; i += 76 {
		wrapped.WriteString(whole[i:min(i+76, len(whole)-10)] + "\n")
	}
	note := "[base64, 8,000 characters folded; whole text in blob:x]"
	for _, c := range []struct{ name, raw, want string }{
		{"one line", whole, note},
		{"in a data URL", `src="data:image/png;base64,` + whole + `" alt`, `src="data:image/png;base64,` + note + `" alt`},
		{"wrapped", "begin\n" + wrapped.String() + "end\n", "begin\n[base64, 7,990 characters folded; whole text in blob:x]\nend\n"},
		{"short", whole[:400] + "\n", whole[:400] + "\n"},
		{"rules", strings.Repeat(strings.Repeat("=", 80)+"\n", 30), strings.Repeat(strings.Repeat("=", 80)+"\n", 30)},
		{"one letter", strings.Repeat("a", 5000), strings.Repeat("a", 5000)},
		{"prose", strings.Repeat("The quick brown fox jumps over 13 lazy dogs, and then it goes home again.\n", 50), strings.Repeat("The quick brown fox jumps over 13 lazy dogs, and then it goes home again.\n", 50)},
		{"a few hashes", strings.Repeat("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n", 40), strings.Repeat("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n", 40)},
	} {
		if got := folded(c.raw); got != c.want {
			t.Errorf("%s becomes %.200q, want %.200q", c.name, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31ma\rb\x08\xff\n"))
	f.Add([]byte("\x1b]8;;"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := cleaned(t, string(raw), false)
		if !utf8.ValidString(got) {
			t.Fatalf("%q becomes invalid UTF-8: %q", raw, got)
		}
		for _, r := range got {
			if r != '\n' && control(r) {
				t.Fatalf("%q keeps the control character %q", raw, r)
			}
		}
	})
}
