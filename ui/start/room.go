package start

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/guard/sandbox"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/media/clipboard"
	"espy/providers"
	"espy/store"
)

// Request says which session to open.
type Request struct {
	Resume   string // a session's id
	Continue bool   // the newest of this folder; a new one where there is none
	Model    string // --model, which stands before what a resumed session used
	Mode     string // --mode, likewise
	Headless bool
	MaxTurns int
	MaxCost  float64

	refresh func(context.Context) []string // reads files again between turns; nil does not
}

// Room is a session at work: a loop, an intake, and what they hold open. Close ends all of it.
type Room struct {
	Agent   *agent.Agent
	Intake  *agent.Intake
	Guard   *guard.Guard
	Roots   *guard.Roots
	Session *store.Session
	Why     string // how the model was chosen

	tools    *tools.Registry
	servers  *connections
	settings atomic.Pointer[Settings] // in force

	left   *guard.Leftovers
	jobs   *tools.Jobs
	trace  *providers.Trace
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once
	err    error
}

// Open opens a session and starts its loop, which ends with ctx or Close.
func Open(ctx context.Context, s *Settings, r Request) (*Room, error) {
	session, loaded, err := openSession(ctx, s, r)
	if err != nil {
		return nil, err
	}
	room, err := furnish(ctx, s, r, session, loaded)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return room, nil
}

func openSession(ctx context.Context, s *Settings, r Request) (*store.Session, store.Loaded, error) {
	id := r.Resume
	if id == "" && r.Continue {
		var err error
		if id, err = s.Store.Newest(ctx, s.Folder); err != nil {
			return nil, store.Loaded{}, err
		}
	}
	if id == "" {
		session, err := s.Store.Create(ctx, s.Folder, s.Version)
		return session, store.Loaded{}, err
	}
	session, loaded, err := s.Store.Resume(ctx, id)
	var inUse *store.InUseError
	var notFound *store.NotFoundError
	if errors.As(err, &inUse) || errors.As(err, &notFound) {
		err = &UsageError{err}
	}
	return session, loaded, err
}

func furnish(ctx context.Context, s *Settings, r Request, session *store.Session, loaded store.Loaded) (*Room, error) {
	history := projection.NewHistory(loaded.Records)
	route, effort, why, err := chooseRoute(s, r, history)
	if err != nil {
		return nil, err
	}
	roots, err := openRoots(s)
	if err != nil {
		return nil, err
	}
	left, jobs := &guard.Leftovers{}, &tools.Jobs{}
	shell, shellErr := guard.FindShell()
	g := guard.New(guard.Options{Mode: chooseMode(s, r, history), Roots: roots, Rules: rules(s), Posix: shellErr == nil && shell.Posix, Sandboxing: sandboxing(s)})
	room := &Room{Guard: g, Roots: roots, Session: session, Why: why, tools: s.registry(), left: left, jobs: jobs, trace: s.Trace, done: make(chan struct{})}
	room.servers = connect(s, room.tools, left)
	room.settings.Store(s)
	loop, err := agent.New(agent.Options{
		Session: session, Loaded: loaded, Folder: s.Folder, Version: s.Version, Route: route, Effort: effort,
		Connect: connector(s, session), Guard: g, Tools: room.tools,
		Env:   tools.Env{Workspace: s.Folder, Roots: roots, Gate: s.Gate, Ledger: &tools.Ledger{}, Environ: commandEnvironment(s), Confine: g.Confine, Left: left, Jobs: jobs},
		Hooks: s.hooks(), Refresh: r.refresh,
		Tasks:  func() agent.TaskOptions { return taskOptions(room.settings.Load()) },
		Await:  room.servers.await(r.Headless),
		System: sync.OnceValue(func() []string { return agent.SystemTexts(surroundings(ctx, s, shell)) }),

		MaxImages: s.Config.History.MaxImages, EvictStep: s.Config.History.EvictStep,
		KeepRoute: keepRoute(ctx, s.Dirs),
		SaveRule: func(rule string) error {
			return room.settings.Load().saveRule(context.WithoutCancel(ctx), guard.Allow, rule)
		},
		TrustPath: func(path string) error { _, err := trustPath(s, roots, path); return err },
		Headless:  r.Headless, MaxTurns: r.MaxTurns, MaxCost: r.MaxCost,
	})
	if err != nil {
		return nil, errors.Join(err, roots.Close())
	}
	room.servers.tellTo(loop)
	loopCtx, cancel := context.WithCancel(ctx)
	room.Agent, room.cancel = loop, cancel
	room.Intake = agent.NewIntake(loop, s.Store, s.Secrets, clipboard.Env{})
	go func() {
		defer close(room.done)
		room.err = loop.Run(loopCtx)
	}()
	return room, nil
}

// Close ends the loop, waits for it, and lets go of everything the room held.
func (r *Room) Close() error {
	r.once.Do(func() {
		r.cancel()
		<-r.done
		r.servers.Close()
		r.jobs.End()
		r.left.End()
		r.err = errors.Join(r.err, r.Guard.Close(), r.Roots.Close(), r.Session.Close(), r.traceEnd())
	})
	return r.err
}

// traceEnd says that a trace stopped before the session did.
func (r *Room) traceEnd() error {
	if r.trace == nil || r.trace.Err() == nil {
		return nil
	}
	return fmt.Errorf("the trace is not whole: %w", r.trace.Err())
}

// chooseRoute takes --model, else what the session used, else what a new session would take.
func chooseRoute(s *Settings, r Request, h *projection.History) (route providers.Route, effort, why string, err error) {
	if used, ok := h.Model(); ok && r.Model == "" {
		route, err := s.Book.Find(used.Provider + "/" + used.Model)
		if err == nil && route.Server.Usable() {
			return route, used.Effort, "this session's model", nil
		}
	}
	route, why, err = s.Choose()
	return route, "", why, err
}

// chooseMode takes --mode, else what the session was in, else the settings'. A resumed session is never put
// back into the mode that asks for nothing: that is asked for each time.
func chooseMode(s *Settings, r Request, h *projection.History) guard.Mode {
	if used := guard.Mode(h.Mode()); r.Mode == "" && used != "" && used != guard.ModeFull {
		return used
	}
	return guard.Mode(s.Config.Mode)
}

// openRoots holds the workspace and what /trust added for it. A trusted path that is gone, or is another file
// by now, is left out and told.
func openRoots(s *Settings) (*guard.Roots, error) {
	roots, err := guard.NewRoots(s.Folder, nil, s.Secrets)
	if err != nil {
		return nil, err
	}
	trusted, err := s.Trust.Workspace(s.Folder)
	if err != nil {
		return roots, nil // told by Load
	}
	for _, p := range trusted.Paths {
		if !p.Holds() {
			s.Problems = append(s.Problems, fmt.Sprintf("%s was trusted and is another file or gone by now; /trust add it again if it is meant", p.Path))
			continue
		}
		if _, err := roots.AddTrusted(p.Path); err != nil {
			s.Problems = append(s.Problems, err.Error())
		}
	}
	return roots, nil
}

// commandEnvironment is espy's own environment less every key that some server's row or the settings name.
func commandEnvironment(s *Settings) []string {
	var secret []string
	for _, server := range s.Book.Servers() {
		if server.KeyEnv != "" {
			secret = append(secret, server.KeyEnv)
		}
	}
	return guard.CommandEnvironment(os.Environ(), secret, nil)
}

// sandboxing is whether commands run in a sandbox: where the settings do not switch it off and the system has one.
func sandboxing(s *Settings) guard.Sandboxing {
	return guard.Sandboxing{On: s.Config.Permissions.Sandbox != "off" && sandbox.Missing() == "", Network: s.Config.Permissions.Network == "allow"}
}

// surroundings are gathered when the first request is made, so that a repository costs the start nothing.
func surroundings(ctx context.Context, s *Settings, shell guard.Shell) agent.Surroundings {
	out := agent.Surroundings{OS: runtime.GOOS + "/" + runtime.GOARCH, Shell: filepath.Base(shell.Path), Folder: s.Folder, Today: time.Now(), Unaccepted: s.NotAccepted()}
	if branch, err := guard.Git(ctx, s.Folder, "rev-parse", "--abbrev-ref", "HEAD"); err == nil {
		out.Repository, out.Branch = true, strings.TrimSpace(string(branch))
	} else if _, err := os.Stat(filepath.Join(s.Folder, ".git")); err == nil {
		out.Repository = true
	}
	if !s.Accepted {
		return out
	}
	for _, f := range s.Workspace.Files {
		if f.Instruction {
			out.Instructions = append(out.Instructions, agent.Instruction{Path: f.Display, Text: string(f.Data)})
		}
	}
	return out
}
