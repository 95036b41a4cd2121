package extend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pelletier/go-toml/v2"

	"espy/agent/guard"
	"espy/agent/message"
)

// Moments a hook is run at.
const (
	PreTool      = "pre_tool"      // before a call that may run; answers whether it may
	PostTool     = "post_tool"     // after a call; observes
	TurnStart    = "turn_start"    // observes
	TurnEnd      = "turn_end"      // observes
	SessionStart = "session_start" // observes
)

const (
	// hookTimeout is what a hook gets unless its file says otherwise: a call waits for it.
	hookTimeout = 10 * time.Second
	// mostHookTimeout bounds what its file may say.
	mostHookTimeout = 60 * time.Second
	// hookGrace is what observing hooks get to finish when the session ends.
	hookGrace = 2 * time.Second
	// mostHookOutput bounds what a hook may print, in bytes.
	mostHookOutput = 64 << 10
	// mostHooks bounds the hooks of one file.
	mostHooks = 32
	// mostObserving bounds observing hooks that run at once; beyond, one is left out and told.
	mostObserving = 16
)

// Hook is a program that is told of a moment, or asked about a call.
type Hook struct {
	Event   string   `toml:"event"`
	Tools   []string `toml:"tools"` // of pre_tool and post_tool: names, * for any letters; every tool where empty
	Argv    []string `toml:"argv"`  // a program that begins with ./ lies beside the file
	Timeout int      `toml:"timeout_seconds"`

	name    string // of the extension
	dir     string // the file's folder, for ./
	project bool   // from a workspace's .espy
	lapsed  bool   // its file changed and was not accepted: it does not run, and a call it would judge asks
}

// Lapsed are the hooks of a project that judge calls, as they are once its files changed and were not accepted again:
// what they kept from running unasked does not run unasked, and nothing of them runs.
func Lapsed(hooks []Hook) (lapsed []Hook) {
	for _, h := range hooks {
		if h.project && h.Event == PreTool {
			h.lapsed = true
			lapsed = append(lapsed, h)
		}
	}
	return lapsed
}

// parseHooks reads an extension's file.
func parseHooks(f File) ([]Hook, error) {
	if len(f.Data) > maxDeclaration {
		return nil, fmt.Errorf("the file has %d bytes; hooks are declared in at most %d", len(f.Data), maxDeclaration)
	}
	var file struct {
		Hook []Hook `toml:"hook"`
	}
	decoder := toml.NewDecoder(bytes.NewReader(f.Data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, tomlError(err)
	}
	if len(file.Hook) == 0 || len(file.Hook) > mostHooks {
		return nil, fmt.Errorf("%d [[hook]] tables: expected 1 to %d", len(file.Hook), mostHooks)
	}
	for i := range file.Hook {
		h := &file.Hook[i]
		h.dir = filepath.Dir(f.Path)
		h.name, h.project = filepath.Base(h.dir), f.Project
		if err := h.check(); err != nil {
			return nil, fmt.Errorf("hook %d: %w", i+1, err)
		}
	}
	return file.Hook, nil
}

func (h *Hook) check() error {
	calls := h.Event == PreTool || h.Event == PostTool
	switch {
	case !calls && h.Event != TurnStart && h.Event != TurnEnd && h.Event != SessionStart:
		return fmt.Errorf("event %q: expected pre_tool, post_tool, turn_start, turn_end or session_start", h.Event)
	case len(h.Argv) == 0 || h.Argv[0] == "" || len(h.Argv) > maxArgv:
		return fmt.Errorf("argv: expected the program and its arguments, %d at most", maxArgv)
	case !programName(h.Argv[0]):
		return fmt.Errorf("argv[0] %q: expected the name of a program, its whole path, or ./NAME of one beside the file", h.Argv[0])
	case !calls && len(h.Tools) > 0:
		return fmt.Errorf("tools belongs to pre_tool and post_tool, not to %s", h.Event)
	case h.Timeout < 0 || time.Duration(h.Timeout)*time.Second > mostHookTimeout:
		return fmt.Errorf("timeout_seconds = %d: expected 1 to %d", h.Timeout, int(mostHookTimeout/time.Second))
	}
	for _, pattern := range h.Tools {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("tools: %q is no name and no pattern of names", pattern)
		}
	}
	return nil
}

// programName keeps a hook from running what lies anywhere in the project, where calls may change it.
func programName(name string) bool {
	beside, ok := strings.CutPrefix(name, "./")
	return ok && filepath.IsLocal(beside) || filepath.IsAbs(name) || !strings.ContainsAny(name, `/\\`)
}

func (h *Hook) concerns(event, tool string) bool {
	if h.Event != event {
		return false
	}
	for _, pattern := range h.Tools {
		if ok, err := path.Match(pattern, tool); ok && err == nil {
			return true
		}
	}
	return len(h.Tools) == 0
}

// Moment is what a hook reads on standard input. It holds no output of a tool and no picture.
type Moment struct {
	Event   string       `json:"event"`
	Session string       `json:"session"`
	Folder  string       `json:"folder"`
	Call    *HookCall    `json:"call,omitempty"`
	Outcome *HookOutcome `json:"outcome,omitempty"`
}

// HookCall is a call as the model wrote it.
type HookCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// HookOutcome is how a call ended.
type HookOutcome struct {
	OK      bool  `json:"ok"`
	Refused bool  `json:"refused"`
	Millis  int64 `json:"millis"`
}

// Hooks runs the hooks of a session.
type Hooks struct {
	list    atomic.Pointer[[]Hook]
	left    *guard.Leftovers
	session string
	folder  string
	report  func(sentence string)

	ctx    context.Context // of observing hooks, which outlive the moment they are told of
	cancel context.CancelFunc
	group  sync.WaitGroup
	slots  chan struct{}
}

// NewHooks prepares the hooks. They end with Close. Report tells the person of one that failed; it must not block.
// What they leave running is in left, which may be nil.
func NewHooks(list []Hook, left *guard.Leftovers, session, folder string, report func(string)) *Hooks {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hooks{left: left, session: session, folder: folder, report: report, ctx: ctx, cancel: cancel, slots: make(chan struct{}, mostObserving)}
	h.Replace(list)
	return h
}

// Replace puts other hooks in the place of these, from the next moment on.
func (h *Hooks) Replace(list []Hook) { h.list.Store(&list) }

// Close waits for the observing hooks that still run, ending those that take longer than a moment. Nothing may be
// observed afterwards.
func (h *Hooks) Close() {
	ending := time.AfterFunc(hookGrace, h.cancel)
	h.group.Wait()
	ending.Stop()
	h.cancel()
}

// Judge asks the pre_tool hooks about a call that may run. The first that refuses decides, then one that asks; a
// hook that fails, takes too long or answers something else makes its call ask. None of them widens anything.
func (h *Hooks) Judge(ctx context.Context, call message.ToolCall) (verdict guard.Verdict, reason string) {
	verdict = guard.Allow
	for _, hook := range *h.list.Load() {
		if !hook.concerns(PreTool, call.Name) {
			continue
		}
		v, r := h.ask(ctx, hook, call)
		if v == guard.Deny {
			return v, r
		}
		if v == guard.Ask && verdict == guard.Allow {
			verdict, reason = v, r
		}
	}
	return verdict, reason
}

func (h *Hooks) ask(ctx context.Context, hook Hook, call message.ToolCall) (guard.Verdict, string) {
	if hook.lapsed {
		return guard.Ask, fmt.Sprintf("the hook of %s judges this call, but its files changed and were not accepted (/trust accept), so it asks", hook.name)
	}
	printed, err := h.run(ctx, hook, h.moment(PreTool, &call, nil))
	var answer struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(printed))
		if err = decoder.Decode(&answer); err != nil {
			err = errors.New("it did not print {\"decision\": \"allow\", \"deny\" or \"ask\", \"reason\": …}")
		} else if decoder.More() {
			err = errors.New("it printed more than one answer")
		}
	}
	said := clippedReason(answer.Reason)
	switch {
	case err != nil:
	case answer.Decision == "allow":
		return guard.Allow, ""
	case answer.Decision == "deny":
		return guard.Deny, fmt.Sprintf("the hook of %s refuses this call%s", hook.name, said)
	case answer.Decision == "ask":
		return guard.Ask, fmt.Sprintf("the hook of %s has this call ask%s", hook.name, said)
	default:
		err = fmt.Errorf("it answered the decision %q", clipped(answer.Decision))
	}
	return guard.Ask, fmt.Sprintf("the hook of %s could not judge this call (%v), so it asks", hook.name, err)
}

func clippedReason(reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return ""
	}
	return ": " + guard.Printable(strings.Join(strings.Fields(reason), " "))
}

// Observe tells the hooks of a moment and returns at once. What they print reaches nobody; one that fails is
// reported and stops nothing.
func (h *Hooks) Observe(event string, call *message.ToolCall, outcome *HookOutcome) {
	name := ""
	if call != nil {
		name = call.Name
	}
	for _, hook := range *h.list.Load() {
		if !hook.concerns(event, name) || h.ctx.Err() != nil {
			continue
		}
		select {
		case h.slots <- struct{}{}:
		default:
			h.report(fmt.Sprintf("The hook of %s for %s was left out: %d hooks run already.", hook.name, event, mostObserving))
			continue
		}
		moment := h.moment(event, call, outcome)
		h.group.Go(func() {
			defer func() { <-h.slots }()
			if _, err := h.run(h.ctx, hook, moment); err != nil && h.ctx.Err() == nil {
				h.report(fmt.Sprintf("The hook of %s for %s failed: %v.", hook.name, event, err))
			}
		})
	}
}

func (h *Hooks) moment(event string, call *message.ToolCall, outcome *HookOutcome) Moment {
	m := Moment{Event: event, Session: h.session, Folder: h.folder, Outcome: outcome}
	if call != nil {
		m.Call = &HookCall{ID: call.ID, Name: call.Name, Args: call.Args}
	}
	return m
}

// run runs a hook with a moment on its standard input, and returns what it printed.
func (h *Hooks) run(ctx context.Context, hook Hook, moment Moment) ([]byte, error) {
	limit := hookTimeout
	if hook.Timeout > 0 {
		limit = time.Duration(hook.Timeout) * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := append([]string(nil), hook.Argv...)
	if strings.HasPrefix(argv[0], "./") {
		argv[0] = filepath.Join(hook.dir, argv[0])
		if !filepath.IsAbs(argv[0]) {
			argv[0] = filepath.Join(h.folder, argv[0]) // a project's file is named from its folder
		}
	}
	input, err := json.Marshal(moment)
	if err != nil {
		return nil, err
	}
	cmd, err := guard.DirectCommand(ctx, argv, h.folder, (&declaration{}).environment())
	if err != nil {
		return nil, err
	}
	out := &capped{limit: mostHookOutput, stop: cancel}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), out, &capped{limit: mostHookOutput, stop: cancel}
	err = h.left.Run(cmd)
	switch {
	case out.full():
		return nil, fmt.Errorf("it printed more than %d bytes", mostHookOutput)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it did not end within %s", limit)
	case err != nil:
		return nil, err
	}
	return out.bytes(), nil
}
