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

func TestHooksSettingsAndUntrackedEnvFilesAreKeptFromCommands(t *testing.T) {
	w := newWorld(t)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", w.ws, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v %s", args, err, out)
		}
	}
	for _, name := range []string{"ws/.env", "ws/.env.example", "ws/api/.env.local", "ws/api/.environment/x", "ws/tracked/.env", "ws/node_modules/p/.env", "ws/a/b/c/d/e/f/g/.env"} {
		w.write(name, "KEY=x")
	}
	run("init", "-q")
	run("add", "tracked/.env")
	w.write("ws/.git/modules/sub/hooks/x", "")
	w.write("ws/.git/modules/sub/config", "")
	keep, shut := w.roots.inner()
	inside := func(names []string) (rel []string) {
		for _, name := range names {
			r, _ := filepath.Rel(w.ws, name)
			rel = append(rel, r)
		}
		slices.Sort(rel)
		return rel
	}
	if got, want := inside(keep), []string{".git/config", ".git/hooks", ".git/modules/sub/config", ".git/modules/sub/hooks"}; !slices.Equal(got, want) {
		t.Errorf("kept are %v, want %v", got, want)
	}
	if got, want := inside(shut), []string{".env", "api/.env.local"}; !slices.Equal(got, want) {
		t.Errorf("shut are %v, want %v", got, want)
	}
	exempt, err := NewRoots(w.ws, nil, NewSecrets(SecretOptions{Home: w.home, Exempt: []string{".env"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer exempt.Close()
	if _, shut := exempt.inner(); !slices.Equal(inside(shut), []string{"api/.env.local"}) {
		t.Errorf("with .env exempt shut are %v", shut)
	}
}
