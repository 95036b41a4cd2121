package guard

import (
	"slices"
	"strings"
	"testing"
)

func TestAStarAtTheEndMatchesNothingOrMoreWordsAndElsewhereWithinAWord(t *testing.T) {
	cases := []struct {
		pattern, words string // words separated by "|"
		want           bool
	}{
		{"go test *", "go|test", true}, {"go test *", "go|test|./...", true}, {"go test *", "go|test|a|b", true}, {"go test *", "go|testing", false},
		{"go test *", "go", false}, {"go test", "go|test", true}, {"go test", "go|test|x", false}, {"*", "anything|at|all", true}, {"*", "x", true},
		{"npm run test*", "npm|run|test:unit", true}, {"npm run test*", "npm|run|test|x", false}, {"git * main", "git|push|main", true}, {"git * main", "git|push|x|main", false},
		{"g*t log", "git|log", true}, {"g*t log", "gxxt|log", true}, {"ls *.go", "ls|a.go", true}, {"ls *.go", "ls|a.c", false}, {"ls a*b*c", "ls|aXbYc", true}, {"ls a*b*c", "ls|acb", false},
		{`git commit -m "a b"`, "git|commit|-m|a b", true}, {`git commit -m "a b"`, "git|commit|-m|a|b", false}, {`echo '*'`, "echo|*", true}, {`echo '*'`, "echo|x", false}, {`echo \*`, "echo|*", true}, {`echo \*`, "echo|x", false},
		{"echo ''", "echo|", true}, {"echo ''", "echo", false},
	}
	for _, c := range cases {
		r := Rule{Tool: "shell", Pattern: c.pattern}
		if got := r.matchesWords(strings.Split(c.words, "|")); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.words, got)
		}
	}
}

func TestPathPatternsAreRelativeToTheWorkspaceOrAbsolute(t *testing.T) {
	w := newWorld(t)
	cases := []struct {
		pattern, path string
		want          bool
	}{
		{"docs/**", "ws/docs/a/b.md", true}, {"docs/**", "ws/docs", true}, {"docs/**", "ws/docs2/a", false}, {"docs/**", "ws/x/docs/a", false}, {"docs/**", "out/docs/a", false},
		{"**/private/**", "ws/a/private/b", true}, {"**/private/**", "ws/private/b", true}, {"**/private/**", "out/private/b", true}, {"*.md", "ws/a.md", true}, {"*.md", "ws/x/a.md", false}, {"./a.txt", "ws/a.txt", true},
		{"~/notes/**", "home/notes/a", true}, {"~/notes/**", "ws/notes/a", false}, {w.base + "/out/*", "out/x", true}, {w.base + "/out/*", "out/x/y", false}, {"", "ws/any", true},
	}
	for _, c := range cases {
		if got := (Rule{Tool: "read", Pattern: c.pattern}).matchesPath(w.roots, w.path(c.path)); got != c.want {
			t.Errorf("%q on %s: %v", c.pattern, c.path, got)
		}
	}
}

func TestAFaultyRuleIsToldWithWhatToWrite(t *testing.T) {
	tools := []string{"shell", "read", "write", "edit", "fetch"}
	cases := map[string]string{
		"shel(go test *)": `nearest is "shell"`, "red(x)": `nearest is "read"`, "shell(go test": "closing parenthesis", "shell()": "empty pattern", "(x)": "does not begin with a tool's name",
		"": "does not begin with a tool's name", `shell("a)`: "open quote", `shell(a\)`: "backslash", "shell(a\nb)": "line break", "sh ell(x)": "does not begin with a tool's name",
	}
	for text, want := range cases {
		if _, err := ParseRule(text, tools...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %s", text, err, want)
		}
	}
	for _, text := range []string{"shell(go test *)", "read", "mcp__git__*", "write(docs/**)", "shell(echo (a))"} {
		r, err := ParseRule(text)
		if err != nil || r.String() != text {
			t.Errorf("%q became %q, %v", text, r, err)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"shell(go test *)", `shell(git commit -m "a b")`, "read(**/x)", "x(\\", "((", "mcp__*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again != r {
			t.Fatalf("%q was read as %#v, written as %q and read as %#v, %v", text, r, r.String(), again, err)
		}
	})
}

func FuzzExactPatternMatchesOnlyItsWords(f *testing.F) {
	f.Add("git", "commit -m", "a 'b' \"c\" \\ *")
	f.Add("x", "", "*")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		words := []string{a, b, c}
		pattern, ok := exactPattern(words)
		if !ok || strings.Contains(pattern, anything) {
			return
		}
		r := Rule{Tool: "shell", Pattern: pattern}
		if !r.matchesWords(words) {
			t.Fatalf("%q does not match its own words %q", pattern, words)
		}
		other := slices.Clone(words)
		other[2] += "x"
		if r.matchesWords(other) || r.matchesWords(words[:2]) || r.matchesWords(append(words, "x")) {
			t.Fatalf("%q matches more than %q", pattern, words)
		}
	})
}

func TestNamesThatAFileSystemTakesForTheSameAreTheSame(t *testing.T) {
	for name, want := range map[string]string{"/W/.G\u200cIT/config": "/w/.git/config", "/w/.env\ufeff": "/w/.env"} {
		if got := spelling(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	for name, want := range map[string]string{"/w/.env::$data": "/w/.env", "/w/agents.md. .": "/w/agents.md", "/w/../x": "/w/../x", "/w/.git./config": "/w/.git/config"} {
		if got := windowsSpelling(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
