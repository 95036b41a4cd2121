package tools

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEditsAgreeWithStringReplacement compares the engine with the plain definition of what it does, on random
// texts over a small alphabet so that texts repeat and overlap.
func TestEditsAgreeWithStringReplacement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = "ab\n"[r.IntN(3)]
		}
		return string(b)
	}
	made, refused := 0, 0
	for range 20_000 {
		text, crlf := word(30), r.IntN(2) == 0
		e := replacement{Old: word(4), New: word(5), All: r.IntN(2) == 0}
		file, mark := text, ""
		if crlf {
			file = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if r.IntN(2) == 0 {
			mark = utf8Mark
		}
		got, err := applyEdits(mark+file, []replacement{e})
		want, ok := replaceByDefinition(text, e)
		if crlf {
			want = strings.ReplaceAll(want, "\n", "\r\n")
			if !strings.Contains(text, "\n") {
				want = strings.ReplaceAll(want, "\r\n", "\n")
			}
		}
		if !ok {
			refused++
			if err == nil {
				t.Fatalf("%q with %+v became %q and should be refused", file, e, got)
			}
			continue
		}
		made++
		if err != nil || got != mark+want {
			t.Fatalf("%q with %+v became %q, %v; want %q", mark+file, e, got, err, mark+want)
		}
	}
	if made < 1000 || refused < 1000 {
		t.Fatalf("only %d edits and %d refusals were tried", made, refused)
	}
}

func replaceByDefinition(text string, e replacement) (string, bool) {
	places := 0
	for i := range len(text) {
		if e.Old != "" && strings.HasPrefix(text[i:], e.Old) {
			places++
		}
	}
	if e.Old == "" || e.Old == e.New || places == 0 || places > 1 && !e.All {
		return "", false
	}
	after := strings.ReplaceAll(text, e.Old, e.New)
	return after, after != text
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\n", "x\n", false)
	f.Add("\ufeffaaa", "aa", "b", true)
	f.Fuzz(func(t *testing.T, text, old, with string, all bool) {
		got, err := applyEdits(text, []replacement{{old, with, all}})
		if err != nil {
			return
		}
		if strings.HasPrefix(text, utf8Mark) && !strings.HasPrefix(got, utf8Mark) {
			t.Fatalf("%q became %q: the mark was not kept", text, got)
		}
		if !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), strings.ReplaceAll(old, "\r\n", "\n")) {
			t.Fatalf("%q was found in %q", old, text)
		}
	})
}
