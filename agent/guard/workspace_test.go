package guard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(ws Workspace) []string {
	var list []string
	for _, f := range ws.Files {
		list = append(list, f.Display)
	}
	return list
}

func TestInstructionsAreReadFromTheRepositoryRootDownAndNoHigher(t *testing.T) {
	w := newWorld(t)
	w.write("home/AGENTS.md", "home")
	w.write("home/src/AGENTS.md", "above")
	w.write("home/src/repo/.git/HEAD", "ref")
	w.write("home/src/repo/AGENTS.md", "root")
	w.write("home/src/repo/CLAUDE.md", "not read: AGENTS.md is there")
	w.write("home/src/repo/pkg/CLAUDE.md", "package")
	w.write("home/src/repo/pkg/sub/x", "")
	w.write("home/src/repo/pkg/sub/.espy/config.toml", "mode = 'ask'")
	w.write("home/src/repo/pkg/sub/.espy/tools/a.toml", "x")
	cases := map[string][]string{
		"home/src/repo/pkg/sub": {"../../AGENTS.md", "../CLAUDE.md", ".espy/config.toml", ".espy/tools/a.toml"},
		"home/src/repo":         {"AGENTS.md"},
		"home/src":              {"AGENTS.md"},
		"home":                  {"AGENTS.md"},
		"out":                   nil,
	}
	for dir, want := range cases {
		ws, err := WorkspaceFiles(context.Background(), w.path(dir), w.secrets)
		if err != nil || !slices.Equal(names(ws), want) {
			t.Errorf("%s: %q %v, want %q", dir, names(ws), err, want)
		}
		if (ws.Digest == "") != (len(want) == 0) {
			t.Errorf("%s: digest %q", dir, ws.Digest)
		}
	}
	w.write("home/.git/HEAD", "ref")
	if ws, _ := WorkspaceFiles(context.Background(), w.path("home/src"), w.secrets); !slices.Equal(names(ws), []string{"AGENTS.md"}) {
		t.Errorf("a repository in the home folder speaks for what lies below: %q", names(ws))
	}
}

func TestTheDigestChangesWithAnythingThatWouldBeUsed(t *testing.T) {
	w := newWorld(t)
	take := func() string {
		ws, err := WorkspaceFiles(context.Background(), w.ws, w.secrets)
		if err != nil {
			t.Fatal(err)
		}
		return ws.Digest
	}
	seen := []string{take()}
	changes := []func(){
		func() { w.write("ws/AGENTS.md", "one") }, func() { w.write("ws/AGENTS.md", "two") }, func() { w.write("ws/.espy/x", "") }, func() { os.Rename(w.path("ws/.espy/x"), w.path("ws/.espy/y")) },
		func() { w.write("ws/.espy/tools/big", strings.Repeat("x", maxInstructionBytes+5)+"a") }, func() { w.write("ws/.espy/tools/big", strings.Repeat("x", maxInstructionBytes+5)+"b") }, func() { os.Remove(w.path("ws/AGENTS.md")); w.write("ws/CLAUDE.md", "two") },
	}
	for i, change := range changes {
		change()
		now := take()
		if slices.Contains(seen, now) {
			t.Errorf("change %d is not seen", i)
		}
		seen = append(seen, now)
	}
	if take() != seen[len(seen)-1] {
		t.Error("the digest is not steady")
	}
}

func TestInstructionFilesThatLeadOutAreLeftOutWithASentence(t *testing.T) {
	w := newWorld(t)
	w.link(w.path("out/secret.txt"), "ws/AGENTS.md")
	w.link(w.path("out/dir"), "ws/.espy/tools")
	w.write("ws/.espy/.env", w.forbidden)
	w.write("ws/.espy/ok.toml", "x")
	ws, err := WorkspaceFiles(context.Background(), w.ws, w.secrets)
	if err != nil || !slices.Equal(names(ws), []string{".espy/ok.toml"}) || len(ws.Problems) < 2 {
		t.Errorf("%q %v %q", names(ws), err, ws.Problems)
	}
	os.Remove(w.path("ws/AGENTS.md"))
	w.write("ws/AGENTS.md", strings.Repeat("x", maxInstructionBytes+1))
	ws, _ = WorkspaceFiles(context.Background(), w.ws, w.secrets)
	if f := ws.Files[0]; len(f.Data) != maxInstructionBytes || !f.Truncated || !strings.Contains(strings.Join(ws.Problems, "\n"), "256 KiB") {
		t.Errorf("%d bytes, %q", len(f.Data), ws.Problems)
	}
	os.RemoveAll(w.path("ws/.espy"))
	w.link(w.out, "ws/.espy")
	if ws, _ = WorkspaceFiles(context.Background(), w.ws, w.secrets); len(ws.Files) != 1 {
		t.Errorf("a linked .espy is read: %q", names(ws))
	}
	if _, err := WorkspaceFiles(context.Background(), filepath.Join(w.base, "none"), nil); err == nil {
		t.Error("a missing workspace is no error")
	}
}
