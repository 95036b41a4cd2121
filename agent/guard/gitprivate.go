package guard

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// privateSettings make a repository of espy's own keep bytes as they are and cost little: nothing is converted,
// objects are synced once a batch, and only their owner may read them.
var privateSettings = []string{
	"core.bare=false", "core.autocrlf=false", "core.safecrlf=false", "core.compression=1", "core.fsync=loose-object,index", "core.fsyncMethod=batch",
	"core.sharedRepository=0600", "core.logAllRefUpdates=false", "index.threads=1",
}

// PrivateGit runs git on a repository of espy's own, under the settings and bounds of Git. Its folder is gitDir
// and it looks at the files of workTree; the repository that workTree may be in, its configuration and its hooks
// play no part.
func PrivateGit(ctx context.Context, gitDir, workTree string, stdin io.Reader, args ...string) ([]byte, error) {
	if len(args) == 0 {
		return nil, errors.New("git needs a command")
	}
	var full []string
	for _, setting := range append(append([]string(nil), gitSettings...), privateSettings...) {
		full = append(full, "-c", setting)
	}
	full = append(append(full, "--no-pager"), args...)
	cmd := exec.CommandContext(ctx, "git", full...)
	cmd.Dir, cmd.Stdin = workTree, stdin
	cmd.Env = append(gitEnvironment(os.Environ()), "GIT_DIR="+gitDir)
	if args[0] != "init" { // which would write the work tree down
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+workTree)
	}
	if args[0] == "ls-files" { // the one command that asks which files the user ignores
		settings := userSettings(ctx)
		cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
		for i, s := range settings {
			n := strconv.Itoa(i)
			cmd.Env = append(cmd.Env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
		}
	}
	return finishGit(ctx, cmd, full)
}
