//go:build unix

package guard

import (
	"os/exec"
	"syscall"

	"espy/agent/guard/lifeline"
)

// ownGroup makes a program the leader of a process group that ends as a whole with its context.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithThisProgram(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// ownSession makes a program the leader of a session without a terminal, which ends as a whole with its context:
// SIGTERM and, a moment later, SIGKILL.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	endWithThisProgram(cmd.SysProcAttr)
	cmd.Cancel = func() error { endSessions(cmd.Process.Pid); return nil }
	cmd.WaitDelay = killGrace + gitWait
}

func sessionLives(session int) bool { return lifeline.Lives(session) }

func endSessions(sessions ...int) { lifeline.End(sessions...) }
