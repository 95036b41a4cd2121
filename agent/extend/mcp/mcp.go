// Package mcp connects to the MCP servers a person configured and makes tools of what they offer. Programs are
// spoken to over their standard input and output, others over streamable HTTP, through the protocol's official SDK.
//
// Contract: nothing is started and nobody is contacted before Start. Each server has one goroutine that owns its
// connection; Close ends them all, waits for them, and leaves no program behind. What a server says is hostile: it is
// bounded, made harmless, scrubbed of the keys that were sent to it, and marks its results as untrusted. A server's
// word that a tool only reads is not believed, only the person's. Nothing here asks a model or a person on a server's
// behalf: sampling and elicitation are not offered, and the only root is the workspace.
//
// The package knows the tools' interface, the guard's effects and the gate for pictures. It must not know the loop,
// the settings files, a provider or a screen.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"espy/agent/guard"
	"espy/agent/tools"
)

// Config is one server as the person, or an accepted project, configured it.
type Config struct {
	Name    string // letters, digits, - and _: it stands in the tools' names
	Project bool   // from a project's settings: its read_only is not believed, and no provider's key goes to it
	Off     bool   // not started until the person says so

	Command []string          // the program and its arguments, run directly and never through a shell
	Cwd     string            // folder it runs in; "" is the workspace
	Env     map[string]string // variables it gets beyond the usual; values may hold ${env:NAME}
	Pass    []string          // variables it gets as they are

	URL     string            // instead of Command: where it is reached over HTTP
	Headers map[string]string // of every request; values may hold ${env:NAME}

	Timeout  time.Duration // of one request; 0 is defaultTimeout
	Tools    []string      // names or patterns of the tools taken; none takes all
	Deny     []string      // names or patterns of tools that are left out
	ReadOnly []string      // names or patterns of tools that only look, by the person's word
}

// Options are what servers run in.
type Options struct {
	Workspace string   // absolute
	Version   string   // of espy
	Environ   []string // what programs may get, without the keys of providers
	Getenv    func(name string) (string, bool)
	Secret    func(name string) bool // whether a variable holds a provider's key
	Left      *guard.Leftovers       // ends programs where espy is killed; nil leaves them to notice it
	// Publish hands on the tools of a server, all of them at once; it must not block.
	Publish func(server string, list []tools.Tool)
	// Changed tells how a server stands now, with why where it failed. It must not block, nor ask for a Status.
	Changed func(server string, state State, fault string)
}

// State is how a server stands.
type State string

const (
	Off        State = "off"
	Waiting    State = "waiting" // to be started
	Connecting State = "connecting"
	Ready      State = "ready"
	Failed     State = "failed"
)

// Status is what a person sees of a server. Everything in it that the server said is one harmless line.
type Status struct {
	Name      string
	State     State
	Error     string // why it failed
	Where     string // the command line or the host
	Project   bool
	Tools     []ToolStatus
	Prompts   []Prompt
	Resources int
	Notes     []string // what was left out of its lists, and why
}

// ToolStatus is a tool of a server.
type ToolStatus struct {
	Name        string // as the model calls it
	Title       string // as the server calls it
	Description string
	ReadOnly    bool
}

// Servers are the servers of a session.
type Servers struct {
	opt    Options
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	list    []*server  // by name
	started bool
	closed  bool
}

// New prepares the servers, in the order of their names. They end with Close.
func New(configs []Config, opt Options) *Servers {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Servers{opt: opt, ctx: ctx, cancel: cancel}
	if s.opt.Publish == nil {
		s.opt.Publish = func(string, []tools.Tool) {}
	}
	if s.opt.Changed == nil {
		s.opt.Changed = func(string, State, string) {}
	}
	s.Configure(configs)
	return s
}

// Configure has these servers instead of those there are. One whose settings are the same goes on; a new one is
// started if Start was called.
func (s *Servers) Configure(configs []Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.list
	s.list = nil
	for _, c := range configs {
		at := slices.IndexFunc(old, func(o *server) bool { return o.config.Name == c.Name })
		switch {
		case at >= 0 && reflect.DeepEqual(old[at].config, c):
			s.list = append(s.list, old[at])
			old = slices.Delete(slices.Clone(old), at, at+1)
			continue
		case at >= 0:
			s.list = append(s.list, newServer(s.ctx, c, &s.opt, old[at].done))
		default:
			s.list = append(s.list, newServer(s.ctx, c, &s.opt, nil))
		}
		s.begin(s.list[len(s.list)-1])
	}
	for _, o := range old {
		o.retire()
	}
	slices.SortFunc(s.list, func(a, b *server) int { return cmp.Compare(a.config.Name, b.config.Name) })
	for _, o := range old {
		s.opt.Changed(o.config.Name, Off, "")
	}
}

// begin starts a server where all are. The lock is held.
func (s *Servers) begin(server *server) {
	if s.started && !s.closed {
		s.group.Go(server.run)
	}
}

// all are the servers as they stand.
func (s *Servers) all() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// Start begins connecting to every server that is not off, side by side, and returns at once.
func (s *Servers) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return
	}
	s.started = true
	for _, server := range s.list {
		s.begin(server)
	}
}

// Wait returns when every server that was started is ready, failed or off, or ctx ends.
func (s *Servers) Wait(ctx context.Context) {
	for _, server := range s.all() {
		server.settled(ctx)
	}
}

// Close ends every connection and program, and waits for them.
func (s *Servers) Close() {
	s.mu.Lock()
	s.started, s.closed = true, true // nothing starts any more
	s.mu.Unlock()
	s.cancel()
	s.group.Wait()
}

// Status is how the servers stand, by name.
func (s *Servers) Status() []Status {
	list := s.all()
	all := make([]Status, len(list))
	for i, server := range list {
		all[i] = server.status()
	}
	return all
}

// Enable starts a server for the rest of the session; Disable ends it and takes its tools away; Reconnect ends it and
// starts it again. They return at once; Status tells what came of it.
func (s *Servers) Enable(name string) error    { return s.order(name, orderOn) }
func (s *Servers) Disable(name string) error   { return s.order(name, orderOff) }
func (s *Servers) Reconnect(name string) error { return s.order(name, orderAgain) }

func (s *Servers) order(name string, o order) error {
	server, err := s.find(name)
	if err != nil {
		return err
	}
	s.Start()
	server.obey(o)
	return nil
}

func (s *Servers) find(name string) (*server, error) {
	for _, server := range s.all() {
		if server.config.Name == name {
			return server, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q", name)
}

var (
	// errOff says that a server may not be used.
	errOff = errors.New("it is switched off; the user can switch it on with /mcp")
	// errGone says that a server is no more.
	errGone = errors.New("it is not in the settings any more")
)
