package start

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"espy/agent"
	"espy/agent/extend/mcp"
	"espy/agent/guard"
	"espy/agent/tools"
	"espy/ui"
	"espy/ui/headless"
)

// serverPause is how long a message waits for MCP servers that are still being connected; those that take longer are
// told of when they are there. A run without a screen has one message and waits as long as each server may take.
const serverPause = 3 * time.Second

// servers are the MCP servers of the settings.
func (s *Settings) servers() []mcp.Config {
	var all []mcp.Config
	for name, c := range s.Config.MCP {
		if len(c.Command) == 0 && c.URL == "" {
			continue // it only keeps a project's off
		}
		all = append(all, mcp.Config{Name: name, Project: c.Project, Off: !c.Enabled, Command: c.Command, Cwd: c.Cwd, Env: c.Env, Pass: c.Pass, URL: c.URL, Headers: c.Headers,
			Timeout: time.Duration(c.Timeout) * time.Second, Tools: c.Tools, Deny: c.Deny, ReadOnly: c.ReadOnly})
	}
	return all
}

// preferences are what [tools] and [mcp] say of which tools are declared and which are looked up by name.
func (s *Settings) preferences() (always, deferred []string) {
	for name, c := range s.Config.MCP {
		switch pattern := tools.ServerTools + name + "__*"; {
		case c.Defer == nil:
		case *c.Defer:
			deferred = append(deferred, pattern)
		default:
			always = append(always, pattern)
		}
	}
	slices.Sort(always)
	slices.Sort(deferred)
	return append(always, s.Config.Tools.AlwaysLoad...), append(deferred, s.Config.Tools.Defer...)
}

// strayServers are sentences about what the settings say of tools of servers that are not configured: it holds for
// nothing.
func (s *Settings) strayServers() (told []string) {
	s.rules.Lock()
	defer s.rules.Unlock()
	names := slices.Sorted(maps.Keys(s.Config.MCP))
	check := func(what, tool string) {
		rest, isServers := strings.CutPrefix(tool, tools.ServerTools)
		if !isServers || strings.TrimSuffix(rest, "*") == "" {
			return
		}
		server, _, whole := strings.Cut(rest, "__")
		begins := func(n string) bool { return strings.HasPrefix(n+"__", strings.TrimSuffix(rest, "*")) }
		if whole && slices.Contains(names, server) || !whole && slices.ContainsFunc(names, begins) {
			return
		}
		sentence := what + " names an MCP server that is not configured"
		if near := tools.NearestOf(server, names); near != "" {
			sentence += fmt.Sprintf("; did you mean %q?", near)
		}
		told = append(told, sentence)
	}
	for _, list := range s.lists() {
		for _, text := range *list {
			if rule, err := guard.ParseRule(text); err == nil {
				check("the rule "+text, rule.Tool)
			}
		}
	}
	for key, list := range map[string][]string{"tools.always_load": s.Config.Tools.AlwaysLoad, "tools.defer": s.Config.Tools.Defer} {
		for _, name := range list {
			check(fmt.Sprintf("%s: %s: %q", s.Config.Sources[key], key, name), name)
		}
	}
	slices.Sort(told)
	return told
}

// connections are a session's MCP servers and who is told of them.
type connections struct {
	*mcp.Servers
	registry *tools.Registry

	mu    sync.Mutex
	state map[string]mcp.State
	tell  func(failed string) // nil before the loop is there
}

// connect prepares the servers of a session. Nothing is started yet.
func connect(s *Settings, registry *tools.Registry, left *guard.Leftovers) *connections {
	c := &connections{registry: registry, state: make(map[string]mcp.State)}
	c.Servers = mcp.New(s.servers(), mcp.Options{
		Workspace: s.Folder, Version: s.Version, Environ: commandEnvironment(s), Getenv: os.LookupEnv, Secret: s.holdsKey, Left: left,
		Publish: func(server string, list []tools.Tool) { registry.Replace(tools.SourceServer(server), list) },
		Changed: c.changed,
	})
	return c
}

// holdsKey reports whether a variable holds a model provider's key.
func (s *Settings) holdsKey(name string) bool {
	for _, server := range s.Book.Servers() {
		if server.KeyEnv == name {
			return true
		}
	}
	return len(guard.CommandEnvironment([]string{name + "=x"}, nil, nil)) < len(guard.CommandEnvironment([]string{"ESPY_ANY=x"}, nil, nil))
}

// changed tells of a server, once for each way it comes to stand.
func (c *connections) changed(server string, state mcp.State, fault string) {
	c.mu.Lock()
	tell, was := c.tell, c.state[server]
	c.state[server] = state
	c.mu.Unlock()
	if tell == nil || was == state {
		return
	}
	failed := ""
	if state == mcp.Failed {
		failed = fmt.Sprintf("The MCP server %s cannot be used: %s. /mcp shows more.", server, strings.TrimSuffix(fault, "."))
	}
	tell(failed)
}

func (c *connections) tellTo(loop *agent.Agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell = loop.ServersChanged
}

// await starts the servers where nothing has, and has a session's first message wait for those that are being connected.
func (c *connections) await(headless bool) func(context.Context) {
	var first sync.Once
	return func(ctx context.Context) {
		first.Do(func() {
			c.Start()
			if !headless {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, serverPause)
				defer cancel()
			}
			c.Wait(ctx)
		})
	}
}

// screen is what the full-screen program shows and changes of them.
func (c *connections) screen() ui.Servers {
	return ui.Servers{Start: c.Start, List: c.list, Enable: c.Enable, Disable: c.Disable, Reconnect: c.Reconnect, Fill: c.Prompt}
}

func (c *connections) list() []ui.Server {
	var all []ui.Server
	for _, st := range c.Status() {
		server := ui.Server{Name: st.Name, State: string(st.State), Error: st.Error, Where: st.Where, Project: st.Project, Resources: st.Resources, Notes: st.Notes}
		for _, t := range st.Tools {
			shown := ui.Tool{Name: t.Name, About: t.Description, Source: tools.SourceServer(st.Name), ReadOnly: t.ReadOnly}
			if known, ok := c.registry.Lookup(t.Name); ok {
				shown.Deferred = known.Deferred
			}
			server.Tools = append(server.Tools, shown)
		}
		for _, p := range st.Prompts {
			server.Prompts = append(server.Prompts, ui.Command{Name: p.Name, Hint: p.Hint(), About: p.Description})
		}
		all = append(all, server)
	}
	return all
}

// DoctorServers are the configured MCP servers, for `espy doctor`. Nobody is contacted.
func (s *Settings) DoctorServers() []headless.MCPServer {
	var all []headless.MCPServer
	for _, c := range s.servers() {
		server := headless.MCPServer{Name: c.Name, Off: c.Off, Project: c.Project}
		if address, err := url.Parse(c.URL); err == nil && c.URL != "" {
			server.Where = address.Scheme + "://" + address.Host + address.Path
		} else if len(c.Command) > 0 { // its arguments may hold a key
			server.Where, server.Program = fmt.Sprintf("%s with %d arguments", c.Command[0], len(c.Command)-1), c.Command[0]
		}
		for _, name := range mcp.Wants(c) {
			if value, ok := os.LookupEnv(name); !ok || value == "" {
				server.Missing = append(server.Missing, name)
			}
		}
		all = append(all, server)
	}
	slices.SortFunc(all, func(a, b headless.MCPServer) int { return strings.Compare(a.Name, b.Name) })
	return all
}
