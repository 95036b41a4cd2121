//go:build unix

package clipboard

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// openFlags keep opening from blocking on a FIFO and from taking a terminal.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// ownGroup puts a helper in a session of its own, away from the terminal, and kills the whole group of it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
