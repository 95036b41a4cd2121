package guard

import (
	"context"
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
