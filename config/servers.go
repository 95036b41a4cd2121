package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// MCPServer is an [mcp.NAME] table. Values of Env and Headers hold ${env:NAME} as written: they are filled when the
// server is connected to.
type MCPServer struct {
	Command  []string          // the program and its arguments
	Cwd      string            // folder it runs in; "" is the workspace
	Env      map[string]string // variables it gets
	Pass     []string          // names of variables it gets as they are
	URL      string            // instead of Command
	Headers  map[string]string // with URL
	Enabled  bool
	Timeout  int // seconds of one request; 0 says nothing
	Tools    []string
	Deny     []string
	ReadOnly []string
	Defer    *bool // nil says nothing
	Project  bool  // from a project's file
}

// maxServerTimeout bounds mcp.NAME.timeout, in seconds.
const maxServerTimeout = 3600

// serverTable is the table of MCP servers.
const serverTable = "mcp"

func serverRows() []row {
	field := func(path string, k kind, doc string, change func(s *MCPServer, at []string, v any)) row {
		return row{path: serverTable + ".*." + path, kind: k, name: CheckServer, project: "a server of its own", doc: doc, set: func(c *Config, at []string, v any) {
			s, ok := c.MCP[at[0]]
			if !ok {
				s.Enabled = true
			}
			change(&s, at, v)
			c.MCP[at[0]] = s
		}}
	}
	command := field("command", texts, "The program of an MCP server and its arguments, run directly: `[\"npx\", \"-y\", \"some-server\"]`.", func(s *MCPServer, _ []string, v any) { s.Command = v.([]string) })
	cwd := field("cwd", text, "The folder it runs in.", func(s *MCPServer, _ []string, v any) { s.Cwd = v.(string) })
	cwd.unset = "the workspace"
	pass := field("env", texts, "Names of variables it gets beyond the usual ones; or, as a table, what follows.", func(s *MCPServer, _ []string, v any) { s.Pass = v.([]string) })
	pass.check = CheckVariable
	env := field("env.*", text, "A variable it gets; `${env:NAME}` is filled when it is started, and never shown or written anywhere.", func(s *MCPServer, at []string, v any) { s.Env = with(s.Env, at[1], v.(string)) })
	env.name, env.secret, env.refers = CheckVariable, true, true
	url := field("url", text, "Where an MCP server is that speaks streamable HTTP, instead of `command`.", func(s *MCPServer, _ []string, v any) { s.URL = v.(string) })
	url.check = CheckURL
	headers := field("headers.*", text, "A header of every request to it; `${env:NAME}` is filled when it is connected to, and never shown or written anywhere.", func(s *MCPServer, at []string, v any) { s.Headers = with(s.Headers, at[1], v.(string)) })
	headers.name, headers.secret, headers.refers = CheckHeader, true, true
	enabled := field("enabled", flag, "Whether it is started; `/mcp` switches it for a session.", func(s *MCPServer, _ []string, v any) { s.Enabled = v.(bool) })
	enabled.unset = "`true`"
	timeout := field("timeout", number, "Seconds that one request to it may take, the start too.", func(s *MCPServer, _ []string, v any) { s.Timeout = int(min(v.(int64), maxServerTimeout)) })
	timeout.unset, timeout.least = "60", 1
	only := field("tools", texts, "Which of its tools are taken, as it calls them; `*` stands for any letters.", func(s *MCPServer, _ []string, v any) { s.Tools = v.([]string) })
	only.unset = "all"
	deny := field("deny", texts, "Which of its tools are left out.", func(s *MCPServer, _ []string, v any) { s.Deny = v.([]string) })
	reads := field("read_only", texts, "Which of its tools only look, by your word: they run unasked in every mode. What it says of itself is not believed.", func(s *MCPServer, _ []string, v any) { s.ReadOnly = v.([]string) })
	reads.project = ""
	later := field("defer", flag, "Whether its tools are looked up by name instead of being carried by every request.", func(s *MCPServer, _ []string, v any) { d := v.(bool); s.Defer = &d })
	later.unset = "where there are more than 12 or they are over 8 KiB"
	for _, r := range []*row{&only, &deny, &reads} {
		r.check = CheckPattern
	}
	return []row{command, cwd, pass, env, url, headers, enabled, timeout, only, deny, reads, later}
}

// with is a map with one more entry.
func with(m map[string]string, name, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}

// refer checks each ${env:NAME} of a value that is filled later. The value is in no sentence.
func (m *merging) refer(e entry) (any, bool) {
	good := true
	tell := func(format string, args ...any) {
		m.problem(e.value.at, e.path, false, format, args...)
		good = false
	}
	for _, found := range reference().FindAllStringSubmatch(e.text, -1) {
		if !varName().MatchString(found[1]) {
			tell("%s: %s is not the name of a variable", shown(e.path), quoted(found[1]))
		}
	}
	switch {
	case strings.Contains(reference().ReplaceAllString(e.text, ""), "${env:"):
		tell("%s: a ${env:NAME} is not closed", shown(e.path))
	case strings.ContainsAny(e.text, "\r\n\x00"):
		tell("%s: a line break cannot be sent", shown(e.path))
	}
	return e.text, good
}

// taken reports whether a project speaks of a server that the person configured too: theirs stands alone, so that no
// key of theirs goes where a project says.
func (m *merging) taken(e entry) bool {
	if m.layer != projectLayer || e.path[0] != serverTable || len(e.path) < 2 || !m.theirs[e.path[1]] {
		return false
	}
	if name := e.path[1]; !m.skipped[name] {
		m.skipped[name] = true
		m.problem(e.at, e.path[:2], false, "your own settings have an MCP server %s; the project's is ignored", quoted(name))
	}
	return true
}

// servers leaves out what cannot be a server. One with any fault is left out as a whole: what was lost may have
// restricted it.
func (m *merging) servers() {
	for name, s := range m.config.MCP {
		if m.theirs[name] {
			continue
		}
		path := []string{serverTable, name}
		s.Project = m.layer == projectLayer
		m.config.MCP[name] = s
		at := m.tableAt(path)
		switch {
		case m.faulty[name]:
			m.problem(at, path, false, "the MCP server %s is left out until that is mended", quoted(name))
		case len(s.Command) == 0 && s.URL == "" && !s.Enabled: // keeps a project's server of this name off
			continue
		case len(s.Command) == 0 && s.URL == "":
			m.problem(at, path, false, "[%s] has neither command nor url, so it is ignored", shown(path))
		case len(s.Command) > 0 && s.URL != "":
			m.problem(at, path, false, "[%s] has a command and a url; give one of them", shown(path))
		case s.URL != "" && (len(s.Env)+len(s.Pass) > 0 || s.Cwd != ""):
			m.problem(at, path, false, "[%s] has a url, to which env and cwd do not belong; a key goes into headers", shown(path))
		case len(s.Command) > 0 && len(s.Headers) > 0:
			m.problem(at, path, false, "[%s] has a command, to which headers do not belong; a key goes into env", shown(path))
		case len(s.Command) > 0 && (s.Command[0] == "" || s.Project && !projectProgram(s.Command[0])):
			m.problem(at, path, false, "[%s]: the program %s is neither the name of a program nor its whole path", shown(path), quoted(s.Command[0]))
		default:
			continue
		}
		delete(m.config.MCP, name)
	}
}

// projectProgram keeps a project from starting what lies in the workspace, where calls may change it.
func projectProgram(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' || !strings.ContainsAny(name, `/\`)
}

// tableAt is where a table begins.
func (m *merging) tableAt(path []string) int {
	for _, h := range m.doc.tables {
		if len(h.path) >= 2 && h.path[0] == path[0] && h.path[1] == path[1] {
			return h.at
		}
	}
	for _, e := range m.doc.entries {
		if e.path[0] == path[0] && (len(e.path) == 1 || e.path[1] == path[1]) {
			return e.at
		}
	}
	return 0
}

var (
	serverShape  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9_-]{0,23}\z`) })
	headerShape  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\A[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}\\z") })
	patternShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[^\x00-\x1f\x7f\\]{1,200}\z`) })
)

func checkServer(text string) error {
	if !serverShape().MatchString(text) || strings.Contains(text, "__") {
		return errors.New("it has letters, digits, dashes and single underscores only, 24 at most")
	}
	return nil
}

func checkVariable(text string) error {
	if !varName().MatchString(text) {
		return errors.New("it has letters, digits and underscores only")
	}
	return nil
}

func checkHeader(text string) error {
	if !headerShape().MatchString(text) {
		return errors.New("it has letters, digits and dashes")
	}
	return nil
}

func checkPattern(text string) error {
	if !patternShape().MatchString(text) || strings.Count(text, "[") != strings.Count(text, "]") {
		return fmt.Errorf("it is written as the server calls the tool, with * for any letters")
	}
	return nil
}
