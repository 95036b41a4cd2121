package tools

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestTheNeedleNeverHidesAMatch compares searches with and without the text that is looked for first.
func TestTheNeedleNeverHidesAMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		`func \w+\(`: "func ", `(?i)func`: "", `a|b`: "", `(abc)+d?`: "abc", `x*`: "", `^$`: "", `foo.*barbaz`: "barbaz", `(?:a(?i:b)cd)`: "cd", `\bword\b`: "word", `(ab)?c`: "c",
	} {
		if got := string(needle(regexp.MustCompile(pattern))); got != want {
			t.Errorf("the needle of %s is %q, want %q", pattern, got, want)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	pick := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	hits := 0
	for range 5000 {
		re, err := regexp.Compile(pick([]string{"a", "b", "(a)", "[ab]", "b+", "a?", "(ba|ab)", "^", "$", ".", "(?i:B)", "a{2}"}, 1+r.IntN(4)))
		if err != nil {
			continue
		}
		data := []byte(pick([]string{"a", "b", "B", "\n", "\r\n"}, 20))
		with := (&search{re: re, needle: needle(re)}).lines(context.Background(), "f", data)
		without := (&search{re: re}).lines(context.Background(), "f", data)
		if with != without {
			t.Fatalf("%s in %q: %+v with a needle, %+v without", re, data, with, without)
		}
		hits += with.matched
	}
	if hits == 0 {
		t.Fatal("nothing was ever found")
	}
}
