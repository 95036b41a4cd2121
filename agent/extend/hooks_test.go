package extend

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
)

// extension makes a folder with hooks.toml and a script beside it, as a person would.
func extension(t *testing.T, hooks, script string) []Hook {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "extensions", "watch")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"hooks.toml": hooks, "run": "#!/bin/sh\n" + script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files, problems := ReadDir(filepath.Dir(filepath.Dir(dir)))
	s := Parse(files)
	if problems = append(problems, s.Problems...); len(problems) > 0 || len(s.Hooks) == 0 {
		t.Fatalf("problems %q, %d hooks", problems, len(s.Hooks))
	}
	return s.Hooks
}

const asking = "[[hook]]\nevent = \"pre_tool\"\ntools = [\"git-*\"]\nargv = [\"./run\"]\ntimeout_seconds = 1\n"

func TestAHookThatCannotJudgeMakesItsCallAsk(t *testing.T) {
	call := message.ToolCall{ID: "c1", Name: "git-commit", Args: `{"message":"x"}`}
	for _, c := range []struct {
		name, script string
		want         guard.Verdict
		reason       string
	}{
		{"no objection", `echo '{"decision":"allow"}'`, guard.Allow, ""},
		{"a refusal with its reason", `echo '{"decision":"deny","reason":"not on Fridays"}'`, guard.Deny, "not on Fridays"},
		{"a question", `echo '{"decision":"ask","reason":"sure?"}'`, guard.Ask, "sure?"},
		{"the call is on its input", `grep -q '"event":"pre_tool".*"name":"git-commit"' && echo '{"decision":"allow"}'`, guard.Allow, ""},
		{"a failure", `echo '{"decision":"allow"}'; exit 3`, guard.Ask, "exit status 3"},
		{"silence", `:`, guard.Ask, "could not judge"},
		{"nonsense", `echo yes`, guard.Ask, "could not judge"},
		{"another word", `echo '{"decision":"sure"}'`, guard.Ask, "sure"},
		{"two answers", `echo '{"decision":"allow"}{"decision":"deny"}'`, guard.Ask, "more than one"},
		{"no end", `exec sleep 60`, guard.Ask, "within 1s"},
		{"no end of words", `exec yes`, guard.Ask, "could not judge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := NewHooks(extension(t, asking, c.script), nil, "s", t.TempDir(), func(string) {})
			defer h.Close()
			verdict, reason := h.Judge(context.Background(), call)
			if verdict != c.want || !strings.Contains(reason, c.reason) {
				t.Errorf("got %s, %q; want %s, %q", verdict, reason, c.want, c.reason)
			}
			if other, _ := h.Judge(context.Background(), message.ToolCall{Name: "read"}); other != guard.Allow {
				t.Errorf("a tool it does not name: %s", other)
			}
		})
	}
}

func TestAnObservingHookIsToldAndItsFaultIsReported(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	if err := os.WriteFile(said, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reports := make(chan string, 4)
	hooks := extension(t, "[[hook]]\nevent = \"post_tool\"\nargv = [\"./run\", \""+said+"\"]\n[[hook]]\nevent = \"turn_end\"\nargv = [\"./run\", \"/nowhere/at/all\"]\n", `cat >"$1" || exit 7; echo hidden`)
	h := NewHooks(hooks, nil, "s1", t.TempDir(), func(s string) { reports <- s })
	h.Observe(PostTool, &message.ToolCall{ID: "c", Name: "read", Args: "{}"}, &HookOutcome{OK: true, Millis: 3})
	h.group.Wait()
	h.Observe(TurnEnd, nil, nil)
	h.Observe(TurnStart, nil, nil)
	if report := <-reports; !strings.Contains(report, "watch") || !strings.Contains(report, "turn_end") {
		t.Errorf("the fault is told as %q", report)
	}
	h.Close()
	data, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	var m Moment
	if err := json.Unmarshal(data, &m); err != nil || m.Event != PostTool || m.Session != "s1" || m.Call == nil || m.Call.Name != "read" || m.Outcome == nil || !m.Outcome.OK {
		t.Errorf("it was told %q (%v)", data, err)
	}
}

func TestClosingEndsAHookThatHangs(t *testing.T) {
	h := NewHooks(extension(t, "[[hook]]\nevent = \"session_start\"\nargv = [\"./run\"]\ntimeout_seconds = 60\n", "exec sleep 600"), nil, "s", t.TempDir(), func(s string) { t.Error(s) })
	h.Observe(SessionStart, nil, nil)
	h.Close()
}

func TestFaultyHooksAreNamed(t *testing.T) {
	for _, text := range []string{"", "[[hook]]\nevent = \"x\"\nargv = [\"a\"]", "[[hook]]\nevent = \"pre_tool\"", "[[hook]]\nevent = \"pre_tool\"\nargv = [\"scripts/x\"]", "[[hook]]\nevent = \"pre_tool\"\nargv = [\"./../x\"]", "[[hook]]\nevent = \"turn_end\"\ntools = [\"a\"]\nargv = [\"a\"]",
		"[[hook]]\nevent = \"pre_tool\"\nargv = [\"a\"]\ntools = [\"[\"]", "[[hook]]\nevent = \"pre_tool\"\nargv = [\"a\"]\ntimeout_seconds = 1000", "[[hook]]\nevent = \"pre_tool\"\nargv = [\"a\"]\nwhen = 1"} {
		if s := Parse([]File{{Path: "extensions/x/hooks.toml", Data: []byte(text)}}); len(s.Problems) != 1 || len(s.Hooks) != 0 {
			t.Errorf("%q: %d hooks, problems %q", text, len(s.Hooks), s.Problems)
		}
	}
}

func TestTheGitTrailExampleWritesTheFinishedCommitDown(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed, and CI brings it")
		}
		t.Skip("git is not installed")
	}
	home, repository := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "A `subject`; true\n\nbody"}} {
		if out, err := exec.Command("git", append([]string{"-C", repository}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	files, problems := ReadDir(root)
	s := Parse(files)
	if problems = append(problems, s.Problems...); len(problems) > 0 {
		t.Fatal(problems)
	}
	h := NewHooks(s.Hooks, nil, "s", repository, func(s string) { t.Error(s) })
	h.Observe(PostTool, &message.ToolCall{ID: "c", Name: "git-commit", Args: `{"message":"something else"}`}, &HookOutcome{OK: true})
	h.group.Wait()
	h.Observe(PostTool, &message.ToolCall{ID: "d", Name: "git-commit", Args: "{}"}, &HookOutcome{OK: false})
	h.Observe(PostTool, &message.ToolCall{ID: "e", Name: "git-log", Args: "{}"}, &HookOutcome{OK: true})
	h.Close()
	trail, err := os.ReadFile(filepath.Join(home, ".git-trail"))
	if err != nil || strings.Count(string(trail), "\n") != 1 || !strings.HasSuffix(string(trail), "A `subject`; true\n") || strings.Contains(string(trail), "something else") {
		t.Errorf("the trail is %q (%v)", trail, err)
	}
}
