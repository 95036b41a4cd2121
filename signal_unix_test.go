//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleeping is a turn in which a command runs that would never end.
const sleeping = `
[[answer]]
steps = [ { text = "I wait." }, { call = "shell", args = '{"command":"echo $$ > pid; sleep 1000"}' } ]
`

func TestASignalEndsTheProcessItsCommandsAndLeavesALogThatGoesOn(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		b := newCrashBench(t)
		b.write("script.toml", sleeping)
		cmd := exec.Command(os.Args[0], "run", "wait", "--events", "--mode", "full", "--model", "scripted/any", "-C", filepath.Join(b.dir, "work"))
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		session := startedCall(t, bufio.NewScanner(out))
		pid := waitForPID(t, filepath.Join(b.dir, "work", "pid"))
		cmd.Process.Signal(signal)
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v ends the process as %v", signal, err)
		}
		waitUntil(t, "the command is gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
		b.verify(acknowledged{session: session})
		b.goesOn(session)
	}
}

// left is a turn in which one command leaves processes running, two of them one in the other, and the next one runs.
// The next one begins when the one before has been seen to in every way.
const left = `
[[answer]]
steps = [ { call = "shell", args = '{"command":"(sleep 1000 & echo $! > child; wait) >/dev/null 2>&1 & echo $! > left"}' } ]
[[answer]]
steps = [ { call = "shell", args = '{"command":"echo $$ > pid; exec sleep 1000"}' } ]
`

func TestAKilledProgramTakesItsCommandsWithIt(t *testing.T) {
	for name, flags := range map[string][]string{"in full mode": {"--mode", "full"}, "sandboxed": {"--mode", "auto", "--allow", "shell"}} {
		t.Run(name, func(t *testing.T) {
			b := newCrashBench(t)
			b.write("script.toml", left)
			cmd := exec.Command(os.Args[0], append([]string{"run", "wait", "--model", "scripted/any", "-C", filepath.Join(b.dir, "work")}, flags...)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var pids []int
			for _, file := range []string{"left", "child", "pid"} {
				pids = append(pids, waitForPID(t, filepath.Join(b.dir, "work", file)))
			}
			cmd.Process.Kill()
			cmd.Wait()
			for i, pid := range pids {
				waitUntil(t, fmt.Sprintf("process %d of %d is gone", i+1, len(pids)), func() bool { return gone(pid) })
			}
		})
	}
}

// gone reports whether a process has ended; one that nobody has noticed yet has.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// startedCall reads events to the start of the call and returns the session.
func startedCall(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if text := lines.Text(); strings.Contains(text, `"type":"call_started"`) {
			_, rest, _ := strings.Cut(text, `"session":"`)
			return rest[:26]
		}
	}
	t.Fatal("the call never started")
	return ""
}

func waitForPID(t *testing.T, path string) (pid int) {
	t.Helper()
	waitUntil(t, "the command runs", func() bool {
		text, _ := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	})
	return pid
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for look := time.NewTicker(5 * time.Millisecond); !holds(); {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal(fmt.Sprint("waited in vain until ", what))
		}
	}
}
