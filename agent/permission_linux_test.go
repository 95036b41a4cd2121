package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"espy/agent/guard"
)

// ordinary makes this process an ordinary user's, whom modes keep out; call it in a process of its own.
func ordinary(t *testing.T) {
	t.Helper()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return
	}
	if err := syscall.Setresgid(nobody, nobody, nobody); err != nil {
		t.Skip(err)
	}
	if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "espy-ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Setenv("HOME", dir)
	t.Cleanup(func() { os.RemoveAll(dir) })
}

func mode(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// toldForbidden checks that an error is one line that says where something could not be written, and why.
func (h *house) toldForbidden(err error) {
	h.t.Helper()
	text := fmt.Sprint(err)
	if !strings.Contains(text, "permission denied") || !strings.Contains(text, h.session.Dir()) || strings.Contains(text, "\n") {
		h.t.Errorf("a lost permission is told as %q", text)
	}
}

func TestAPromptThatMayNotBeWrittenIsHandedBackAndSentOnceItMay(t *testing.T) {
	if !alone(t) {
		return
	}
	ordinary(t)
	h := newHouse(t, guard.ModeFull, say("first answer"), say("third answer"))
	h.send("one")
	h.end()
	mode(t, h.session.Dir(), 0)
	h.send("two")
	rejected := newest[Rejected](h)
	h.toldForbidden(rejected.Err)
	if len(rejected.Prompt.Text) != 1 || len(h.stage.requests) != 1 {
		t.Errorf("%+v; %d requests were made", rejected.Prompt, len(h.stage.requests))
	}
	mode(t, h.session.Dir(), 0o700)
	h.send("three")
	h.end()
	h.soundLog("one | first answer | three | third answer")
}

func TestAPermissionLostInTheMiddleOfATurnStopsItAndTheNextGoesOn(t *testing.T) {
	if !alone(t) {
		return
	}
	ordinary(t)
	h := newHouse(t, guard.ModeFull, say("first answer"))
	h.send("one")
	h.end()
	h.stage.plays = []play{want(callOf("1", "shell", fmt.Sprintf(`{"command":"chmod 0 '%s'"}`, h.session.Dir()))), say("third answer")}
	h.send("two")
	end := h.end()
	if end.Reason != EndFailed || len(h.stage.requests) != 2 {
		t.Errorf("%+v after %d requests", end, len(h.stage.requests))
	}
	h.toldForbidden(end.Err)
	mode(t, h.session.Dir(), 0o700)
	h.send("three")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("with permission again: %+v", end)
	}
	if calls, results := pairs(h.stage.request(len(h.stage.requests) - 1)); calls != 1 || results != 1 {
		t.Errorf("%d calls and %d results are sent", calls, results)
	}
	h.soundLog("one | first answer | two |  | three | third answer")
}

func TestAStoredFileThatMayNotBeWrittenStopsTheTurnAndAPictureIsRefused(t *testing.T) {
	if !alone(t) {
		return
	}
	ordinary(t)
	h := newHouse(t, guard.ModeFull, want(callOf("1", "shell", `{"command":"seq 20000"}`)), say("first answer"), want(callOf("2", "shell", `{"command":"seq 30000"}`)), say("third answer"))
	h.send("one")
	h.end()
	path := h.picture("shot.png", 400, 300)
	blobs := filepath.Join(h.session.Dir(), "blobs")
	mode(t, blobs, 0o500)
	mode(t, h.session.Dir(), 0o500)
	h.send("two")
	end := h.end()
	if end.Reason != EndFailed {
		t.Errorf("%+v", end)
	}
	h.toldForbidden(end.Err)
	if _, err := h.intake.AttachPaths(t.Context(), path); err == nil {
		t.Error("a picture was taken that could not be stored")
	} else {
		h.toldForbidden(err)
	}
	mode(t, h.session.Dir(), 0o700)
	mode(t, blobs, 0o700)
	h.send("three", h.attach(path))
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("with permission again: %+v", end)
	}
	h.stop()
	loaded, err := h.store.Read(t.Context(), h.session.ID())
	if err != nil || loaded.Damaged != 0 {
		t.Errorf("%v, %d damaged lines", err, loaded.Damaged)
	}
	if left, _ := filepath.Glob(filepath.Join(h.session.Dir(), "*", ".part-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestADiskThatTurnsReadOnlyInTheMiddleOfASessionStopsTheTurnAndTheNextGoesOn(t *testing.T) {
	h := newHouse(t, guard.ModeFull, want(callOf("1", "shell", `{"command":"seq 20000"}`)), say("first answer"), want(callOf("2", "shell", `{"command":"seq 30000"}`)), say("third answer"))
	h.send("one")
	h.end()
	blobs := filepath.Join(h.session.Dir(), "blobs")
	smallDisk(t, blobs, "size=10m")
	if out, err := exec.Command("mount", "-o", "remount,ro", blobs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.send("two")
	end := h.end()
	if text := fmt.Sprint(end.Err); end.Reason != EndFailed || !strings.Contains(text, "read-only file system") || strings.Contains(text, "\n") {
		t.Errorf("%+v, told as %q", end, text)
	}
	if out, err := exec.Command("umount", blobs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.send("three")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("once it can be written: %+v", end)
	}
}
