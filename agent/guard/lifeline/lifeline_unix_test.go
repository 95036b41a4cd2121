//go:build unix

package lifeline

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parentVariable makes the test binary a program that starts a command, says its number, and waits to be killed.
const parentVariable = "ESPY_TEST_LIFELINE_PARENT"

func TestMain(m *testing.M) {
	Serve()
	if command := os.Getenv(parentVariable); command != "" {
		parent(command)
	}
	os.Exit(m.Run())
}

func parent(command string) {
	cmd := exec.Command("sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	var line Line
	line.Watch(cmd.Process.Pid)
	fmt.Println("watched", line.watcher.Process.Pid)
	text, _ := io.ReadAll(os.Stdin)
	if string(text) == goodbye {
		line.Close()
		os.Exit(0)
	}
}

// program is a running parent, with the numbers of the processes its command printed.
type program struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	pids    []int
	watcher int
}

// startProgram starts a parent whose command prints so many numbers of processes.
func startProgram(t *testing.T, command string, numbers int) *program {
	t.Helper()
	p := &program{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), parentVariable+"="+command)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for (len(p.pids) < numbers || p.watcher == 0) && lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "watched "); ok {
			p.watcher, _ = strconv.Atoi(text)
		} else if pid, err := strconv.Atoi(lines.Text()); err == nil {
			p.pids = append(p.pids, pid)
		}
	}
	if len(p.pids) < numbers || p.watcher == 0 {
		t.Fatalf("it printed %v, and %d watches", p.pids, p.watcher)
	}
	return p
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for look := time.NewTicker(5 * time.Millisecond); !holds(); {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("waited in vain until ", what)
		}
	}
}

// gone reports whether a process has ended; one whose new parent has not noticed yet has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

func TestWhatAKilledProgramStartedEnds(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		numbers int
	}{
		"a command":                           {"echo $$; sleep 1000", 1},
		"a tree":                              {"echo $$; (sleep 1000 & echo $!; wait) & sleep 1000", 2},
		"what a command left behind":          {"sleep 1000 & echo $!", 1},
		"one that does not heed requests":     {"trap '' TERM; sleep 1000 & echo $!; echo $$; wait", 2},
		"one that is stopped":                 {"sleep 1000 & echo $!; kill -STOP $!; echo $$; wait", 2},
		"a group of its own in the session":   {"set -m; sleep 1000 & echo $!", 1},
		"two groups of their own and a shell": {"set -m; sleep 1000 & echo $!; sleep 1000 & echo $!; echo $$; wait", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProgram(t, c.command, c.numbers)
			p.cmd.Process.Kill()
			p.cmd.Wait()
			for _, pid := range append(p.pids, p.watcher) {
				waitUntil(t, fmt.Sprint(pid, " is gone"), func() bool { return gone(pid) })
			}
		})
	}
}

func TestAfterAGoodbyeNothingIsEnded(t *testing.T) {
	p := startProgram(t, "sleep 1000 & echo $!", 1)
	io.WriteString(p.stdin, goodbye)
	p.stdin.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !gone(p.watcher) {
		t.Error("the watcher outlives a goodbye")
	}
	if gone(p.pids[0]) {
		t.Error("what was left running was ended after a goodbye")
	}
	syscall.Kill(p.pids[0], syscall.SIGKILL)
}

func TestAWatcherThatWasKilledIsReplaced(t *testing.T) {
	start := func() *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var line Line
	first := start()
	line.Watch(first.Process.Pid)
	line.watcher.Process.Kill()
	line.watcher.Process.Wait()
	second := start()
	line.Watch(second.Process.Pid)
	if line.watcher == nil || line.watcher.ProcessState != nil || gone(line.watcher.Process.Pid) {
		t.Fatal("nobody watches")
	}
	line.pipe.Close() // as the kernel does for a killed program
	for _, cmd := range []*exec.Cmd{first, second} {
		if err := cmd.Wait(); err == nil {
			t.Errorf("%d ended by itself", cmd.Process.Pid)
		}
	}
	line.Close()
}

func TestANumberThatBelongsToSomebodyElseByNowIsForgotten(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	if bornAt(pid) == unborn {
		t.Skip("births are not known on this system")
	}
	watched := map[int]birth{pid: bornAt(pid)}
	if forget(watched); len(watched) != 1 {
		t.Error("a session that lives was forgotten")
	}
	if watched[pid] = "1"; true {
		forget(watched)
	}
	if len(watched) != 0 {
		t.Error("a session of somebody else is watched")
	}
}

func TestTheWatcherTakesOnlyNumbersOfSessions(t *testing.T) {
	if got := watch(strings.NewReader("x\n-1\n0\n1\n\n99999999999999999999\n")); len(got) != 0 {
		t.Errorf("it would end %v", got)
	}
	if got := watch(strings.NewReader(strconv.Itoa(os.Getpid()) + "\n" + goodbye + "\n")); len(got) != 0 {
		t.Errorf("after a goodbye it would end %v", got)
	}
}
