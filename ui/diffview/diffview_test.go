package diffview

import (
	"slices"
	"strings"
	"testing"

	"espy/ui/markdown"
	"espy/ui/screen"

	"github.com/charmbracelet/x/ansi"
)

const sample = `diff --git a/main.go b/main.go
index 123..456 100644
--- a/main.go
+++ b/main.go
@@ -8,5 +8,6 @@ func main() {
 	a := 1
-	b := 2
--- c
+	b := 3
+++ c
+	d
 }

diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
\ No newline at end of file
`

func TestADiffShowsItsFilesNumbersAndSigns(t *testing.T) {
	want := []string{
		"main.go",
		"@@ -8,5 +8,6 @@ func main() {",
		" 8       a := 1",
		" 9 -     b := 2",
		"10 - -- c",
		" 9 +     b := 3",
		"10 + ++ c",
		"11 +     d",
		"12   }",
		"13",
		"new file mode 100644",
		"",
		"new.txt (new)",
		"@@ -0,0 +1 @@",
		" 1 + hello",
		`\ No newline at end of file`,
	}
	if got := Render(sample, 60, markdown.Theme{}); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if added, removed := Stat(sample); added != 4 || removed != 2 {
		t.Errorf("Stat = +%d -%d, want +4 -2", added, removed)
	}
}

func TestWhatDiffersInALineIsSetOff(t *testing.T) {
	theme := markdown.Theme{Added: "32", Removed: "31"}
	diff := "@@ -1 +1 @@\n-x := föö(1)\n+x := fää(1)\n"
	want := []string{
		"@@ -1 +1 @@",
		"1 \x1b[31m-\x1b[m \x1b[31mx := f\x1b[m\x1b[31;7möö\x1b[m\x1b[31m(1)\x1b[m",
		"1 \x1b[32m+\x1b[m \x1b[32mx := f\x1b[m\x1b[32;7mää\x1b[m\x1b[32m(1)\x1b[m",
	}
	if got := Render(diff, 60, theme); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := Render("@@ -1 +1 @@\n-abcdef\n+uvwxyz\n", 60, theme); strings.Contains(strings.Join(got, ""), ";7m") {
		t.Errorf("lines with nothing in common are set off: %q", got)
	}
}

func TestLongLinesGoOnBelowTheirText(t *testing.T) {
	got := Render("@@ -1 +1 @@\n-short\n+"+strings.Repeat("日本", 10)+"\n", 30, markdown.Theme{})
	want := []string{"@@ -1 +1 @@", "1 - short", "1 + " + strings.Repeat("日本", 6) + "日", "    本" + strings.Repeat("日本", 3)}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestNarrowPanesDropTheNumbers(t *testing.T) {
	if got, want := Render("@@ -1 +1 @@\n-a\n+b\n", 12, markdown.Theme{}), []string{"@@ -1 +1 @@", "- a", "+ b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsNoDiffIsShownAsItIs(t *testing.T) {
	for in, want := range map[string][]string{
		"hello\nworld":                {"hello", "world"},
		"":                            {""},
		"@@ nonsense":                 {"@@ nonsense"},
		"@@ -99999999999,1 +1 @@\n":   {"@@ -99999999999,1 +1 @@"},
		"Binary files a and b differ": {"Binary files a and b differ"},
		"@@ -1,2 +1,2 @@\nx":          {"@@ -1,2 +1,2 @@", "x"},
		"--- a/x\n+++ b/y\n":          {"x → y"},
	} {
		if got := Render(in, 40, markdown.Theme{}); !slices.Equal(got, want) {
			t.Errorf("%q gave %q, want %q", in, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add(sample, 40)
	f.Add("@@ -1,3 +1,3 @@\n-\x1b[2J\n+\u202ea\r\n \u009b\n", 7)
	f.Add("--- a/\x1b]0;x\a\n+++ b/y\n@@ -1 +1 @@\n-ö\n+ä\n", 2)
	f.Fuzz(func(t *testing.T, diff string, width int) {
		width = 2 + (width&0xffff)%100
		for _, l := range Render(diff, width, markdown.Dark()) {
			if w := screen.Width(l); w > width {
				t.Fatalf("a line of %d columns at width %d: %q", w, width, l)
			}
			if text := ansi.Strip(l); text != screen.SafeLine(text) {
				t.Fatalf("unsafe line %q", l)
			}
			if strings.Count(l, "\x1b[m")*2 != strings.Count(l, "\x1b") {
				t.Fatalf("styles do not close on their line: %q", l)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	diff := "@@ -1,3000 +1,3000 @@\n" + strings.Repeat("-\told line of code(x)\n+\tnew line of code(y)\n same\n", 1500)
	b.SetBytes(int64(len(diff)))
	for b.Loop() {
		Render(diff, 100, markdown.Dark())
	}
}
