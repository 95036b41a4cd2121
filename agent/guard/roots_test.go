package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a workspace with a neighbour folder that must stay closed.
type world struct {
	t         testing.TB
	base      string // holds ws, out and home
	ws, out   string
	home      string
	roots     *Roots
	secrets   *Secrets
	forbidden string // what the outside file holds
}

func newWorld(t testing.TB, trusted ...string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, base: base, ws: filepath.Join(base, "ws"), out: filepath.Join(base, "out"), home: filepath.Join(base, "home"), forbidden: "FORBIDDEN-CANARY"}
	w.write("ws/a.txt", "inside")
	w.write("ws/dir/b.txt", "inside b")
	w.write("out/secret.txt", w.forbidden)
	w.write("out/dir/deep.txt", w.forbidden)
	w.write("home/.ssh/id_rsa", w.forbidden)
	w.secrets = NewSecrets(SecretOptions{Home: w.home, Own: []string{filepath.Join(base, "state")}})
	for i := range trusted {
		trusted[i] = filepath.Join(base, trusted[i])
	}
	w.roots, err = NewRoots(w.ws, trusted, w.secrets)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.roots.Close() })
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.base, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(target, name string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) (string, Path, error) {
	f, p, err := w.roots.Open(name)
	if err != nil {
		return "", p, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), p, err
}

func fault(err error) PathFault {
	var pe *PathError
	if errors.As(err, &pe) {
		return pe.Kind
	}
	return ""
}

func TestNamesInsideTheRootsOpenUnderEverySpelling(t *testing.T) {
	w := newWorld(t, "shots")
	w.write("shots/one.png", "shot")
	if _, err := w.roots.AddTrusted(w.path("shots")); err != nil {
		t.Fatal(err)
	}
	w.link("dir/b.txt", "ws/relative")
	w.link(w.path("ws/dir/b.txt"), "ws/absolute")
	w.link("../../ws/dir/b.txt", "ws/dir/around")
	w.link(w.path("shots"), "ws/shots")
	w.link("relative", "ws/chain")
	cases := map[string]struct{ name, text, display string }{
		"plain":               {"a.txt", "inside", "a.txt"},
		"dotted":              {"./dir/../a.txt", "inside", "a.txt"},
		"absolute":            {w.path("ws/a.txt"), "inside", "a.txt"},
		"out and back":        {"../ws/a.txt", "inside", "a.txt"},
		"relative link":       {"relative", "inside b", "dir/b.txt"},
		"absolute link":       {"absolute", "inside b", "dir/b.txt"},
		"link out and back":   {"dir/around", "inside b", "dir/b.txt"},
		"chain of links":      {"chain", "inside b", "dir/b.txt"},
		"link to trusted":     {"shots/one.png", "shot", w.path("shots/one.png")},
		"trusted by its name": {w.path("shots/one.png"), "shot", w.path("shots/one.png")},
	}
	for name, c := range cases {
		text, p, err := w.read(c.name)
		if err != nil || text != c.text || p.Display != c.display {
			t.Errorf("%s: got %q as %q, %v; want %q as %q", name, text, p.Display, err, c.text, c.display)
		}
	}
}

func TestAWorkspaceReachedThroughALinkWorksUnderBothNames(t *testing.T) {
	w := newWorld(t)
	w.link(w.ws, "alias")
	roots, err := NewRoots(w.path("alias"), nil, w.secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer roots.Close()
	for _, name := range []string{"a.txt", w.path("alias/a.txt"), w.path("ws/a.txt")} {
		f, p, err := roots.Open(name)
		if err != nil || p.Display != "a.txt" || p.Abs != w.path("ws/a.txt") {
			t.Errorf("%s: %v %v", name, p, err)
			continue
		}
		f.Close()
	}
}

func TestAnEditThroughALinkWritesItsTargetAndKeepsTheMode(t *testing.T) {
	w := newWorld(t)
	w.write("ws/run.sh", "old")
	if err := os.Chmod(w.path("ws/run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	w.link("run.sh", "ws/link")
	p, err := w.roots.WriteFile("link", []byte("new"))
	if err != nil || p.Display != "run.sh" {
		t.Fatalf("%v %v", p, err)
	}
	info, err := os.Lstat(w.path("ws/link"))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Fatalf("the link was replaced: %v %v", info.Mode(), err)
	}
	got, _ := os.ReadFile(w.path("ws/run.sh"))
	info, _ = os.Stat(w.path("ws/run.sh"))
	if string(got) != "new" || info.Mode().Perm() != 0o751 {
		t.Fatalf("got %q %v", got, info.Mode())
	}
}

func TestWritingMakesMissingFoldersAndLeavesNothingBeside(t *testing.T) {
	w := newWorld(t)
	if _, err := w.roots.WriteFile("new/deep/file.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	entries, p, err := w.roots.ReadDir("new/deep")
	if err != nil || len(entries) != 1 || entries[0].Name() != "file.txt" || p.Display != "new/deep" {
		t.Fatalf("%v %v %v", entries, p, err)
	}
	if _, err := w.roots.WriteFile("dir", []byte("x")); fault(err) != FaultFolder {
		t.Fatalf("writing over a folder: %v", err)
	}
	w.write("ws/fixed.txt", "x")
	os.Chmod(w.path("ws/fixed.txt"), 0o444)
	if _, err := w.roots.WriteFile("fixed.txt", []byte("y")); fault(err) != FaultUnreadable {
		t.Fatalf("writing over a read-only file: %v", err)
	}
}

func TestWalkStaysInsideAndEndsWhenItsContextDoes(t *testing.T) {
	w := newWorld(t)
	w.link(w.out, "ws/leads-out")
	w.link("a.txt", "ws/leads-in")
	w.link(".", "ws/loop")
	w.write("ws/.ssh/id_rsa", w.forbidden)
	var seen []string
	err := w.roots.Walk(context.Background(), ".", func(p Path, _ fs.DirEntry) error {
		seen = append(seen, p.Display)
		return nil
	})
	want := []string{".ssh", "a.txt", "dir", "dir/b.txt", "leads-in", "loop"}
	if err != nil || !slices.Equal(seen, want) {
		t.Fatalf("saw %v, %v; want %v", seen, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.roots.Walk(ctx, ".", func(Path, fs.DirEntry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled walk returned %v", err)
	}
}

func TestRefusalsSayWhatWasFoundAndWhatToDo(t *testing.T) {
	w := newWorld(t)
	w.link(w.path("out/secret.txt"), "ws/leak")
	_, _, err := w.read("leak")
	for _, part := range []string{"leak", w.path("out/secret.txt"), "/trust add"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not mention %s", err, part)
		}
	}
	_, _, err = w.read("none\x1b]52;c;x\x07.png")
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07") {
		t.Errorf("an escape sequence in a name reaches the screen: %q", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is not fs.ErrNotExist: %v", err)
	}
}
