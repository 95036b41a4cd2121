package clipboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// run starts a helper program and returns what it wrote. The helper runs in a process group of its own, all
// of which is killed when ctx ends or the helper writes more than it may. Exit 0 with nothing written is not
// an error here; callers decide.
func (e Env) run(ctx context.Context, stdin []byte, name string, args ...string) ([]byte, error) {
	path, err := e.LookPath(name)
	if err != nil {
		return nil, errNotInstalled
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := e.command(ctx, path, args...)
	out := &bounded{limit: maxOutputBytes, full: func() { cancel(errTooMuch) }}
	complaint := &bounded{limit: maxStderrBytes}
	cmd.Stdout, cmd.Stderr = out, complaint
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrWaitDelay) {
			_ = cmd.Cancel() // it ended, its children did not
		}
		return nil, explain(ctx, err, complaint.buf.String())
	}
	return out.buf.Bytes(), nil
}

func (e Env) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = e.childEnv()
	cmd.WaitDelay = reapDelay
	ownGroup(cmd)
	return cmd
}

// childEnv is this process's environment with the session's variables as Env sees them.
func (e Env) childEnv() []string {
	ours := []string{"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XAUTHORITY"}
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(ours, name)
	})
	for _, name := range ours {
		if value := e.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if e.GOOS == "darwin" {
		env = append(env, "LC_CTYPE=UTF-8") // pbcopy and pbpaste spoil accents without it
	}
	return env
}

// explain turns how a helper ended into why: the deadline, the flood, or its own words.
func explain(ctx context.Context, err error, complaint string) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var exit *exec.ExitError
	if line, _, _ := strings.Cut(strings.TrimSpace(complaint), "\n"); errors.As(err, &exit) && line != "" {
		return fmt.Errorf("%q (%w)", line, err)
	}
	return err
}

// bounded keeps what is written up to a limit. Beyond it, with full set, writing fails and full is called;
// without, the rest is dropped.
//
// The buffer is not embedded: its ReadFrom would take everything past the bound.
type bounded struct {
	buf   bytes.Buffer
	limit int
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.buf.Len()
	if len(p) <= room {
		return b.buf.Write(p)
	}
	if b.full != nil {
		b.full()
		return 0, io.ErrShortBuffer
	}
	b.buf.Write(p[:room])
	return len(p), nil
}
