//go:build unix

package guard

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a program the leader of a process group that ends as a whole with its context.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
