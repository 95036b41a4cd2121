package checkpoint

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/store"
)

// bench is a workspace with a keeper and the file records of what happened in it.
type bench struct {
	t       *testing.T
	dir     string
	session *store.Session
	roots   *guard.Roots
	keeper  *Keeper
	records []message.FilesRecord
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	var err error
	if b.session, err = store.Open(t.TempDir()).Create(context.Background(), b.dir, "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.session.Close() })
	if b.roots, err = guard.NewRoots(b.dir, nil, guard.NewSecrets(guard.SecretOptions{Home: t.TempDir()})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.roots.Close() })
	b.reopen()
	return b
}

// reopen makes a new keeper, as the next start of the program does.
func (b *bench) reopen() { b.keeper = New(b.session.Dir(), b.roots, b.session) }

func (b *bench) put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// holds checks a file's text; "" means that it is not there.
func (b *bench) holds(name, want string) {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if want == "" && err == nil || want != "" && string(data) != want {
		b.t.Errorf("%s holds %q, %v; it should hold %q", name, data, err, want)
	}
}

// call does something under watch, as the loop does for a call, and notes its records.
func (b *bench) call(id string, scope Scope, do func()) {
	b.t.Helper()
	p, note, err := b.keeper.Before(context.Background(), scope)
	if err != nil || note != "" && scope.Workspace && gitThere() {
		b.t.Fatalf("%q, %v", note, err)
	}
	if p == nil {
		do()
		return
	}
	begun := p.Record()
	begun.ID = id
	b.records = append(b.records, begun)
	do()
	changes, err := b.keeper.After(context.Background(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	b.records = append(b.records, message.FilesRecord{Of: id, Changes: changes})
}

func gitThere() bool { _, err := exec.LookPath("git"); return err == nil }

// back restores what the records from one on changed, and notes that too.
func (b *bench) back(from int, overwrite bool) (steps []Step) {
	b.t.Helper()
	steps, err := b.keeper.Plan(context.Background(), b.records[from:])
	if err != nil {
		b.t.Fatal(err)
	}
	changes, faults, err := b.keeper.Restore(context.Background(), steps, overwrite)
	if err != nil || len(faults) > 0 {
		b.t.Fatalf("%v, %v", faults, err)
	}
	b.records = append(b.records, message.FilesRecord{Rewind: "r", Changes: changes})
	return steps
}

func anywhere() Scope              { return Scope{Workspace: true} }
func naming(paths ...string) Scope { return Scope{Paths: paths} }
func conflicts(steps []Step) (n int) {
	for _, s := range steps {
		if s.Conflict != "" {
			n++
		}
	}
	return n
}

func TestWhatACommandDidToAnyFileGoesBackAndForwardAgain(t *testing.T) {
	b := newBench(t)
	b.put("kept.txt", "one\r\n")
	b.put("dir/gone.txt", "two")
	b.put(".gitattributes", "* text eol=lf filter=evil ident\n")
	b.put("$Id$.c", "$Id$\r\n")
	b.call("c1", anywhere(), func() {
		b.put("kept.txt", "changed\r\n")
		os.Remove(filepath.Join(b.dir, "dir", "gone.txt"))
		b.put("new/made.txt", "three")
		b.put("$Id$.c", "$Id: x$\n")
		os.Chmod(filepath.Join(b.dir, ".gitattributes"), 0o755)
	})
	if steps := b.back(0, false); len(steps) != 5 || conflicts(steps) != 0 {
		t.Errorf("%+v", steps)
	}
	b.holds("kept.txt", "one\r\n")
	b.holds("dir/gone.txt", "two")
	b.holds("new/made.txt", "")
	b.holds("$Id$.c", "$Id$\r\n")
	if info, _ := os.Stat(filepath.Join(b.dir, ".gitattributes")); info.Mode().Perm() != 0o644 {
		t.Errorf("the right to run stayed: %v", info.Mode())
	}
	b.reopen()
	if steps := b.back(len(b.records)-1, false); len(steps) != 5 || conflicts(steps) != 0 {
		t.Errorf("forward: %+v", steps)
	}
	b.holds("kept.txt", "changed\r\n")
	b.holds("dir/gone.txt", "")
	b.holds("new/made.txt", "three")
}

func TestAFileChangedOutsideIsLeftAloneUntilThePersonDecides(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "mine")
	b.put("b.txt", "mine too")
	b.call("c1", naming("a.txt", "b.txt"), func() { b.put("a.txt", "espy's"); b.put("b.txt", "espy's too") })
	b.put("a.txt", "edited by hand")
	steps := b.back(0, false)
	if len(steps) != 2 || conflicts(steps) != 1 || steps[0].Display != "a.txt" || steps[0].Conflict == "" {
		t.Fatalf("%+v", steps)
	}
	b.holds("a.txt", "edited by hand")
	b.holds("b.txt", "mine too")
	b.back(0, true)
	b.holds("a.txt", "mine")
	b.back(len(b.records)-1, false)
	b.holds("a.txt", "edited by hand")
}

func TestAnEditByHandBetweenTwoCallsIsAConflict(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "0")
	b.call("c1", naming("a.txt"), func() { b.put("a.txt", "1") })
	b.put("a.txt", "by hand")
	b.call("c2", naming("a.txt"), func() { b.put("a.txt", "2") })
	if steps := b.back(2, false); len(steps) != 1 || conflicts(steps) != 0 {
		t.Errorf("only the second call: %+v", steps)
	}
	b.holds("a.txt", "by hand")
	if steps := b.back(0, false); len(steps) != 1 || conflicts(steps) != 1 {
		t.Errorf("both calls: %+v", steps)
	}
	b.holds("a.txt", "by hand")
}

func TestWhatSomebodyElseChangedBetweenCommandsIsNotEspys(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "0")
	b.call("c1", anywhere(), func() { b.put("a.txt", "1") })
	b.put("theirs.txt", "made by hand")
	b.call("c2", anywhere(), func() { b.put("c.txt", "2") })
	b.back(0, false)
	b.holds("a.txt", "0")
	b.holds("c.txt", "")
	b.holds("theirs.txt", "made by hand")
}

func TestACallCutOffByACrashIsAskedAbout(t *testing.T) {
	for name, scope := range map[string]Scope{"an edit": naming("a.txt"), "a command": anywhere()} {
		b := newBench(t)
		b.put("a.txt", "0")
		p, _, err := b.keeper.Before(context.Background(), scope)
		if err != nil {
			t.Fatal(err)
		}
		begun := p.Record()
		begun.ID = "c1"
		b.records = append(b.records, begun)
		b.put("a.txt", "half done")
		b.reopen()
		if steps := b.back(0, false); len(steps) != 1 || conflicts(steps) != 1 {
			t.Errorf("%s: %+v", name, steps)
		}
		b.holds("a.txt", "half done")
		b.back(0, true)
		b.holds("a.txt", "0")
	}
}

func TestWithoutGitWritesAndEditsGoBackAndItSaysSo(t *testing.T) {
	b := newBench(t)
	b.keeper.off = "git is not installed"
	b.put("a.txt", "0")
	b.call("c1", naming("a.txt", "new.txt"), func() { b.put("a.txt", "1"); b.put("new.txt", "1") })
	p, note, err := b.keeper.Before(context.Background(), anywhere())
	if p != nil || err != nil || !strings.Contains(note, "git is not installed") {
		t.Errorf("%v, %q, %v", p, note, err)
	}
	if _, note, _ := b.keeper.Before(context.Background(), anywhere()); note != "" {
		t.Errorf("it is said twice: %q", note)
	}
	b.back(0, false)
	b.holds("a.txt", "0")
	b.holds("new.txt", "")
	if _, err := os.Stat(filepath.Join(b.session.Dir(), repositoryName)); err == nil {
		t.Error("a repository was made")
	}
}

func TestTheUsersRepositoryAndItsConfigurationPlayNoPart(t *testing.T) {
	b := newBench(t)
	user := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	user("init", "-q")
	b.put("a.txt", "0")
	b.put(".gitignore", "ignored/\n")
	user("add", "-A")
	user("commit", "-qm", "one")
	ran := filepath.Join(b.dir, "ran")
	user("config", "core.fsmonitor", "touch "+ran)
	user("config", "filter.evil.clean", "touch "+ran)
	b.put(".gitattributes", "* filter=evil\n")
	before := user("rev-parse", "HEAD") + user("count-objects")
	index, _ := os.ReadFile(filepath.Join(b.dir, ".git", "index"))
	b.call("c1", anywhere(), func() { b.put("a.txt", "1"); b.put("ignored/x", "y") })
	if steps := b.back(0, false); len(steps) != 1 {
		t.Errorf("%+v", steps)
	}
	b.holds("a.txt", "0")
	b.holds("ignored/x", "y")
	after, _ := os.ReadFile(filepath.Join(b.dir, ".git", "index"))
	if now := user("rev-parse", "HEAD") + user("count-objects"); now != before || !bytes.Equal(index, after) {
		t.Errorf("the user's repository changed: %q, was %q", now, before)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
}

func TestCredentialsNestedRepositoriesAndLargeFilesAreNotKept(t *testing.T) {
	b := newBench(t)
	b.put(".env", "SECRET=hunter2hunter2")
	b.put("large.bin", strings.Repeat("x", maxFile+1))
	b.put("inner/x.txt", "x")
	if out, err := exec.Command("git", "init", "-q", filepath.Join(b.dir, "inner")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.put("a.txt", "0")
	tree, err := b.keeper.repo.snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.keeper.repo.git(context.Background(), nil, "ls-tree", "-r", "--name-only", tree)
	if err != nil || strings.TrimSpace(string(out)) != "a.txt" {
		t.Errorf("kept: %q, %v", out, err)
	}
}

func TestADamagedIndexAndAStaleLockAreMended(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "0")
	b.call("c1", anywhere(), func() { b.put("a.txt", "1") })
	index := filepath.Join(b.keeper.repo.dir, "index")
	for _, path := range []string{index, index + ".lock"} {
		if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.reopen()
	b.call("c2", anywhere(), func() { b.put("a.txt", "2") })
	b.back(0, false)
	b.holds("a.txt", "0")
}

func TestAFileThatBecameAFolderAndBackIsFollowed(t *testing.T) {
	b := newBench(t)
	b.put("a", "file")
	b.call("c1", anywhere(), func() {
		os.Remove(filepath.Join(b.dir, "a"))
		b.put("a/inner.txt", "inside")
	})
	if len(b.records[1].Changes) != 2 {
		t.Errorf("%+v", b.records[1].Changes)
	}
}

func BenchmarkLookingAgainAt2000Files(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		name := filepath.Join(dir, strings.Repeat("d", i%20+1), "f"+strings.Repeat("x", i%100))
		os.MkdirAll(filepath.Dir(name), 0o755)
		os.WriteFile(name, []byte(strings.Repeat("line\n", i%500)), 0o644)
	}
	r := &repository{dir: filepath.Join(b.TempDir(), repositoryName), work: dir, secrets: guard.NewSecrets(guard.SecretOptions{})}
	if _, err := r.snapshot(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.snapshot(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAHomeFolderIsNotLookedThrough(t *testing.T) {
	b := newBench(t)
	t.Setenv("HOME", b.roots.Workspace())
	t.Setenv("USERPROFILE", b.roots.Workspace())
	b.reopen()
	p, note, err := b.keeper.Before(context.Background(), anywhere())
	if p != nil || err != nil || !strings.Contains(note, "home folder") {
		t.Errorf("%v, %q, %v", p, note, err)
	}
	b.put("a.txt", "0")
	b.call("c1", naming("a.txt"), func() { b.put("a.txt", "1") })
	b.back(0, false)
	b.holds("a.txt", "0")
}
