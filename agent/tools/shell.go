package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
)

type shellArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout_seconds"`
	Cwd     string `json:"cwd"`
	Outside bool   `json:"outside_sandbox"`
}

func shellTool() Tool {
	return declaration[shellArgs]{
		name: "shell",
		params: params{
			{name: "command", kind: "string", required: true, about: "Bash command line."},
			{name: "timeout_seconds", kind: "integer", least: 1, most: int(maxShellTimeout / time.Second), about: "Killed after this long; 120 unless given, 600 at most."},
			{name: "cwd", kind: "string", about: "Folder to run in; the workspace unless given."},
			{name: "outside_sandbox", kind: "boolean", about: "Run without the sandbox, where one is on. The person is asked."},
		},
		effect: shellEffect,
		run:    runShell,
	}.tool()
}

func shellEffect(env *Env, a shellArgs) (guard.Effect, error) {
	if err := a.check(); err != nil {
		return guard.Effect{}, err
	}
	effect := guard.Effect{Kind: guard.KindExec, Command: a.Command, Outside: a.Outside, Preview: a.Command, Summary: "shell: " + oneLine(a.Command)}
	if a.Cwd != "" {
		effect.Paths = []string{effectPath(env, a.Cwd)}
		effect.Summary = "shell in " + effect.Paths[0] + ": " + oneLine(a.Command)
	}
	return effect, nil
}

func (a shellArgs) check() error {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return mistakef("shell: the command is empty")
	case strings.ContainsRune(a.Command, 0):
		return mistakef("shell: the command holds a zero byte, which no shell takes")
	}
	return nil
}

func (a shellArgs) timeout() time.Duration {
	if a.Timeout == 0 {
		return defaultShellTimeout
	}
	return time.Duration(a.Timeout) * time.Second
}

// oneLine is the first line of a command, for a summary.
func oneLine(command string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if strings.TrimSpace(more) != "" {
		line += " …"
	}
	return clip(line, 100)
}

func runShell(ctx context.Context, env *Env, call message.ToolCall, a shellArgs) (Outcome, error) {
	if err := a.check(); err != nil {
		return Outcome{}, err
	}
	dir, err := shellFolder(env, a.Cwd)
	if err != nil {
		return Outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, a.timeout())
	defer cancel()
	cmd, err := guard.ShellCommand(limited, a.Command, dir, commandEnvironment(env))
	if err != nil {
		return Outcome{}, mistakef("shell: %v", err)
	}
	confined := false
	if env.Confine != nil && !a.Outside {
		if confined, err = env.Confine(cmd); err != nil {
			return Outcome{}, mistakef("shell: the sandbox could not be prepared: %v", err)
		}
	}
	var progress func(string)
	if env.Progress != nil {
		progress = func(lines string) { env.Progress(call.ID, lines) }
	}
	out := newCapture(ctx, env.Blobs, progress)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = shellWaitDelay
	began := time.Now()
	waitErr := env.Left.Run(cmd)
	took := time.Since(began)
	text, ref, err := out.finish()
	if err != nil {
		return Outcome{}, err
	}
	if cmd.ProcessState == nil {
		return Outcome{}, mistakef("shell: the command could not be started: %v", waitErr)
	}
	end := shellEnd{err: waitErr, code: cmd.ProcessState.ExitCode(), state: cmd.ProcessState.String(), took: took}
	end.stopped = confined && end.code != 0 && sandboxed(text)
	end.interrupted = ctx.Err() != nil && waitErr != nil
	end.timedOut = !end.interrupted && limited.Err() != nil && waitErr != nil
	return end.outcome(a, text, ref), nil
}

// commandEnvironment is what commands are given; colours are off, for they are removed anyway.
func commandEnvironment(env *Env) []string {
	environ := env.Environ
	if environ == nil {
		environ = guard.CommandEnvironment(os.Environ(), nil, nil)
	}
	return append(slices.Clone(environ), "NO_COLOR=1")
}

func shellFolder(env *Env, cwd string) (string, error) {
	if cwd == "" {
		return env.Workspace, nil
	}
	at, err := locate(env, cwd)
	if err != nil {
		return "", err
	}
	if !at.info.IsDir() {
		return "", mistakef("shell: cwd must be a folder, and %s is a file", quoteName(at.Display))
	}
	return filepath.Clean(at.Abs), nil
}

// shellEnd is how a command came to its end.
type shellEnd struct {
	err         error
	code        int    // -1 where a signal ended it
	state       string // in the system's words: "exit status 1", "signal: killed"
	took        time.Duration
	interrupted bool
	timedOut    bool
	stopped     bool // it looks as if the sandbox kept it from something
}

func (e shellEnd) sentence(a shellArgs) string {
	switch {
	case e.interrupted:
		return fmt.Sprintf("[interrupted by the person after %s; the command and its children were killed]", seconds(e.took))
	case e.timedOut:
		return fmt.Sprintf("[timed out after %s; the command and its children were killed. Give a larger timeout_seconds (at most %d), or run it in the background]", seconds(a.timeout()), int(maxShellTimeout/time.Second))
	case errors.Is(e.err, exec.ErrWaitDelay):
		return fmt.Sprintf("[exit code %d; a background process goes on and still holds the output, of which nothing more is collected]", e.code)
	case e.code < 0:
		return "[ended by " + e.state + "]"
	}
	return fmt.Sprintf("[exit code %d]", e.code)
}

func (e shellEnd) outcome(a shellArgs, text, ref string) Outcome {
	if text == "" {
		text = "(no output)"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	what := fmt.Sprintf("exit %d", e.code)
	switch {
	case e.interrupted:
		what = "interrupted"
	case e.timedOut:
		what = "timed out"
	}
	exit := strconv.Itoa(e.code)
	if e.code < 0 { // a signal ended it: there is no exit code
		exit = ""
		if !e.interrupted && !e.timedOut {
			what = e.state
		}
	}
	end := e.sentence(a)
	if e.stopped {
		end += "\n" + sandboxNote
	}
	out := answer(text+end,
		message.MetaSummary, oneLine(a.Command)+" ("+what+")",
		message.MetaExit, exit,
		message.MetaMillis, strconv.FormatInt(e.took.Milliseconds(), 10),
		message.MetaBlob, ref)
	out.Result.IsError = e.code != 0 || e.interrupted || e.timedOut
	return out
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.4g s", d.Seconds())
}
