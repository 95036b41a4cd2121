//go:build unix

package guard

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

func shellCandidates() []Shell {
	return []Shell{{Path: "bash"}, {Path: "/bin/bash"}, {Path: "sh", Posix: true}}
}

// ShellCommand prepares a judged command to be run: the shell and the text that were judged, no start-up
// files, its own session without a terminal. env is the whole environment, made
// by CommandEnvironment; nil is espy's own, cleaned. The standard input is empty.
//
// When ctx ends, everything in its session's group gets SIGTERM and, two seconds later, SIGKILL. The caller
// sets Stdout and Stderr and calls Run, or Start and Wait; output that a stray child keeps open is cut off
// shortly after.
func ShellCommand(ctx context.Context, command, dir string, env []string) (*exec.Cmd, error) {
	shell, err := FindShell()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, shell.Path, shell.arguments(command)...)
	cmd.Dir = dir
	cmd.Env = startClean(env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace + gitWait
	return cmd, nil
}

// endGroup asks a group to end and makes it. It returns when the group is gone or was killed.
func endGroup(group int) error {
	if err := syscall.Kill(-group, syscall.SIGTERM); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		return err
	}
	ticker := time.NewTicker(killPoll)
	defer ticker.Stop()
	for deadline := time.Now().Add(killGrace); time.Now().Before(deadline); <-ticker.C {
		if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
			return nil
		}
	}
	if err := syscall.Kill(-group, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// DirectCommand prepares a program with its arguments, run without any shell, in its own session and ended as
// ShellCommand's are. env is its whole environment.
func DirectCommand(ctx context.Context, argv []string, dir string, env []string) (*exec.Cmd, error) {
	if len(argv) == 0 {
		return nil, errors.New("there is no program to run")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	cmd.Dir = dir
	cmd.Env = startClean(env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace + gitWait
	return cmd, nil
}

func groupLives(group int) bool { return syscall.Kill(-group, 0) == nil }
