package extend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/guard/lifeline"
	"espy/agent/guard/sandbox"
	"espy/agent/tools/toolstest"
)

func TestMain(m *testing.M) {
	sandbox.Serve()
	lifeline.Serve()
	os.Exit(m.Run())
}

func TestADeclaredToolRunsInTheSandboxUnlessItsFileSaysOtherwise(t *testing.T) {
	if missing := sandbox.Missing(); missing != "" {
		t.Skip(missing)
	}
	w := toolstest.New(t)
	g := guard.New(guard.Options{Roots: w.Env.Roots, Sandboxing: guard.Sandboxing{On: true}})
	t.Cleanup(func() { g.Close() })
	w.Env.Confine = g.Confine
	outside := ""
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
	declared := "kind = \"command\"\nname = \"maker\"\ndescription = \"makes files\"\nargv = [\"sh\", \"-c\", 'echo in > inside; echo out > \"$1\"', \"sh\", \"{at}\"]\n%\n[parameters.at]\ntype = \"string\"\n"
	at := filepath.Join(outside, "made")
	out := run(t, w.Env, parseOne(t, strings.Replace(declared, "%", "", 1)), `{"at":"`+at+`"}`)
	if _, err := os.Stat(at); err == nil || !out.Result.IsError || !strings.Contains(out.Result.Text, "the sandbox stopped this") {
		t.Errorf("in the sandbox it makes a file outside: %q", out.Result.Text)
	}
	if _, err := os.Stat(w.Path("inside")); err != nil {
		t.Errorf("it makes no file inside: %v", err)
	}
	out = run(t, w.Env, parseOne(t, strings.Replace(declared, "%", `sandbox = "off"`, 1)), `{"at":"`+at+`"}`)
	if _, err := os.Stat(at); err != nil || out.Result.IsError {
		t.Errorf("outside the sandbox it fails: %q", out.Result.Text)
	}
	if s := Parse([]File{{Path: "tools/x.toml", Data: []byte(strings.Replace(declared, "%", `sandbox = "none"`, 1))}}); len(s.Problems) != 1 {
		t.Errorf("a sandbox of another kind is taken: %v", s.Problems)
	}
}
