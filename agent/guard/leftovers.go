package guard

import (
	"os"
	"os/exec"
	"slices"
	"sync"

	"espy/agent/guard/lifeline"
)

// Leftovers are the sessions of commands that run, and of those that ended and left something running, as
// `server &` does. They go on while espy's session does and end with it, also where espy is killed. The zero value
// is ready; it is safe for use from several goroutines.
//
// A session of processes is known by its leader's number, which the system gives to no one else while the session
// has a member. Those that have ended are forgotten at each look, so that their number means nothing here once
// somebody else has it.
type Leftovers struct {
	line     lifeline.Line
	mu       sync.Mutex
	sessions []int
}

// Run runs a command made by ShellCommand or DirectCommand to its end, and keeps what it leaves running.
func (l *Leftovers) Run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	l.Started(cmd.Process)
	defer l.Note(cmd.Process)
	return cmd.Wait()
}

// Started is told of each command as soon as it was started, so that nothing of it outlives this program, however
// that ends. The command was made by ShellCommand or DirectCommand. The program's main must call lifeline.Serve.
func (l *Leftovers) Started(leader *os.Process) {
	if l != nil && leader != nil {
		l.line.Watch(leader.Pid)
	}
}

// Note looks whether anything of a command is left. It has ended.
func (l *Leftovers) Note(leader *os.Process) {
	if l == nil || leader == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions = slices.DeleteFunc(append(l.sessions, leader.Pid), func(session int) bool { return !sessionLives(session) })
}

// End ends what is left, all of it at once, and waits for that: killGrace at the longest.
func (l *Leftovers) End() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	endSessions(l.sessions...)
	l.sessions = nil
	l.line.Close()
}
