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
	Beside  bool   `json:"background"`
}

func shellTool() Tool {
	return declaration[shellArgs]{
		name: "shell",
		params: params{
			{name: "command", kind: "string", required: true, about: "Bash command line."},
			{name: "timeout_seconds", kind: "integer", least: 1, most: int(maxShellTimeout / time.Second), about: "Killed after this long; 120 unless given, 600 at most. In the background there is no limit unless given."},
			{name: "cwd", kind: "string", about: "Folder to run in; the workspace unless given."},
			{name: "background", kind: "boolean", about: "Go on at once: the command becomes a job, which `jobs` looks at and ends."},
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
	effect := guard.Effect{Kind: guard.KindExec, Command: a.Command, Outside: a.Outside, Background: a.Beside, Preview: a.Command}
	where := "shell"
	if a.Beside {
		where += " in the background"
	}
	if a.Cwd != "" {
		effect.Paths = []string{effectPath(env, a.Cwd)}
		where += " in " + effect.Paths[0]
	}
	effect.Summary = where + ": " + oneLine(a.Command)
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
	if a.Beside {
		if err := env.Jobs.room(); err != nil {
			return Outcome{}, err
		}
	}
	r, err := startCommand(ctx, env, call, a)
	if err != nil {
		return Outcome{}, err
	}
	if a.Beside {
		return r.goBeside(ctx, env)
	}
	if env.Jobs.follow(ctx, r) {
		return env.Jobs.began(env.Jobs.adopt(r, true)), nil
	}
	if r.fault != nil {
		return Outcome{}, r.fault
	}
	return r.end.outcome(a, r.text, r.ref), nil
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
	killedBy    string // "the user": who ended the job; "" where nobody did
	stopped     bool   // it looks as if the sandbox kept it from something
}

func (e shellEnd) sentence(a shellArgs) string {
	switch {
	case e.interrupted:
		return fmt.Sprintf("[interrupted by the person after %s; the command and its children were killed]", seconds(e.took))
	case e.timedOut:
		return fmt.Sprintf("[timed out after %s; the command and its children were killed. Give a larger timeout_seconds (at most %d), or run it with background]", seconds(a.timeout()), int(maxShellTimeout/time.Second))
	case errors.Is(e.err, exec.ErrWaitDelay):
		return fmt.Sprintf("[exit code %d; a background process goes on and still holds the output, of which nothing more is collected]", e.code)
	}
	return "[" + e.words() + "]"
}

// words are how a command ended, in mid-sentence.
func (e shellEnd) words() string {
	switch {
	case e.killedBy != "":
		return "ended by " + e.killedBy
	case e.timedOut:
		return "timed out"
	case e.code < 0:
		return "ended by " + e.state
	}
	return fmt.Sprintf("exit code %d", e.code)
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
