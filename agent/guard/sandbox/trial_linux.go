package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// trialArgument is the first argument that makes the program a command on trial.
const trialArgument = "--sandbox-trial"

// try runs one command in the namespaces that looks whether they hold what they promise, so that a system on which
// they do not is known before anything depends on them.
func (s *spaces) try() error {
	dir, err := os.MkdirTemp("", "espy-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kept, shut := filepath.Join(dir, "kept"), filepath.Join(dir, "shut")
	if err := errors.Join(os.WriteFile(kept, []byte("kept"), 0o600), os.WriteFile(shut, []byte("shut"), 0o600)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), makerWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, itself, trialArgument, kept, shut)
	cmd.Dir, cmd.Env = "/", []string{}
	if err := s.confine(cmd, Policy{Write: []string{dir}, Keep: []string{kept}, Shut: []string{shut}}); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("a trial of them: %w %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// serveTrial is the command on trial.
func serveTrial(kept, shut string) {
	text, _ := os.ReadFile(shut)
	err := tryLoopback()
	if f, opened := os.OpenFile(kept, os.O_WRONLY, 0); !errors.Is(opened, syscall.EROFS) {
		err = errors.Join(err, fmt.Errorf("what is kept opens for writing: %w", opened))
		f.Close()
	}
	if len(text) > 0 {
		err = errors.Join(err, errors.New("what is shut can be read"))
	}
	if err != nil {
		fmt.Println(strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	os.Exit(0)
}
