package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// sandboxed is a guard that believes in a sandbox.
func sandboxed(w *world, mode Mode, rules ...SourcedRule) *Guard {
	return New(Options{Mode: mode, Roots: w.roots, Rules: rules, Sandboxing: Sandboxing{On: true}})
}

func TestLeavingTheSandboxAsksUnlessARuleSaysSo(t *testing.T) {
	w := newWorld(t)
	allow := func(text string) SourcedRule {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		return SourcedRule{Rule: rule, Verdict: Allow, Source: SourceUser}
	}
	deny := allow("shell(npm *)")
	deny.Verdict = Deny
	for _, c := range []struct {
		command string
		rules   []SourcedRule
		want    Verdict
	}{
		{"ls", nil, Ask},
		{"go test ./...", []SourcedRule{allow("shell(go test *)")}, Ask},
		{"go test ./...", []SourcedRule{allow("shell")}, Ask},
		{"npm install", []SourcedRule{allow("shell_outside(npm install *)")}, Allow},
		{"npm install && curl x", []SourcedRule{allow("shell_outside(npm install *)")}, Ask},
		{"npm install", []SourcedRule{allow("shell_outside(npm install *)"), deny}, Deny},
		{"npm install", []SourcedRule{allow("shell_outside")}, Allow},
	} {
		e := shellEffect(c.command)
		e.Outside = true
		if d := sandboxed(w, ModeAuto, c.rules...).Decide(e); d.Verdict != c.want {
			t.Errorf("%s outside with %v: %s (%s), want %s", c.command, c.rules, d.Verdict, d.Reason, c.want)
		}
		if d := sandboxed(w, ModeFull).Decide(e); d.Verdict != Allow {
			t.Errorf("%s asks in full mode: %s", c.command, d.Reason)
		}
	}
	e := shellEffect("go build ./...")
	e.Outside = true
	if d := sandboxed(w, ModeAsk).Decide(e); len(d.Offer) != 1 || d.Offer[0] != "shell_outside(go build *)" {
		t.Errorf("always would save %v", d.Offer)
	}
	e = shellEffect("ls")
	e.Outside = true
	if d := New(Options{Roots: w.roots}).Decide(e); d.Verdict != Allow {
		t.Errorf("where there is no sandbox, leaving it asks: %s", d.Reason)
	}
}

func TestThePolicyOpensTheWorkspaceAndCachesAndHidesCredentials(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repository := filepath.Join(home, "src", "project")
	for _, dir := range []string{"src/project/.git", "src/project/sub", ".ssh", ".config/gh", ".config/espy", "go/pkg", "docs", ".cargo/registry", ".mozilla"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(home, ".config", "espy")
	roots, err := NewRoots(filepath.Join(repository, "sub"), nil, NewSecrets(SecretOptions{Home: home, Own: []string{own}}))
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	p := roots.policy([]string{"GOCACHE=" + filepath.Join(home, "docs")}, false)
	for _, name := range []string{"src/project/sub", "src/project/.git", "go/pkg", ".cache", ".cargo/registry", "docs"} {
		if !slices.Contains(p.Write, filepath.Join(home, name)) {
			t.Errorf("%s is not open for writing: %v", name, p.Write)
		}
	}
	for _, name := range []string{"", "src/project", ".cargo", ".config"} {
		if slices.Contains(p.Write, filepath.Join(home, name)) {
			t.Errorf("%q is open for writing", name)
		}
	}
	for _, name := range []string{".ssh", ".config/gh", ".config/espy", ".mozilla"} {
		if !slices.Contains(p.Hide, filepath.Join(home, name)) {
			t.Errorf("%s is not hidden: %v", name, p.Hide)
		}
	}
	cmd := exec.Command("true")
	if on, err := New(Options{Mode: ModeFull, Roots: roots, Sandboxing: Sandboxing{On: true}}).Confine(cmd); on || err != nil || len(cmd.Args) != 1 {
		t.Errorf("full mode confines: %v %v", cmd.Args, err)
	}
}
