package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"espy/ui/screen"
)

// marked is a theme whose styles can be told apart in a test.
func marked() Theme {
	return Theme{Strong: "1", Emphasis: "3", Strike: "9", Code: "33", Link: "4", URL: "2", Heading: "1;34", Quote: "35", HTML: "36"}
}

func TestEachPartOfADocumentIsDrawn(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"nothing", "", 20, nil},
		{"blank lines only", "\n\n\n", 20, nil},
		{"paragraphs", "one\n\ntwo", 20, []string{"one", "", "two"}},
		{"a line end stays one", "one\ntwo", 20, []string{"one", "two"}},
		{"a hard line end", "one  \ntwo\\\nthree", 20, []string{"one", "two", "three"}},
		{"a long paragraph", "the quick brown fox jumps", 10, []string{"the quick", "brown fox", "jumps"}},
		{"Chinese text wraps", "日本語日本語日本語", 8, []string{"日本語日", "本語日本", "語"}},
		{"headings without styles keep their marks", "# Title\ntext\n### Sub", 20, []string{"# Title", "", "text", "", "### Sub"}},
		{"an underlined heading", "Title\n=====", 20, []string{"# Title"}},
		{"list", "- a\n- b\n  - c\n- d", 20, []string{"• a", "• b", "  ◦ c", "• d"}},
		{"a loose list", "- a\n\n- b", 20, []string{"• a", "", "• b"}},
		{"numbers line up", "9. a\n10. b", 20, []string{" 9. a", "10. b"}},
		{"numbers with a bracket", "1) a\n2) b", 20, []string{"1) a", "2) b"}},
		{"a list item wraps under its text", "- the quick brown fox", 14, []string{"• the quick", "  brown fox"}},
		{"tasks", "- [x] done\n- [ ] open", 20, []string{"• [x] done", "• [ ] open"}},
		{"a list of code", "1. run\n\n   ```sh\n   ls\n   ```", 20, []string{"1. run", "", "     sh", "     ls"}},
		{"an empty item", "-\n- a", 20, []string{"•", "• a"}},
		{"quotation", "> a\n> b\n>\n> c", 20, []string{"│ a", "│ b", "│", "│ c"}},
		{"a quotation in a quotation", "> a\n>> b", 30, []string{"│ a", "│", "│ │ b"}},
		{"a rule", "a\n\n---\n\nb", 4, []string{"a", "", "────", "", "b"}},
		{"code", "```go\nx := 1\n\ty()\n```", 20, []string{"  go", "  x := 1", "      y()"}},
		{"code without a language", "```\na\n\n b\n```", 20, []string{"  a", "", "   b"}},
		{"indented code", "a\n\n    code\n", 20, []string{"a", "", "  code"}},
		{"long code is cut at the column", "```\nabcdefghijklmnop\n```", 14, []string{"  abcdefghijkl", "  mnop"}},
		{"an unclosed fence", "```go\nx", 20, []string{"  go", "  x"}},
		{"an empty fence", "```go\n```", 20, []string{"  go"}},
		{"a link shows where it goes", "[docs](https://a.test/x)", 40, []string{"docs (https://a.test/x)"}},
		{"a link that is its own text", "https://a.test and <https://b.test>", 40, []string{"https://a.test and https://b.test"}},
		{"a link that lies", "[https://good.test](https://evil.test)", 60, []string{"https://good.test (https://evil.test)"}},
		{"mail", "[a@b.test](mailto:a@b.test)", 40, []string{"a@b.test"}},
		{"a link defined below", "[x]\n\n[x]: /y", 40, []string{"x (/y)"}},
		{"image", "![a *cat*](cat.png)", 40, []string{"[image: a cat] (cat.png)"}},
		{"HTML is text", "<details>\n<summary>x</summary>\n</details>", 40, []string{"<details>", "<summary>x</summary>", "</details>"}},
		{"HTML in a line", "a <kbd>b</kbd><br>c", 40, []string{"a <kbd>b</kbd>", "c"}},
		{"entities and backslashes", `&lt;b&gt; \*x\* &copy; &copy=2 &amp;lt; \&lt; AT&T`, 60, []string{"<b> *x* © &copy=2 &lt; &lt; AT&T"}},
		{"code keeps them", "`&lt; \\*`", 40, []string{`&lt; \*`}},
		{"a table", "| a | bb |\n|---|---:|\n| ccc | d |", 40, []string{"a   │ bb", "────┼───", "ccc │  d"}},
		{"a table in Chinese", "|名|b|\n|-|-|\n|日本|x|", 40, []string{"名   │ b", "─────┼──", "日本 │ x"}},
		{"a table cell with a line end", "|a|b|\n|-|-|\n|x<br>y|z|", 40, []string{"a │ b", "──┼──", "x │ z", "y │"}},
		{"cells wrap", "|name|text|\n|-|-|\n|a|the quick brown fox|", 20, []string{"name │ text", "─────┼──────────────", "a    │ the quick", "     │ brown fox"}},
		{"a table too narrow for its columns", "|aaaaaa|bbbbbb|\n|-|-|\n|one|two|", 10, []string{"aaaaaa:", "one", "bbbbbb:", "two"}},
		{"strike-through", "~~a~~ and ~100 to ~200", 40, []string{"a and ~100 to ~200"}},
		{"narrow", "> - a b", 4, []string{"│", "• ", "a b"}},
	} {
		got := Render(c.in, c.width, Theme{})
		for i := range got {
			if c.name != "narrow" {
				got[i] = strings.TrimRight(got[i], " ")
			}
		}
		if c.name == "narrow" {
			got, c.want = trimAll(got), trimAll(c.want)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gave\n  %q\nwant\n  %q", c.name, c.in, got, c.want)
		}
	}
}

func trimAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l, " ")
	}
	return out
}

func TestStylesStandAloneOnEachLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"a **b *c* d** e", []string{"a \x1b[1mb \x1b[m\x1b[1;3mc\x1b[m\x1b[1m d\x1b[m e"}},
		{"**aaaa bbbb cccc dddd**", []string{"\x1b[1maaaa bbbb cccc dddd\x1b[m"}},
		{"x `y` ~~z~~", []string{"x \x1b[33my\x1b[m \x1b[9mz\x1b[m"}},
		{"# a `b`", []string{"\x1b[1;34ma \x1b[m\x1b[1;34;33mb\x1b[m"}},
		{"**one\ntwo**", []string{"\x1b[1mone\x1b[m", "\x1b[1mtwo\x1b[m"}},
		{"> a **b**", []string{"│ \x1b[35ma \x1b[m\x1b[35;1mb\x1b[m"}},
	} {
		if got := Render(c.in, 40, marked()); !slices.Equal(got, c.want) {
			t.Errorf("%q gave\n  %q\nwant\n  %q", c.in, got, c.want)
		}
	}
}

func TestNoDocumentSendsAControlSequence(t *testing.T) {
	for _, in := range []string{
		"\x1b]0;title\x07\x1b[2J", "`\x1b[31m`", "```\n\x1b]52;c;eA==\x07\n```", "```\x1b[2J\nx\n```", "[a](\x1b]8;;x\x07)", "![\x1b[2J](b)",
		"&#27;[2J", "&#x1b;]0;x&#7;", "&#155;2J", "&#x9b;2J", `\&#27;`, "[a](&#27;[2J)", "<a\x1b[2J>", "|&#27;[2J|\n|-|\n|\u009b2J|",
		"# &#8238;evil", "<https://a.test/\u202e>", "&NewLine;", "&Tab;x", "&ZeroWidthSpace;", "[a]: <&#27;[2J>\n\n[a]", "- &#27;\n", "a&#13;b",
	} {
		for name, theme := range map[string]Theme{"plain": {}, "none": None()} {
			for _, line := range Render(in, 30, theme) {
				harmless(t, name+" "+in, line)
			}
		}
	}
}

// harmless fails when line holds anything but text and colour sequences.
func harmless(t *testing.T, what, line string) {
	t.Helper()
	if text := plain(line); text != screen.SafeLine(text) || !utf8.ValidString(text) {
		t.Fatalf("%q: unsafe line %q", what, line)
	}
}

// sample is a document with everything in it.
const sample = `# Title with ` + "`code`" + `

Intro with **bold**, *slant*, ~~gone~~, [a link](https://example.test/p?a=1&b=2), [ref] and https://bare.test.
Second line of it, 日本語のテキスト。

- one
- two
  1. nested **x**
  2. nested

     with a paragraph
- [x] three

> quoted text
> - with a list

` + "```go\nfunc main() {\n\tfmt.Println(\"hi\") // say it\n}\n```" + `

| Name | Value |
|:-----|------:|
| a    | 1     |
| long name | a longer value that wraps |

Setext
------

    indented code

<div>
html
</div>

***

~~~
fence with tildes
` + "```" + `
~~~

1. a
2. b

[ref]: https://late.test "late"

Last [ref] line
`

func TestAStreamedDocumentEndsAsTheWholeOne(t *testing.T) {
	docs := map[string]string{
		"sample": sample, "open fence": "text\n\n```go\nfunc x() {\n\n", "crlf": strings.ReplaceAll(sample, "\n", "\r\n"),
		"fence in list": "- a\n\n  ```\n  x\n  ```\n- b", "not a heading": "abc\n#hash\n#\n# real", "table late": "text\na|b\n-|-\n1|2\n\nx",
		"indented fence": "  ```py\n  a = 1\n b\n    c\n  ```\nafter", "controls": "a\x1b[31mb\x1b]0;t\x07c\n\n\u009b2Jd\r\ne",
		"a fence that seems to close": "x\n\n```go\na\n```x\nb\n``` `\n\rc\n```\nd", "longer fence": "````\n```\n````\nx", "ref first": "[a]: /x\n\n[a] and [b]\n\n[b]: /y\n", "only ref": "[a]: /x\n\"title\"\n\n[a]",
		"lone returns": "a\rb\r\rc\n```\nx\ry\n```\n", "html": "<!-- a\n\nb -->\n\ntext\n<b>x</b>\n\n<pre>\n\n</pre>\nz", "wide": "日本語 **日本** `語`\n\n- 日本",
		"trailing blanks": "```\na\n\n\n\n```\n\n\n", "two lists": "- a\n* b\n1. c\n1) d\n", "setext": "a\nb\n---\nc\n===\n",
	}
	for name, doc := range docs {
		for _, width := range []int{3, 24, 80} {
			want := Render(doc, width, Dark())
			for _, size := range []int{1, 2, 3, 7, 50} {
				s := NewStream(Dark())
				for i := 0; i < len(doc); i += size {
					s.Append(doc[i:min(i+size, len(doc))])
					s.Lines(width)
				}
				if got := s.Finish(width); !slices.Equal(got, want) {
					t.Errorf("%s in pieces of %d at width %d:\n%q\nwant\n%q", name, size, width, got, want)
				}
			}
		}
	}
}

func TestAStreamIsAtEachMomentWhatItsTextIs(t *testing.T) {
	parts := strings.SplitAfter(sample+"```go\na\n```x\nb\n\n``` `\n\rc\n```\n#a\n# b\n", "\n")
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s, doc := NewStream(Dark()), ""
		for range 60 {
			piece := parts[rng.IntN(len(parts))]
			piece = piece[:rng.IntN(len(piece)+1)]
			doc += piece
			s.Append(piece)
			if got, want := s.Lines(40), Render(doc, 40, Dark()); !slices.Equal(got, want) {
				t.Fatalf("%q\nis shown as\n%q\nwant\n%q", doc, got, want)
			}
		}
	}
}

func TestAStreamFollowsTheWidth(t *testing.T) {
	s := NewStream(Dark())
	for i, c := range strings.SplitAfter(sample, " ") {
		s.Append(c)
		s.Lines(20 + i%5*10)
	}
	if got, want := s.Finish(33), Render(sample, 33, Dark()); !slices.Equal(got, want) {
		t.Errorf("after changes of width:\n%q\nwant\n%q", got, want)
	}
}

func TestManyLateLinkDefinitionsAreDrawnAtTheEnd(t *testing.T) {
	var doc strings.Builder
	for i := range 120 {
		fmt.Fprintf(&doc, "see [a%d] and text to fill the line\n\n[b%d]: /u%d\n[a%d]: /u%d\n\n", i+1, i, i, i, i)
	}
	s := NewStream(Theme{})
	for _, line := range strings.SplitAfter(doc.String(), "\n") {
		s.Append(line)
		s.Lines(60)
	}
	if got, want := s.Finish(60), Render(doc.String(), 60, Theme{}); !slices.Equal(got, want) {
		t.Error("the end of the stream is not the whole document")
	}
	if limit := redraws*doc.Len() + redrawSpare; s.spent > limit+doc.Len() {
		t.Errorf("%d bytes were drawn again, more than %d", s.spent, limit)
	}
}

func TestHighlightingKeepsEveryCharacterOfTheCode(t *testing.T) {
	code := "func main() { // x\n\ts := \"a\\\"b\" + 'c' + `raw\n  \n raw` /* b\nc */ 0x1F 1.5e-3 $x ${y} @z\n}\n#include <a>\n[sec]\nkey: 'v' it's --flag\n<a href=\"b\">&amp;</a>\n+++ x\n@@ 1\n-a\n\n"
	for name := range languages() {
		lines := highlight(name, code, &Theme{Syntax: Dark().Syntax})
		if got := plain(strings.Join(lines, "\n")); got != code {
			t.Fatalf("%s changed the code:\n%q\nwant\n%q", name, got, code)
		}
	}
}

func TestWordsOfALanguageAreTold(t *testing.T) {
	theme := Theme{Syntax: [syntaxClasses]Style{
		Keyword: "K", Type: "T", Constant: "C", Function: "F", String: "S", Number: "N", Comment: "#", Variable: "V", Key: "Y", Tag: "G", Insertion: "+", Deletion: "-", Section: "@",
	}}
	for _, c := range []struct{ lang, code, want string }{
		{"go", `func f(s string) error { return nil } // ok`, "[Kfunc] [Ff](s [Tstring]) [Terror] { [Kreturn] [Cnil] } [#// ok]"},
		{"Python", `def f(x): return "a" + 'b' # c`, `[Kdef] [Ff](x): [Kreturn] [S"a"] + [S'b'] [## c]`},
		{"rust", `fn f<'a>(x: &'a str) -> char { 'x' }`, `[Kfn] f<'a>(x: &'a [Tstr]) -> [Tchar] { [S'x'] }`},
		{"json", `{"a": "b", "n": -1.5, "t": true}`, `{[Y"a"]: [S"b"], [Y"n"]: -[N1.5], [Y"t"]: [Ctrue]}`},
		{"yaml", `key: "v" # c`, `[Ykey]: [S"v"] [## c]`},
		{"toml", "[a.b]\nk = 1", "[@[a.b]]\n[Yk] = [N1]"},
		{"bash", `for f in *; do echo "$f" ${x} --all; done`, `[Kfor] f [Kin] *; [Kdo] [Techo] [S"$f"] [V${x}] [C--all]; [Kdone]`},
		{"sh", `ls *.go x/make; go`, `ls *.go x/make; [Tgo]`},
		{"html", `<a href="x">t</a><!-- c -->`, `[G<a] [Yhref]=[S"x"][G>]t[G</a][G>][#<!-- c -->]`},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "[@@@ -1 +1 @@]\n[--a]\n[++b]\n c"},
		{"sql", `SELECT a FROM t -- c`, `[KSELECT] a [KFROM] t [#-- c]`},
		{"go,linenos", `var x`, "[Kvar] x"},
		{"nonesuch", `var x`, "var x"},
	} {
		got := strings.Join(highlight(c.lang, c.code, &theme), "\n")
		var b strings.Builder
		for rest := got; ; { // "\x1b[Kfunc\x1b[m" is not read by eye: write [Kfunc]
			before, after, found := strings.Cut(rest, "\x1b[")
			b.WriteString(before)
			if !found {
				break
			}
			style, text, _ := strings.Cut(after, "m")
			if style == "" {
				b.WriteString("]")
			} else {
				b.WriteString("[" + style)
			}
			rest = text
		}
		if b.String() != c.want {
			t.Errorf("%s: got\n %s\nwant\n %s", c.lang, b.String(), c.want)
		}
	}
}

func TestCodeBlocksAreTakenOutAsWritten(t *testing.T) {
	src := "a\n\n```go\nx\ty\n\n```\n- b\n  ```sh\n  ls\n  ```\n\n> ~~~\n> q\n> ~~~\n\n    indented\n"
	want := []CodeBlock{{"go", "x\ty\n\n"}, {"sh", "ls\n"}, {"", "q\n"}, {"", "indented\n"}}
	if got := CodeBlocks(src); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHostileDocumentsAreDrawnWithinTheWidthAndEnd(t *testing.T) {
	for name, doc := range map[string]string{
		"quotations": strings.Repeat(">", 8000), "lists": strings.Repeat("- ", 5000) + "x", "brackets": strings.Repeat("[", 20000), "stars": strings.Repeat("*a_ ", 8000),
		"images": strings.Repeat("![", 8000), "backticks": strings.Repeat("`a``", 8000), "columns": strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n", "links": strings.Repeat("[a](", 8000),
		"tildes": strings.Repeat("~a ", 8000), "open tags": strings.Repeat("<a ", 8000), "comments": strings.Repeat("x <!-- ", 5000), "addresses": strings.Repeat("http://a.b/(", 8000),
		"closers": strings.Repeat("a]", 8000), "full links": strings.Repeat("[a][b] ", 5000), "definitions": strings.Repeat("[a]: <\n", 5000), "rows": "|a|b|\n|-|-|\n" + strings.Repeat("|*x|y\n", 5000),
		"entities": strings.Repeat("&a", 20000), "indents": strings.Repeat("  ", 3000) + "x", "deep list": deepList(200), "code": "```rust\n" + strings.Repeat("'${ \"", 8000) + "\n```\n",
	} {
		for _, line := range Render(doc, 40, Dark()) {
			if w := screen.Width(line); w > 40 {
				t.Errorf("%s: a line of %d columns", name, w)
				break
			}
		}
	}
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func FuzzRender(f *testing.F) {
	f.Add(sample, 30, 5)
	f.Add("a\n#h\n\n[x]: /y\n\n```\n", 4, 1)
	f.Add("|a|b|\n|-|-|\n|&#27;|x<br>|", 9, 2)
	f.Add("|||||||\n-|-|-|-|-|-|-", 0, 1)
	f.Fuzz(func(t *testing.T, doc string, width, size int) {
		if len(doc) > 1500 {
			t.Skip("long documents only slow this down")
		}
		width, size = 2+(width&0xffff)%90, 1+len(doc)/64+(size&0xffff)%40
		theme := Dark()
		want := Render(doc, width, theme)
		for _, line := range want {
			harmless(t, doc, line)
			if w := screen.Width(line); w > width {
				t.Fatalf("at width %d a line of %d: %q", width, w, line)
			}
			if strings.Count(line, "\x1b[m")*2 != strings.Count(line, "\x1b[") {
				t.Fatalf("styles do not close on their line: %q", line)
			}
		}
		s := NewStream(theme)
		for i := 0; i < len(doc); i += size {
			s.Append(doc[i:min(i+size, len(doc))])
			s.Lines(width)
		}
		if got := s.Finish(width); !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d at width %d:\n%q\nwant\n%q", size, width, got, want)
		}
	})
}

func TestRandomDocumentsStreamAsTheyRender(t *testing.T) {
	parts := strings.SplitAfter(sample, "\n")
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var doc strings.Builder
		for range 20 {
			doc.WriteString(parts[rng.IntN(len(parts))])
			if rng.IntN(4) == 0 {
				doc.WriteString("\n")
			}
		}
		want := Render(doc.String(), 40, Dark())
		s := NewStream(Dark())
		for rest := doc.String(); rest != ""; {
			n := min(1+rng.IntN(30), len(rest))
			s.Append(rest[:n])
			s.Lines(40)
			rest = rest[n:]
		}
		if got := s.Finish(40); !slices.Equal(got, want) {
			t.Fatalf("document %d:\n%q\nstreamed\n%q\nwhole\n%q", seed, doc.String(), got, want)
		}
	}
}

func TestTheSampleLooksAsItDid(t *testing.T) {
	golden := filepath.Join("testdata", "sample.golden")
	got := strings.Join(trimAll(Render(sample, 60, Theme{})), "\n") + "\n"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the sample is drawn otherwise than %s says:\n%s", golden, got)
	}
	if ansi.Strip(got) != got {
		t.Error("a theme without styles draws with sequences")
	}
}

func BenchmarkRender(b *testing.B) {
	for _, size := range []int{8 << 10, 128 << 10} {
		doc := strings.Repeat(sample, size/len(sample)+1)[:size]
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				Render(doc, 100, Dark())
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	prose := strings.Repeat("A paragraph of **some** words with `code` in it, long enough to wrap.\n\n", 40)
	code := "```go\n" + strings.Repeat("\tfmt.Println(\"hello\") // and so on\n", 60) + "```\n\n"
	for name, unit := range map[string]string{"sample": sample, "prose and code": prose + code, "one block": "```go\n" + strings.Repeat("x := f(1, \"s\")\n", 7000)} {
		for _, size := range []int{25 << 10, 100 << 10} {
			doc := strings.Repeat(unit, size/len(unit)+1)[:size]
			b.Run(fmt.Sprintf("%s %dKB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					s := NewStream(Dark())
					for i := 0; i < len(doc); i += 24 {
						s.Append(doc[i:min(i+24, len(doc))])
						s.Lines(100)
					}
				}
			})
		}
	}
}

func BenchmarkHighlight(b *testing.B) {
	code := strings.Repeat("func main() {\n    fmt.Println(\"hello\", 42) // say it\n    return nil\n}\n", 200)
	theme := Dark()
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		highlight("go", code, &theme)
	}
}
