//go:build unix

package tools_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/tools/toolstest"
)

func TestWhatACommandLeavesRunningEndsWithTheSession(t *testing.T) {
	w := toolstest.New(t)
	w.Env.Left = &guard.Leftovers{}
	for _, command := range []string{
		"(sleep 300 >/dev/null 2>&1 & echo $! > pid1)",
		"trap '' TERM; (sleep 300 >/dev/null 2>&1 & echo $! > pid2)",
	} {
		if out := w.Call("shell", map[string]any{"command": command}); out.Result.IsError {
			t.Fatal(out.Result.Text)
		}
	}
	w.Call("shell", map[string]any{"command": "true"})
	var left []int
	for _, name := range []string{"pid1", "pid2"} {
		text, err := os.ReadFile(w.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		if pid < 2 || syscall.Kill(pid, 0) != nil {
			t.Fatalf("nothing was left running as %d", pid)
		}
		left = append(left, pid)
	}
	w.Env.Left.End()
	for _, pid := range left {
		for deadline := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				syscall.Kill(pid, syscall.SIGKILL)
				t.Fatalf("%d outlived the session", pid)
			}
		}
	}
}

// alive reports whether a process runs; one that only waits to be reaped by its new parent does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestACommandThatASignalEndsHasNoExitCode(t *testing.T) {
	out := toolstest.New(t).Call("shell", map[string]any{"command": "kill -KILL $$"})
	if code, named := out.Result.Meta["exit"]; named || !strings.Contains(out.Result.Meta["summary"], "signal: killed") {
		t.Errorf("exit %q, summary %q", code, out.Result.Meta["summary"])
	}
}
