//go:build unix

package guard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostileRepository is a repository whose own configuration runs a program that leaves a canary.
func hostileRepository(t *testing.T) (dir, canary string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed, and CI brings it")
		}
		t.Skip("git is not installed")
	}
	base := t.TempDir()
	dir, canary = filepath.Join(base, "repo"), filepath.Join(base, "canary")
	program := filepath.Join(base, "program")
	script := "#!/bin/sh\necho \"$0 $*\" >> '" + canary + "'\ncat\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	plainGit(t, base, "init", "-q", dir)
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one\n", 0o644)
	write("ignored/x.txt", "x\n", 0o644)
	write(".gitignore", "ignored/\n*.log\n", 0o644)
	plainGit(t, dir, "add", ".")
	plainGit(t, dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "first")
	write(".gitattributes", "*.txt filter=evil diff=evil\n", 0o644)
	write("a.txt", "two\n", 0o644)
	write("b.log", "x", 0o644)
	write("new file.txt", "x", 0o644)
	included := filepath.Join(dir, ".git", "included")
	for key, value := range map[string]string{
		"core.fsmonitor": program, "core.pager": program, "core.editor": program, "core.sshCommand": program, "diff.external": program, "diff.evil.command": program, "diff.evil.textconv": program,
		"filter.evil.clean": program, "filter.evil.smudge": program, "filter.evil.required": "true", "filter.a=b.clean": program, "alias.status": "!" + program, "pager.log": program, "log.showSignature": "true", "gpg.program": program,
		"core.hooksPath": filepath.Join(dir, "hooks"), "include.path": included, "credential.helper": program, "core.alternateRefsCommand": program,
	} {
		plainGit(t, dir, "config", key, value)
	}
	os.WriteFile(included, []byte("[diff]\n\texternal = "+program+"\n"), 0o644)
	for _, hook := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"} {
		write("hooks/"+hook, script, 0o755)
		write(".git/hooks/"+hook, script, 0o755)
	}
	return dir, canary
}

func plainGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestNothingOfAHostileRepositoryRuns(t *testing.T) {
	dir, canary := hostileRepository(t)
	for _, args := range [][]string{
		{"status", "--porcelain"}, {"diff"}, {"diff", "HEAD"}, {"log", "-p", "-1"}, {"show", "HEAD"}, {"ls-files", "-co", "--exclude-standard", "-z"}, {"rev-parse", "HEAD"}, {"branch", "--show-current"}, {"diff", "--stat"}, {"blame", "a.txt"}, {"stash", "list"}, {"add", "-n", "."},
	} {
		if _, err := Git(context.Background(), dir, args...); err != nil {
			t.Errorf("git %v: %v", args, err)
		}
		if ran, err := os.ReadFile(canary); err == nil {
			t.Fatalf("git %v ran a program of the repository: %s", args, ran)
		}
	}
	cmd := exec.Command("git", "diff")
	cmd.Dir = dir
	_ = cmd.Run()
	if _, err := os.Stat(canary); err != nil {
		t.Error("plain git runs nothing either: the repository is not hostile and the test shows nothing")
	}
}

func TestFilesAndIgnoredFoldersAreListedByGit(t *testing.T) {
	dir, _ := hostileRepository(t)
	files, err := ListFiles(context.Background(), dir)
	if err != nil || !slices.Contains(files, "new file.txt") || !slices.Contains(files, "a.txt") || slices.Contains(files, "b.log") || slices.Contains(files, "ignored/x.txt") {
		t.Errorf("%q %v", files, err)
	}
	ignored, err := Ignored(context.Background(), dir)
	if err != nil || !slices.Contains(ignored, "b.log") {
		t.Errorf("%q %v", ignored, err)
	}
	var failed *GitError
	if _, err := ListFiles(context.Background(), t.TempDir()); !errors.As(err, &failed) || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside a repository: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Git(ctx, dir, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

func TestGitCommandsOfTheShellAskInAHostileRepository(t *testing.T) {
	dir, canary := hostileRepository(t)
	roots, err := NewRoots(filepath.Dir(dir), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	bare := filepath.Join(filepath.Dir(dir), "docs", "bare")
	plainGit(t, filepath.Dir(dir), "init", "-q", "--bare", bare)
	plainGit(t, bare, "config", "core.fsmonitor", "/bin/false")
	plainGit(t, bare, "config", "core.bare", "false")
	g := New(Options{Roots: roots})
	for command, want := range map[string]Verdict{"git status": Allow, "cd repo && git status": Ask, "git -C repo diff": Ask, "git -C repo log": Ask, "cd repo; ls": Allow, "cd docs/bare && git status": Ask} {
		if d := g.Decide(shellEffect(command)); d.Verdict != want {
			t.Errorf("%s: %+v, want %s", command, d, want)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("judging ran a program of the repository")
	}
}

func TestGitMayNotPrintACredentialThatIsTracked(t *testing.T) {
	dir, _ := hostileRepository(t)
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.alternateRefsCommand"} {
		plainGit(t, dir, "config", "--unset", key)
	}
	for _, section := range []string{"diff", "diff.evil", "filter.evil", "filter.a=b", "alias", "pager", "log", "gpg", "include", "credential"} {
		plainGit(t, dir, "config", "--remove-section", section)
	}
	plainGit(t, dir, "config", "--unset", "core.hooksPath")
	os.RemoveAll(filepath.Join(dir, ".git", "hooks"))
	roots, err := NewRoots(dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	g := New(Options{Roots: roots})
	lines := []string{"git grep one", "git diff", "git log -p", "git show"}
	for _, line := range lines {
		if d := g.Decide(shellEffect(line)); d.Verdict != Allow {
			t.Errorf("%s: %+v", line, d)
		}
	}
	hook := filepath.Join(dir, ".git", "hooks", "post-index-change")
	os.MkdirAll(filepath.Dir(hook), 0o755)
	os.WriteFile(hook, []byte("#!/bin/sh\n"), 0o755)
	if d := g.Decide(shellEffect("git status")); d.Verdict != Ask || !strings.Contains(d.Reason, "post-index-change") {
		t.Errorf("a hook that reading runs: %+v", d)
	}
	os.Remove(hook)
	os.WriteFile(filepath.Join(dir, ".env"), []byte("K=1"), 0o644)
	plainGit(t, dir, "add", "-f", ".env")
	for _, line := range lines {
		if d := g.Decide(shellEffect(line)); d.Verdict != Ask || !strings.Contains(d.Reason, ".env") {
			t.Errorf("%s: %+v", line, d)
		}
	}
	if d := g.Decide(shellEffect("git log --oneline")); d.Verdict != Allow {
		t.Errorf("%+v", d)
	}
}
