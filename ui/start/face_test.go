package start

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
)

// screenIn opens the face of an empty workspace in a home of its own and returns both folders.
func screenIn(t *testing.T) (screen *Screen, home, folder string) {
	t.Helper()
	folder = t.TempDir()
	screen, home = screenOf(t, folder)
	return screen, home, folder
}

func screenOf(t *testing.T, folder string) (screen *Screen, home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	settings, err := Load(context.Background(), "test", Flags{Folder: folder, Model: "fake/echo"})
	if err != nil {
		t.Fatal(err)
	}
	screen, err = NewScreen(context.Background(), settings, Request{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return screen, home
}

func TestAPathThatMayNotBeTrustedIsNotRememberedAsTrusted(t *testing.T) {
	screen, home, folder := screenIn(t)
	key := filepath.Join(home, ".ssh", "id_rsa")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{key, filepath.Join(folder, "inside.txt")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trust := screen.Options().Trust
	for _, name := range []string{"~/.ssh/id_rsa", key, "inside.txt", "nowhere", "/dev/null"} {
		if said, err := trust.Add(name); err == nil {
			t.Errorf("%s was trusted: %s", name, said)
		}
	}
	if paths, err := trust.List(); len(paths) > 0 || err != nil {
		t.Errorf("trusted are %v, %v", paths, err)
	}
}

func TestWhatIsAcceptedIsUsedByTheNextSessionAndOnlyAsItWasSeen(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "AGENTS.md")
	if err := os.WriteFile(file, []byte("Say moo.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	screen, _ := screenOf(t, folder)
	options := screen.Options()
	if err := os.WriteFile(file, []byte("Say something else.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := options.Trust.Accept(); err == nil {
		t.Errorf("files nobody was told of were accepted: %s", said)
	}
	if _, err := options.Trust.Accept(); err != nil {
		t.Error(err)
	}
	next, err := options.New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if next.First == nil || len(next.First.NotAccepted) > 0 {
		t.Errorf("the next session still does without them: %+v", next.First)
	}
}

func TestATildeIsTheHomeFolderForTrustAndExport(t *testing.T) {
	screen, home, _ := screenIn(t)
	if err := os.Mkdir(filepath.Join(home, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	options := screen.Options()
	if _, err := options.Trust.Add("~/docs"); err != nil {
		t.Error(err)
	}
	if paths, err := options.Trust.List(); err != nil || len(paths) != 1 || !strings.HasSuffix(paths[0], "/docs") {
		t.Errorf("trusted are %v, %v", paths, err)
	}
	a := screen.current().Agent
	a.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: "hello"}}}})
	await[agent.TurnEnded](t, a)
	if got, err := options.Export(context.Background(), "~/talk.md"); err != nil || got != filepath.Join(home, "talk.md") {
		t.Errorf("exported to %q, %v", got, err)
	}
	if _, err := options.Export(context.Background(), "~/talk.md"); err == nil {
		t.Error("an export wrote over a file")
	}
}

func TestAModelThatNoListKnowsCanBeChosenOnAKnownServer(t *testing.T) {
	screen, _, _ := screenIn(t)
	route, err := screen.Options().Model("ollama/brand-new:8b")
	if err != nil || route.Name() != "ollama/brand-new:8b" {
		t.Errorf("got %s, %v", route.Name(), err)
	}
	if _, err := screen.Options().Model("nowhere/m"); err == nil {
		t.Error("a model of an unknown server was found")
	}
}

func TestRulesAreKeptListedWithTheirPlaceAndTakenBack(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	file := filepath.Join(home, "config", "espy", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[permissions]\ndeny = [\"shell(rm *)\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *Screen {
		settings, err := Load(context.Background(), "test", Flags{Folder: home, Model: "fake/echo", Allow: []string{"shell(ls *)"}})
		if err != nil {
			t.Fatal(err)
		}
		screen, err := NewScreen(context.Background(), settings, Request{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = screen.Close() })
		return screen
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	rules := open().Options().Rules
	if _, err := rules.Add(guard.Allow, "shell(go test *)"); err != nil {
		t.Fatal(err)
	}
	if _, err := rules.Add(guard.Allow, "shel(x)"); err == nil {
		t.Error("a rule for no tool was taken")
	}
	rules = open().Options().Rules // a later start
	found := map[string]string{}
	for _, r := range rules.List() {
		found[string(r.Verdict)+" "+r.Rule.String()] = string(r.Source) + " " + r.Place
	}
	for rule, from := range map[string]string{"deny shell(rm *)": string(guard.SourceUser) + " " + file + ":2", "allow shell(ls *)": string(guard.SourceFlag) + " ", "allow shell(go test *)": string(guard.SourceSaved)} {
		if !strings.HasPrefix(found[rule], from) {
			t.Errorf("%s comes from %q, want %q", rule, found[rule], from)
		}
	}
	for _, r := range rules.List() {
		if _, err := rules.Remove(r); (err == nil) != (r.Source != guard.SourceUser) {
			t.Errorf("removing %s (%s) gives %v", r.Rule, r.Source, err)
		}
	}
	if list := open().Options().Rules.List(); len(list) != 2 {
		t.Errorf("after a later start there are %v", list)
	}
}
