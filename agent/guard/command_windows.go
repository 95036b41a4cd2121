package guard

import (
	"context"
	"errors"
	"os/exec"
)

func shellCandidates() []Shell { return []Shell{{Path: "bash.exe"}} }

// ShellCommand prepares a judged command to be run in bash; without bash it returns ErrNoShell, since what
// cmd.exe or PowerShell would do with a text is not judged.
func ShellCommand(ctx context.Context, command, dir string, env []string) (*exec.Cmd, error) {
	shell, err := FindShell()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, shell.Path, shell.arguments(command)...)
	cmd.Dir = dir
	cmd.Env = startClean(env)
	cmd.WaitDelay = killGrace + gitWait
	return cmd, nil
}

// DirectCommand prepares a program with its arguments, run without any shell. env is its whole environment.
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
	cmd.WaitDelay = killGrace + gitWait
	return cmd, nil
}

// groupLives: without sessions what a command leaves running cannot be told from anything else.
func groupLives(int) bool { return false }

func endGroup(int) error { return nil }
