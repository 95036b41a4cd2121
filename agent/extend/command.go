package extend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

// mostOutput bounds what a command may print, in bytes; it is killed beyond.
const mostOutput = 64 << 20

// usualVariables are what every command gets; anything else is named in its file.
var usualVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SHELL", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "SystemRoot", "USERPROFILE"}

// commandTool makes a tool of a command declaration: an argv template, run directly and never through a shell.
func commandTool(d declaration) tools.Tool {
	return tools.Tool{
		Spec:     providers.ToolSpec{Name: d.Name, Description: strings.TrimSpace(d.Description), Schema: d.schema()},
		ReadOnly: d.ReadOnly && !d.project,
		Effect: func(env *tools.Env, args string) (guard.Effect, error) {
			argv, err := d.argv(args)
			if err != nil {
				return guard.Effect{}, err
			}
			return d.effect(argv), nil
		},
		Run: func(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			argv, err := d.argv(call.Args)
			if err != nil {
				return failed(call, err.Error()), nil
			}
			return d.run(ctx, env, call, argv)
		},
	}
}

// effect is what the guard judges: the argv written as a command line. A person's own read-only tool only looks.
func (d *declaration) effect(argv []string) guard.Effect {
	line := quoted(argv)
	e := guard.Effect{Tool: d.Name, Kind: guard.KindExec, Command: line, Preview: line, Summary: d.Name + ": " + line}
	if d.Cwd != "" {
		e.Paths = []string{d.Cwd}
	}
	if d.ReadOnly && !d.project {
		e.Kind, e.Command, e.Paths = guard.KindNone, "", nil
	}
	return e
}

// quoted writes an argv so that a shell would read the same words: only to be judged and shown.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		q, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			q = strconv.Quote(word)
		}
		words[i] = q
	}
	return strings.Join(words, " ")
}

// argv fills the template. An element that names an absent argument is dropped; one that is a single
// placeholder of a list becomes as many elements.
func (d *declaration) argv(text string) ([]string, error) {
	args, err := d.decode(text)
	if err != nil {
		return nil, err
	}
	out := []string{d.Argv[0]}
	for _, element := range d.Argv[1:] {
		if m := placeholder.FindStringSubmatch(element); m != nil && m[0] == element {
			out = append(out, args[m[1]]...)
			continue
		}
		if filled, ok := fill(element, args, func(s string) string { return s }); ok {
			out = append(out, filled)
		}
	}
	return out, nil
}

// fill puts arguments into a template; ok is false where it names an absent one.
func fill(template string, args arguments, encode func(string) string) (filled string, ok bool) {
	ok = true
	filled = placeholder.ReplaceAllStringFunc(template, func(p string) string {
		values, given := args[p[1:len(p)-1]]
		ok = ok && given
		return encode(strings.Join(values, ","))
	})
	return filled, ok
}

func failed(call message.ToolCall, sentence string) tools.Outcome {
	return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: sentence, IsError: true}}
}

func (d *declaration) run(ctx context.Context, env *tools.Env, call message.ToolCall, argv []string) (tools.Outcome, error) {
	dir := env.Workspace
	if d.Cwd != "" {
		path, err := env.Roots.Resolve(d.Cwd)
		if err != nil {
			return failed(call, err.Error()), nil
		}
		dir = path.Abs
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	out := &capped{limit: mostOutput, stop: cancel}
	cmd, err := guard.DirectCommand(ctx, argv, dir, d.environment())
	if err != nil {
		return failed(call, fmt.Sprintf("%s cannot run: %v", d.Name, err)), nil
	}
	confined := false
	if env.Confine != nil && d.Box != "off" {
		if confined, err = env.Confine(cmd); err != nil {
			return failed(call, fmt.Sprintf("%s cannot run: the sandbox could not be prepared: %v", d.Name, err)), nil
		}
	}
	var stderr *capped
	cmd.Stdout = out
	if d.Output == "envelope" {
		stderr = &capped{limit: mostOutput, stop: cancel}
		cmd.Stderr = stderr
	} else {
		cmd.Stderr = out
	}
	runErr := env.Left.Run(cmd)
	if ctxErr := context.Cause(ctx); errors.Is(ctxErr, context.DeadlineExceeded) {
		return failed(call, fmt.Sprintf("%s was stopped after %s", d.Name, d.timeout())), nil
	} else if ctxErr != nil && !out.full() {
		return tools.Outcome{}, ctxErr
	}
	if out.full() {
		return failed(call, fmt.Sprintf("%s was stopped: it printed more than %d bytes", d.Name, mostOutput)), nil
	}
	exit := exitCode(runErr)
	if runErr != nil && exit < 0 {
		return failed(call, fmt.Sprintf("%s cannot run: %v", d.Name, runErr)), nil
	}
	if d.Output == "envelope" && exit == 0 {
		return d.open(ctx, env, call, out.bytes())
	}
	text := string(out.bytes())
	if stderr != nil {
		text += string(stderr.bytes())
	}
	if confined && exit != 0 && tools.Sandboxed(text) {
		text = strings.TrimRight(text, "\n") + "\n" + sandboxNote
	}
	return d.words(ctx, env, call, text, exit)
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// sandboxNote tells a model, and the person who reads along, why a declared tool may have failed.
const sandboxNote = "[the sandbox stopped this, by the look of its output. A tool that needs a network or files elsewhere says sandbox = \"off\" in its file]"

// words is a result of text, spilled where it is long.
func (d *declaration) words(ctx context.Context, env *tools.Env, call message.ToolCall, text string, exit int) (tools.Outcome, error) {
	shown, ref, err := tools.Spill(ctx, env, text)
	if err != nil {
		return tools.Outcome{}, err
	}
	if exit != 0 {
		shown = strings.TrimRight(shown, "\n") + fmt.Sprintf("\n[exit code %d]", exit)
	}
	meta := map[string]string{message.MetaSummary: fmt.Sprintf("%s: exit %d, %s", d.Name, exit, lines(strings.Count(text, "\n"))), message.MetaExit: strconv.Itoa(exit)}
	if ref != "" {
		meta[message.MetaBlob] = ref
	}
	return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: shown, IsError: exit != 0, Meta: meta}}, nil
}

// environment is what the command gets: the usual variables and those its file names.
func (d *declaration) environment() []string {
	var env []string
	for _, name := range append(append([]string(nil), usualVariables...), d.Env...) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// exitCode is the code a command ended with; below zero where it did not run or was killed.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// capped keeps output up to a limit and stops its command beyond.
type capped struct {
	mu    sync.Mutex
	data  []byte
	limit int
	over  bool
	stop  func()
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.data)+len(p) > c.limit {
		c.over = true
		c.stop()
		return 0, io.ErrShortWrite
	}
	c.data = append(c.data, p...)
	return len(p), nil
}

func (c *capped) full() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.over }

func (c *capped) bytes() []byte { c.mu.Lock(); defer c.mu.Unlock(); return c.data }

// baseName is a file's own name, for pictures of an envelope.
func baseName(path string) string { return filepath.Base(path) }
