package tools

import (
	"context"
	"errors"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
)

// running is a command that was started. Its life is its own: who waits for it may stop waiting, and it goes on as a
// job until it ends, is stopped, or the session ends.
type running struct {
	args     shellArgs
	dir      string
	out      *capture
	blobs    Blobs // where its output goes
	began    time.Time
	stop     context.CancelCauseFunc // ends it with its children; what it is called with first says why
	limit    *time.Timer             // nil where nothing bounds it
	detached chan struct{}           // closed by Jobs when the person sends it to the background
	done     chan struct{}           // closed when it has ended; what follows is set then
	end      shellEnd
	text     string // what is shown of its output
	ref      string // the blob with the whole
	fault    error  // broken machinery
}

// Why a command was stopped.
var (
	errInterrupt  = errors.New("interrupted")
	errTimeout    = errors.New("timed out")
	errSessionEnd = errors.New("the session ended")
)

// killed is why a job was ended by somebody.
type killed struct{ by string }

func (k *killed) Error() string { return "ended by " + k.by }

// startCommand starts a command in the sandbox, where there is one. The goroutine it starts ends with the command and
// closes done.
func startCommand(ctx context.Context, env *Env, call message.ToolCall, a shellArgs) (*running, error) {
	dir, err := shellFolder(env, a.Cwd)
	if err != nil {
		return nil, err
	}
	own, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	cmd, err := guard.ShellCommand(own, a.Command, dir, commandEnvironment(env))
	if err != nil {
		stop(nil)
		return nil, mistakef("shell: %v", err)
	}
	confined := false
	if env.Confine != nil && !a.Outside {
		if confined, err = env.Confine(cmd); err != nil {
			stop(nil)
			return nil, mistakef("shell: the sandbox could not be prepared: %v", err)
		}
	}
	var progress func(string)
	if env.Progress != nil {
		progress = func(line string) { env.Progress(call.ID, line) }
	}
	blobs := env.Jobs.store(env.Blobs, a.Beside)
	r := &running{args: a, dir: dir, out: newCapture(ctx, blobs, progress), blobs: blobs, stop: stop, began: time.Now(),
		detached: make(chan struct{}), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = r.out, r.out
	cmd.WaitDelay = shellWaitDelay
	if err := cmd.Start(); err != nil {
		stop(nil)
		return nil, mistakef("shell: the command could not be started: %v", err)
	}
	env.Left.Started(cmd.Process)
	if !a.Beside || a.Timeout > 0 {
		r.limit = time.AfterFunc(a.timeout(), func() { stop(errTimeout) })
	}
	go func() {
		defer close(r.done)
		err := cmd.Wait()
		env.Left.Note(cmd.Process)
		r.finish(shellEnd{err: err, code: cmd.ProcessState.ExitCode(), state: cmd.ProcessState.String()}, context.Cause(own), confined)
	}()
	return r, nil
}

// finish takes down how the command ended.
func (r *running) finish(e shellEnd, cause error, confined bool) {
	r.stop(nil)
	if r.limit != nil {
		r.limit.Stop()
	}
	e.took = time.Since(r.began)
	var by *killed
	if e.err != nil {
		e.interrupted, e.timedOut = errors.Is(cause, errInterrupt), errors.Is(cause, errTimeout)
		if errors.As(cause, &by) {
			e.killedBy = by.by
		}
	}
	if errors.Is(cause, errSessionEnd) {
		r.out.abandon()
	} else if r.text, r.ref, r.fault = r.out.finish(); r.fault == nil {
		e.stopped = confined && e.code != 0 && Sandboxed(r.text)
	}
	r.end = e
}

// follow waits for a command's end, and ends it with ctx. It reports whether the person sent it to the background
// instead.
func (r *running) follow(ctx context.Context) (detached bool) {
	select {
	case <-r.done:
		return false
	case <-r.detached:
		if r.limit != nil && !r.limit.Stop() { // it ran out at the same moment
			<-r.done
			return false
		}
		r.out.quiet()
		return true
	case <-ctx.Done():
		r.stop(errInterrupt)
	}
	<-r.done
	return false
}

// goBeside waits a moment for a command that is to go on in the background: one that ends at once never becomes a job.
func (r *running) goBeside(ctx context.Context, env *Env) (Outcome, error) {
	r.out.quiet()
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	select {
	case <-r.done:
	case <-settled.C:
		return env.Jobs.began(env.Jobs.adopt(r, false)), nil
	case <-ctx.Done():
		r.stop(errInterrupt)
		<-r.done
	}
	if r.fault != nil {
		return Outcome{}, r.fault
	}
	return r.end.outcome(r.args, r.text, r.ref), nil
}

// since is what was printed after a total seen before, the unfinished last line with it, and the total to go on from.
func (r *running) since(seen int64) (text string, lost, total int64) {
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	text, lost = r.out.last.since(seen)
	return text + cleanLine(r.out.clean.line), lost, r.out.last.total
}

func (r *running) lastLines(n int) string {
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	return joinLine(r.out.last.lastLines(n), cleanLine(r.out.clean.line))
}

func (r *running) newest() string {
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	if unfinished := strings.TrimSpace(cleanLine(r.out.clean.line)); unfinished != "" {
		return clip(unfinished, maxProgressBytes)
	}
	return r.out.last.newest()
}

// joinLine puts an unfinished line under the others.
func joinLine(lines, unfinished string) string {
	if lines == "" || unfinished == "" {
		return lines + unfinished
	}
	return strings.TrimSuffix(lines, "\n") + "\n" + unfinished
}
