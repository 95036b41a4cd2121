package ui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"espy/ui/diffview"
	"espy/ui/markdown"
)

func TestNoMoreColoursAreSentThanTheTerminalHas(t *testing.T) {
	text := "# Heading\n\n`code` and [a link](https://example.com)\n\n```go\nfunc main() { return \"x\" } // why\n```\n"
	diff := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
	extended := regexp.MustCompile(`\x1b\[[0-9;]*[34]8;`)
	for _, name := range []string{"dark", "light", "high-contrast", "none"} {
		for profile, many := range map[termenv.Profile]bool{termenv.TrueColor: true, termenv.ANSI256: true, termenv.ANSI: false, termenv.Ascii: false} {
			th := newTheme(name, name == "dark", false, profile)
			drawn := strings.Join(append(markdown.Render(text, 60, th.markdown), diffview.Render(diff, 60, th.markdown)...), "\n")
			drawn += th.dim.Render("x") + th.accent.Render("x") + th.selected.Render("x")
			want := many && (name == "dark" || name == "light")
			if got := extended.MatchString(drawn); got != want {
				t.Errorf("theme %s on a terminal of profile %v: colours beyond the 16 are %v, want %v:\n%q", name, profile, got, want, drawn)
			}
		}
	}
}

func TestInATerminalOf256ColoursWhatIsWrongIsRed(t *testing.T) {
	for name, want := range map[string]string{"dark": "38;5;168", "light": "38;5;125"} {
		text := newTheme(name, name == "dark", false, termenv.ANSI256).bad.Render("x")
		if !strings.Contains(text, want+"m") {
			t.Errorf("in the theme %s it is drawn %q, want the colour %s", name, text, want)
		}
	}
}
