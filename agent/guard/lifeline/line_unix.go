//go:build unix

package lifeline

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
)

// Line is a program's hold on what it started. The zero value is ready; it is safe for use from several goroutines.
type Line struct {
	mu       sync.Mutex
	watcher  *exec.Cmd
	pipe     io.WriteCloser
	sessions []int
}

// Watch sees to it that what runs in a command's session ends with this program. The command was started with
// Setsid. The program's main must call Serve. Without a watcher, where none can be started, nothing is watched.
func (l *Line) Watch(leader int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.pipe != nil && l.tell(leader) // first of all: the command runs already
	l.sessions = append(slices.DeleteFunc(l.sessions, func(s int) bool { return !Lives(s) }), leader)
	if told {
		return
	}
	l.release() // there was none yet, or somebody killed it
	if l.start() == nil {
		l.tell(l.sessions...)
	}
}

// Close says goodbye: from here on nothing is ended. It waits for the watcher.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pipe != nil {
		_, _ = io.WriteString(l.pipe, goodbye+"\n") // a watcher that is gone ends nothing either
	}
	l.release()
	l.sessions = nil
}

func (l *Line) tell(sessions ...int) bool {
	for _, s := range sessions {
		if _, err := fmt.Fprintln(l.pipe, s); err != nil {
			return false
		}
	}
	return true
}

// start starts the watcher: in a session of its own, which no signal to ours reaches, with no variable of ours, and
// in no folder that somebody may want to remove.
func (l *Line) start() error {
	program, err := itself()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, watcherArgument)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	l.watcher, l.pipe = cmd, pipe
	return nil
}

// release lets go of the watcher and waits for it: it reads the end of its pipe at once.
func (l *Line) release() {
	if l.pipe == nil {
		return
	}
	_ = l.pipe.Close()
	_ = l.watcher.Wait()
	l.watcher, l.pipe = nil, nil
}

// itself is the running program.
func itself() (string, error) {
	const linux = "/proc/self/exe" // also after its file was replaced by a newer version
	if _, err := os.Stat(linux); err == nil {
		return linux, nil
	}
	return os.Executable()
}
