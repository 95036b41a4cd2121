//go:build linux

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/guard/sandbox"
	"espy/agent/tools/toolstest"
)

// confined is a workspace whose commands run in the sandbox. Temporary folders are open in it, so what is outside
// lies elsewhere: in the home folder.
func confined(t *testing.T) (w *toolstest.Workspace, outside string) {
	t.Helper()
	if missing := sandbox.Missing(); missing != "" {
		t.Skip(missing)
	}
	w = toolstest.New(t)
	g := guard.New(guard.Options{Roots: w.Env.Roots, Sandboxing: guard.Sandboxing{On: true}})
	t.Cleanup(func() { g.Close() })
	w.Env.Confine = g.Confine
	home, err := os.UserHomeDir()
	if err == nil {
		outside, err = os.MkdirTemp(home, "espy-test-")
	}
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("the home folder must be writable in CI: ", err)
	}
	if err != nil {
		t.Skip("the home folder cannot be written: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	return w, outside
}

func TestACommandThatTheSandboxStoppedSaysSo(t *testing.T) {
	w, outside := confined(t)
	for _, command := range []string{"echo x > '" + outside + "/new'", "exec 3<>/dev/tcp/127.0.0.1/9"} {
		out := w.Call("shell", map[string]any{"command": command})
		if !out.Result.IsError || !strings.Contains(out.Result.Text, "the sandbox stopped this") {
			t.Errorf("%s gives %q", command, out.Result.Text)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("outside lies %v", entries)
	}
	out := w.Call("shell", map[string]any{"command": "echo x > '" + outside + "/new'", "outside_sandbox": true})
	if out.Result.IsError {
		t.Errorf("outside the sandbox it fails too: %q", out.Result.Text)
	}
}

func TestACommandInTheSandboxWorksAsEverAndFailsInItsOwnWords(t *testing.T) {
	w, _ := confined(t)
	w.Write("words", "some words\n")
	out := w.Call("shell", map[string]any{"command": "mkdir -p a && cp words a/ && cat a/words && exit 3"})
	if out.Result.Text != "some words\n[exit code 3]" {
		t.Errorf("it gives %q", out.Result.Text)
	}
	out = w.Call("shell", map[string]any{"command": "sleep 30", "timeout_seconds": 1})
	if !strings.Contains(out.Result.Text, "timed out") {
		t.Errorf("it gives %q", out.Result.Text)
	}
}

func TestAJobRunsInTheSandboxAndWithoutKeys(t *testing.T) {
	w, outside := confined(t)
	w.Env.Environ = []string{"PATH=/usr/bin:/bin", "HOME=" + w.Dir}
	out := w.Call("shell", map[string]any{"command": "sleep 1.2; touch " + outside + "/x; echo [$OPENAI_API_KEY]", "background": true})
	if out.Result.IsError {
		t.Fatal(out.Result.Text)
	}
	job := ended(t, w, 1)
	text := w.Call("jobs", `{"action":"tail"}`).Result.Text
	if !strings.Contains(text, "[]") || !strings.Contains(strings.ToLower(text), "denied") {
		t.Errorf("%+v: %s", job, text)
	}
}

func TestACommandCannotTypeIntoTheTerminalThatEspyRunsIn(t *testing.T) {
	w, _ := confined(t)
	var box sandbox.Box
	defer box.Close()
	if !box.Features().Files {
		t.Skip("this machine gives commands no view of the files of their own")
	}
	tmux, err := exec.LookPath("tmux")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("tmux is not installed")
	}
	server := filepath.Join(w.Dir, "server")
	if out, err := exec.Command(tmux, "-S", server, "-f", "/dev/null", "new-session", "-d", "sleep 1000").CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", server, "kill-server").Run() })
	ask := map[string]any{"command": "tmux -S server display-message -p 'here it is'"}
	if text := w.Call("shell", ask).Result.Text; !strings.Contains(text, "here it is") {
		t.Fatalf("a server that has nothing to do with espy does not answer: %q", text)
	}
	t.Setenv("TMUX", server+",1,0")
	if text := w.Call("shell", ask).Result.Text; strings.Contains(text, "here it is") {
		t.Errorf("the server that espy runs in answers a command: %q", text)
	}
}
