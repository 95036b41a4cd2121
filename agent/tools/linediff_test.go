package tools

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestADiffOfManySmallChangesShowsOnlyThose(t *testing.T) {
	var before, after strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&before, "line %d\n\n", i)
		if i%10 == 3 {
			fmt.Fprintf(&after, "changed %d\n\n", i)
		} else {
			fmt.Fprintf(&after, "line %d\n\n", i)
		}
	}
	added, removed := countLines(unifiedDiff("a", "b", before.String(), after.String()))
	if added != 400 || removed != 400 {
		t.Errorf("400 changed lines show as +%d -%d", added, removed)
	}
}

func TestADiffAppliedToTheOldTextGivesTheNew(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%c\n", 'a'+r.IntN(20))
		}
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", r.IntN(2)))
	}
	for range 2000 {
		before, after := text(), text()
		if got := patch(t, before, unifiedDiff("a", "b", before, after)); got != after {
			t.Fatalf("%q to %q gives %q", before, after, got)
		}
	}
}

// patch applies a unified diff strictly: every line it names must be there.
func patch(t *testing.T, before, diff string) string {
	t.Helper()
	old, at := splitLines(before), 0
	var out []string
	var last byte
	for line := range strings.Lines(diff) {
		if first := 0; strings.HasPrefix(line, "@@ -") {
			if _, err := fmt.Sscanf(line, "@@ -%d", &first); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, fmt.Sprintf("-%d,0 ", first)) {
				first++ // an insertion names the line before it
			}
			out = append(out, old[at:first-1]...)
			at = first - 1
		}
		switch text := line[1:]; {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), line[0] == '@':
		case line[0] == '\\' && last == '-':
		case line[0] == '\\':
			out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
		case line[0] == '+':
			out = append(out, text)
		case strings.TrimSuffix(old[at], "\n") != strings.TrimSuffix(text, "\n"):
			t.Fatalf("the diff has %q where %q stands", text, old[at])
		case line[0] == ' ':
			out = append(out, text)
			at++
		default:
			at++
		}
		last = line[0]
	}
	return strings.Join(append(out, old[at:]...), "")
}
