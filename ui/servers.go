package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/screen"
)

// Servers are the MCP servers of a session. Nil functions mean that there are none.
type Servers struct {
	Start func() // begins connecting, in the background; called once the first frame is on the screen
	List  func() []Server
	Tools func() []Tool // every tool of the session, in the order models see them
	Enable, Disable,
	Reconnect func(name string) error // for this session; they return at once
	// Fill has a server make the text of a prompt. Nobody vouches for it.
	Fill func(ctx context.Context, prompt, args string) (text string, err error)
}

// Server is how an MCP server stands. What the server said itself is in single lines.
type Server struct {
	Name      string
	State     string // off, waiting, connecting, ready, failed
	Error     string
	Where     string // its command line, or its host
	Project   bool   // this folder's settings name it
	Tools     []Tool
	Prompts   []Command
	Resources int
	Notes     []string // what was left out of its lists
}

// startServers is the message that the first frame is on the screen.
type startServers struct{ talk int }

// connectServers begins connecting once the frame that shows the conversation is there.
func (m *model) connectServers() tea.Cmd {
	if m.conv.MCP.Start == nil {
		return nil
	}
	return m.afterFrame(0, startServers{m.talks})
}

func (m *model) onStartServers(s startServers) {
	if s.talk == m.talks && m.conv.MCP.Start != nil {
		m.conv.MCP.Start()
	}
}

// serverPrompts are the prompts of servers, as slash commands.
func (m *model) serverPrompts() []slash {
	if m.conv.MCP.List == nil {
		return nil
	}
	var list []slash
	for _, s := range m.conv.MCP.List() {
		for _, p := range s.Prompts {
			about := "MCP " + s.Name
			if p.About != "" {
				about += ": " + p.About
			}
			list = append(list, slash{p.Name, p.Hint, about, m.filled(s.Name, p.Name), nil})
		}
	}
	return list
}

// filled has a server make a prompt's text and sends it, with what is on the row.
func (m *model) filled(server, prompt string) func(*model, string) tea.Cmd {
	return func(m *model, args string) tea.Cmd {
		if m.onlyRead() || m.sayBlind() {
			return nil
		}
		fill := m.conv.MCP.Fill
		return m.start("asking "+flat(server)+" for the prompt…", nil, func(ctx context.Context) func(*model) tea.Cmd {
			text, err := fill(ctx, prompt, args)
			return func(m *model) tea.Cmd {
				if err != nil {
					m.fail(err)
					return nil
				}
				return m.post(parcel{text: text, pictures: m.row.take(), untrusted: "the MCP server " + server})
			}
		})
	}
}

var serverWords = []string{"enable", "disable", "reconnect"}

func (m *model) runServers(args string) tea.Cmd {
	s := m.conv.MCP
	if s.List == nil {
		return m.missing()
	}
	verb, name, _ := strings.Cut(args, " ")
	name = strings.TrimSpace(name)
	do := map[string]func(string) error{"enable": s.Enable, "disable": s.Disable, "reconnect": s.Reconnect}[verb]
	switch {
	case args == "":
		m.showServers()
	case do == nil || name == "":
		m.say(fmt.Sprintf("/mcp takes %s and a server's name, not %q", strings.Join(serverWords, ", "), flat(args)), true)
	default:
		if err := do(name); err != nil {
			m.say(err.Error(), true)
			return nil
		}
		m.showServers()
	}
	return nil
}

// showServers lists the servers; one that is taken is shown with what can be done.
func (m *model) showServers() {
	d := newPicker("MCP servers", serverChoices(m.conv.MCP.List()), func(c choice, _ string) tea.Cmd {
		m.showServer(c.label)
		return nil
	})
	d.renew = func() []choice { return serverChoices(m.conv.MCP.List()) }
	d.footer = "enter shows one · changes hold for this session · esc closes"
	if len(d.choices) == 0 {
		d.filters, d.choose = false, nil
		d.body = func(width int) []string {
			return wrapAll([]string{"No MCP server is configured. One is a table [mcp.NAME] in config.toml; docs/extending.md shows how."}, width)
		}
	}
	m.dialog = d
}

func serverChoices(list []Server) []choice {
	out := make([]choice, len(list))
	for i, s := range list {
		out[i] = choice{label: s.Name, about: serverState(s) + " · " + s.Where}
	}
	return out
}

// serverState is "ready with 12 tools".
func serverState(s Server) string {
	switch s.State {
	case "ready":
		return "ready with " + amount(len(s.Tools), "tool")
	case "failed":
		return "failed: " + s.Error
	case "connecting":
		return "connecting…"
	}
	return s.State
}

// showServer shows all there is to know of a server.
func (m *model) showServer(name string) {
	find := func() (Server, bool) {
		list := m.conv.MCP.List()
		i := slices.IndexFunc(list, func(s Server) bool { return s.Name == name })
		if i < 0 {
			return Server{}, false
		}
		return list[i], true
	}
	choices := func() []choice {
		s, _ := find()
		if s.State == "off" {
			return []choice{{label: "back"}, {label: "switch it on", value: m.conv.MCP.Enable}}
		}
		return []choice{{label: "back"}, {label: "connect again", value: m.conv.MCP.Reconnect}, {label: "switch it off", value: m.conv.MCP.Disable}}
	}
	d := newPicker("MCP server "+name, choices(), func(c choice, _ string) tea.Cmd {
		if do, ok := c.value.(func(string) error); ok {
			if err := do(name); err != nil {
				m.say(err.Error(), true)
			}
		}
		m.showServers()
		return nil
	})
	d.filters = false
	d.renew = choices
	d.body = func(width int) []string {
		s, ok := find()
		if !ok {
			return wrapAll([]string{"It is not in the settings any more."}, width)
		}
		return m.serverLines(s, width)
	}
	d.footer = "pgup pgdown scroll · what is changed holds for this session · esc closes"
	m.dialog = d
}

func (m *model) serverLines(s Server, width int) []string {
	where := s.Where
	if s.Project {
		where += " (from this folder's settings)"
	}
	lines := wrapAll([]string{serverState(s), where}, width)
	for _, n := range s.Notes {
		lines = append(lines, styled(wrap(safe(n), width), m.t.warn.Render)...)
	}
	if s.Resources > 0 {
		lines = append(lines, wrapAll([]string{amount(s.Resources, "resource") + ", which the model reads with read_resource"}, width)...)
	}
	if len(s.Tools) > 0 {
		lines = append(append(lines, "", m.t.strong.Render("Tools")), m.toolLines(s.Tools, width)...)
	}
	if len(s.Prompts) > 0 {
		lines = append(lines, "", m.t.strong.Render("Prompts"))
		for _, p := range s.Prompts {
			lines = append(lines, wrapAll([]string{"/" + p.Name + " " + p.Hint + "  " + p.About}, width)...)
		}
	}
	return lines
}

// toolLines are tools in a line or two each: the name with its marks, and what it is for.
func (m *model) toolLines(list []Tool, width int) []string {
	var lines []string
	for _, t := range list {
		name := cut(flat(t.Name), width)
		marks := strings.Join(toolMarks(t), ", ")
		if marks != "" && cellsOf(name)+cellsOf(marks)+2 <= width {
			marks = "  " + m.t.dim.Render(marks)
		} else if marks != "" {
			marks = ""
		}
		lines = append(lines, m.t.accent.Render(name)+marks)
		if about := flat(t.About); about != "" && width > 4 {
			lines = append(lines, "  "+m.t.dim.Render(cut(about, width-2)))
		}
	}
	return lines
}

// showTool shows what a model is told of a tool.
func (m *model) showTool(t Tool) {
	d := &dialog{title: flat(t.Name), footer: "↑↓ pgup pgdown scroll · esc closes"}
	d.body = func(width int) []string {
		var lines []string
		if head := strings.Join(toolFacts(t), ", "); head != "" {
			lines = append(wrapAll([]string{head}, width), "")
		}
		for _, line := range strings.Split(screen.Visible(t.About), "\n") {
			lines = append(lines, wrap(line, width)...)
		}
		return lines
	}
	m.dialog = d
}

// onServersChanged brings what is shown of the servers up to date.
func (m *model) onServersChanged() {
	if m.dialog != nil && m.dialog.renew != nil {
		m.dialog.at = 0 // the body is made anew
		m.dialog.refill(m.dialog.renew())
	}
}
