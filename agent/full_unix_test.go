//go:build unix

package agent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
	"espy/store"
)

// alone runs a test in a process of its own, whose limits nobody else feels, and reports whether this is that one.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "ESPY_TEST_ALONE"
	if os.Getenv(variable) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

// roomFor lets no file of this process grow beyond a size until the returned function is called.
func roomFor(t *testing.T, bytes int64) (lift func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	limit := was
	limit.Cur = uint64(bytes)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	lift = func() { syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) }
	t.Cleanup(lift)
	return lift
}

func (h *house) logSize() int64 {
	h.t.Helper()
	info, err := os.Stat(filepath.Join(h.session.Dir(), "transcript.jsonl"))
	if err != nil {
		h.t.Fatal(err)
	}
	return info.Size()
}

// toldFull checks that an error is one line that says where there is no room.
func (h *house) toldFull(err error) {
	h.t.Helper()
	var full *store.WriteError
	if !errors.As(err, &full) || !full.Full || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), h.session.Dir()) {
		h.t.Errorf("a full disk is told as %v", err)
	}
}

// soundLog closes the session and checks that its log reads without a bad line and holds what was said.
func (h *house) soundLog(want string) {
	h.t.Helper()
	h.stop()
	loaded, err := h.store.Read(h.t.Context(), h.session.ID())
	if err != nil || loaded.Damaged != 0 {
		h.t.Fatalf("%v, %d damaged lines", err, loaded.Damaged)
	}
	if got := shown(projection.NewHistory(loaded.Records).Conversation().Messages); got != want {
		h.t.Errorf("the log says %q, not %q", got, want)
	}
	left, _ := filepath.Glob(filepath.Join(h.session.Dir(), "*", ".part-*"))
	if len(left) > 0 {
		h.t.Errorf("left behind: %v", left)
	}
}

func TestAPromptThatFindsNoRoomIsHandedBackAndSentOnceThereIs(t *testing.T) {
	if !alone(t) {
		return
	}
	h := newHouse(t, guard.ModeFull, say("first answer"), say("third answer"))
	h.send("one")
	h.end()
	lift := roomFor(t, h.logSize()+100)
	h.send("two " + strings.Repeat("x", 500))
	rejected := newest[Rejected](h)
	h.toldFull(rejected.Err)
	if len(rejected.Prompt.Text) != 1 || len(h.stage.requests) != 1 {
		t.Errorf("%+v; %d requests were made", rejected.Prompt, len(h.stage.requests))
	}
	lift()
	h.send("three")
	h.end()
	h.soundLog("one | first answer | three | third answer")
}

func TestAnAnswerThatFindsNoRoomStopsTheTurnAndIsNotAskedForAgain(t *testing.T) {
	if !alone(t) {
		return
	}
	long := strings.Repeat("words ", 500)
	h := newHouse(t, guard.ModeFull, say("first answer"), say(long), say("third answer"))
	h.send("one")
	h.end()
	lift := roomFor(t, h.logSize()+1000)
	h.send("two")
	end := h.end()
	if end.Reason != EndFailed || len(h.stage.requests) != 2 {
		t.Errorf("%+v after %d requests", end, len(h.stage.requests))
	}
	h.toldFull(end.Err)
	lift()
	h.send("three")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("with room again: %+v", end)
	}
	h.soundLog("one | first answer | two | three | third answer")
}

func TestAResultThatFindsNoRoomStopsTheTurnAndTheCallIsAnsweredAllTheSame(t *testing.T) {
	if !alone(t) {
		return
	}
	h := newHouse(t, guard.ModeFull, say("first answer"), want(callOf("1", "shell", `{"command":"seq 2000"}`)), say("third answer"))
	h.send("one")
	h.end()
	lift := roomFor(t, h.logSize()+2000)
	h.send("two")
	end := h.end()
	if end.Reason != EndFailed {
		t.Errorf("%+v", end)
	}
	h.toldFull(end.Err)
	lift()
	h.send("three")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("with room again: %+v", end)
	}
	last := h.stage.request(len(h.stage.requests) - 1)
	if calls, results := pairs(last); calls != 1 || results != 1 {
		t.Errorf("%d calls and %d results are sent", calls, results)
	}
	h.soundLog("one | first answer | two |  | three | third answer")
}

func pairs(req providers.Request) (calls, results int) {
	for _, m := range req.Messages {
		calls += len(message.Message{Blocks: m.Blocks}.Calls())
		results += len(m.Results)
	}
	return calls, results
}

func TestAPictureThatFindsNoRoomLeavesNothingBehind(t *testing.T) {
	if !alone(t) {
		return
	}
	h := newHouse(t, guard.ModeFull, say("first answer"))
	path := h.picture("shot.png", 400, 300)
	lift := roomFor(t, 500)
	_, err := h.intake.AttachPaths(t.Context(), path)
	h.toldFull(err)
	lift()
	h.send("look", h.attach(path))
	h.end()
	h.soundLog(strings.Join([]string{"[image: image/png, 400x300, " + h.agent.Messages()[0].Images()[0].Ref + "]\nlook", "first answer"}, " | "))
}

// smallDisk puts a file system of its own under the state folder; it skips where that takes rights.
func smallDisk(t *testing.T, dir, options string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("mounting a file system takes root on Linux")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
}

func TestAReadOnlyDiskIsToldInOneLineAndWorkGoesOnOnceItCanBeWritten(t *testing.T) {
	h := newHouse(t, guard.ModeFull, say("an answer"))
	smallDisk(t, h.state, "ro")
	h.send("one")
	rejected := newest[Rejected](h)
	if text := fmt.Sprint(rejected.Err); !strings.Contains(text, "read-only file system") || strings.Contains(text, "\n") {
		t.Errorf("it is told as %q", text)
	}
	if out, err := exec.Command("mount", "-o", "remount,rw", h.state).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.send("two")
	h.end()
	h.soundLog("two | an answer")
}

func TestASmallDiskThatFillsUpWithPicturesLosesNoneThatWasTaken(t *testing.T) {
	h := newHouse(t, guard.ModeFull)
	smallDisk(t, h.state, "size=200k")
	h.stage.plays = nil
	var full error
	taken := 0
	for i := range 40 {
		at, err := h.intake.AttachPaths(t.Context(), h.picture(fmt.Sprint("s", i, ".png"), 300+i, 300))
		if err != nil {
			full = err
			break
		}
		h.stage.mu.Lock()
		h.stage.plays = []play{say("seen")}
		h.stage.mu.Unlock()
		h.send("look", at...)
		if end := h.end(); end.Reason != EndDone {
			full = end.Err
			break
		}
		taken++
	}
	if taken == 0 || full == nil {
		t.Fatalf("%d pictures were taken, %v", taken, full)
	}
	h.toldFull(full)
	h.stop()
	session, loaded, err := h.store.Resume(t.Context(), h.session.ID())
	if err != nil || loaded.Damaged != 0 {
		t.Fatalf("%v, %d damaged", err, loaded.Damaged)
	}
	defer session.Close()
	seen := 0
	for _, m := range projection.NewHistory(loaded.Records).Conversation().Messages {
		for _, i := range m.Images() {
			f, err := session.OpenBlob(i.Ref)
			if err != nil {
				t.Error(err)
				continue
			}
			f.Close()
			seen++
		}
	}
	if seen < taken {
		t.Errorf("%d pictures of %d are there", seen, taken)
	}
}

func TestAClockThatMovesBackwardChangesNoOrder(t *testing.T) {
	h := newHouse(t, guard.ModeFull, want(callOf("1", "shell", `{"command":"true"}`)), say("first answer"), say("second answer"))
	now := time.Now()
	backward := func() time.Time { now = now.Add(-time.Hour); return now }
	h.agent.opt.Now, h.agent.log.now = backward, backward
	h.send("one")
	h.end()
	h.send("two")
	h.end()
	h.again(guard.ModeFull, sees(providers.Supported))
	if got := shown(h.agent.Messages()); got != "one |  | first answer | two | second answer" {
		t.Errorf("%q", got)
	}
	h.stage.plays = []play{say("third answer")}
	h.send("three")
	h.end()
	h.soundLog("one |  | first answer | two | second answer | three | third answer")
	list, err := h.store.List(t.Context(), h.dir, 0)
	if err != nil || len(list) != 1 || list[0].Title != "one" {
		t.Errorf("%+v, %v", list, err)
	}
}
