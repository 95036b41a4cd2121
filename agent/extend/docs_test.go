package extend

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools/toolstest"
)

// pageExample is a fenced block of the page.
type pageExample struct{ kind, text string }

// examplesOf reads the fenced blocks of a page.
func examplesOf(t *testing.T, page string) (all []pageExample) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```([a-z]*)\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		all = append(all, pageExample{m[1], m[2]})
	}
	return all
}

// Every example of the page is a file that works as it stands: it is declared, and run.
func TestEveryExampleOfThePageRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are POSIX programs")
	}
	all := examplesOf(t, "extending.md")
	envelope := ""
	for _, e := range all {
		if e.kind == "json" && strings.Contains(e.text, `"images"`) {
			envelope = e.text
		}
	}
	ran := make(map[string]bool)
	for _, e := range all {
		switch {
		case e.kind == "json" && e.text == envelope:
			ran["json"] = true // with the tool that prints it
		case e.kind == "toml" && strings.Contains(e.text, "[[hook]]"):
			runHooksExample(t, e.text)
			ran["hooks"] = true
		case e.kind == "toml" && strings.Contains(e.text, "[mcp."):
			ran["mcp"] = true // beside the servers' own tests
		case e.kind == "toml":
			ran[runToolExample(t, e.text, envelope)] = true
		case e.kind == "markdown" && strings.Contains(e.text, "name:"):
			runSkillExample(t, e.text)
			ran["skill"] = true
		case e.kind == "markdown":
			runCommandExample(t, e.text)
			ran["command"] = true
		default:
			t.Errorf("nothing runs this example of the page:\n%s", e.text)
		}
	}
	for _, want := range []string{"json", "hooks", "skill", "command", "count-lines", "draw", "weather"} {
		if !ran[want] {
			t.Errorf("the page has no example that is %s, or it did not run", want)
		}
	}
}

// runToolExample runs a tool of the page with what it needs around it, and returns its name.
func runToolExample(t *testing.T, text, envelope string) string {
	t.Helper()
	world := toolstest.New(t)
	name := parseOne(t, text).Spec.Name
	switch name {
	case "count-lines":
		world.Write("a.txt", "one\ntwo\n")
		if got := run(t, world.Env, parseOne(t, text), `{"path":"a.txt"}`).Result; got.IsError || !strings.Contains(got.Text, "2 a.txt") {
			t.Errorf("count-lines: %+v", got)
		}
		if got := run(t, world.Env, parseOne(t, text), `{"path":"-w"}`).Result; !got.IsError {
			t.Error("count-lines took an option for a file")
		}
	case "draw":
		world.Write("plot.png", string(testPNG(12, 9)))
		world.Write("scripts/draw", "#!/bin/sh\ncat <<'END'\n"+envelope+"\nEND\n")
		if err := os.Chmod(world.Path("scripts/draw"), 0o700); err != nil {
			t.Fatal(err)
		}
		got := run(t, world.Env, parseOne(t, text), `{}`).Result
		if got.IsError || len(got.Images) != 1 || got.Images[0].Width != 12 || !strings.HasPrefix(got.Text, "what to say") || strings.Contains(got.Text, "iVBORw0") {
			t.Errorf("draw: %+v", got)
		}
	case "weather":
		t.Setenv("WEATHER_KEY", "w-key")
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RequestURI() != "/v1/K%C3%B6ln%2FA?units=metric" || r.Header.Get("Authorization") != "Bearer w-key" {
				t.Errorf("weather asked %s", r.URL.RequestURI())
			}
			_, _ = w.Write([]byte(`{"today":{"temperature":21,"hours":[{"rain":0.5,"wind":3},{"rain":0}]},"key":"w-key"}`))
		}))
		defer server.Close()
		local := strings.ReplaceAll(text, "https://weather.example.org", server.URL)
		if got := run(t, world.Env, parseOne(t, local), `{"town":"Köln/A"}`).Result; got.IsError || got.Text != "today.temperature: 21\n\nrain: 0.5\n\nrain: 0" {
			t.Errorf("weather: %+v", got)
		}
	default:
		t.Errorf("nothing runs the page's tool %s", name)
	}
	return name
}

func runSkillExample(t *testing.T, text string) {
	t.Helper()
	s := Parse([]File{{Path: "skills/example/SKILL.md", Data: []byte(text)}})
	if len(s.Problems) > 0 || len(s.Skills) != 1 {
		t.Fatalf("%q", s.Problems)
	}
	if got := run(t, toolstest.New(t).Env, s.Tools[0], `{"name":"`+s.Skills[0].Name+`"}`).Result; got.IsError || got.Text != s.Skills[0].Body {
		t.Errorf("the skill reads %+v", got)
	}
}

func runCommandExample(t *testing.T, text string) {
	t.Helper()
	s := Parse([]File{{Path: "commands/explain.md", Data: []byte(text)}})
	if len(s.Problems) > 0 || len(s.Commands) != 1 {
		t.Fatalf("%q", s.Problems)
	}
	if got := s.Commands[0].Fill("@main.go slowly"); got != "Explain @main.go to someone who is new here. @main.go slowly" {
		t.Errorf("the command says %q", got)
	}
}

// runHooksExample runs the page's hooks with the programs it speaks of beside the file.
func runHooksExample(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "extensions", "example")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"check": `grep -q push && echo '{"decision":"deny","reason":"no pushing"}' || echo '{"decision":"allow"}'`, "note": `cat >"$(dirname "$0")/noted"`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := Parse([]File{{Path: filepath.Join(folder, "hooks.toml"), Data: []byte(text)}})
	if len(s.Problems) > 0 || len(s.Hooks) != 2 {
		t.Fatalf("%d hooks, %q", len(s.Hooks), s.Problems)
	}
	h := NewHooks(s.Hooks, nil, "s", dir, func(said string) { t.Error(said) })
	for args, want := range map[string]guard.Verdict{`{"command":"git push"}`: guard.Deny, `{"command":"ls"}`: guard.Allow} {
		if got, reason := h.Judge(context.Background(), message.ToolCall{Name: "shell", Args: args}); got != want {
			t.Errorf("the hook says %s of %s (%s)", got, args, reason)
		}
	}
	h.Observe(PostTool, &message.ToolCall{ID: "c", Name: "git-commit", Args: "{}"}, &HookOutcome{OK: true})
	h.Close()
	if noted, err := os.ReadFile(filepath.Join(folder, "noted")); err != nil || !strings.Contains(string(noted), `"name":"git-commit"`) {
		t.Errorf("the observing hook was told %q (%v)", noted, err)
	}
}
