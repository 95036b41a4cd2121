package headless

import (
	"fmt"
	"os/exec"
	"strings"
)

// MCPServer is a configured MCP server.
type MCPServer struct {
	Name    string
	Where   string   // its program, or its address without a query
	Program string   // that it needs; "" where it is reached over HTTP
	Missing []string // variables it wants that are not set
	Off     bool
	Project bool
}

// check says whether a server could be connected to, without doing it.
func (s MCPServer) check() Check {
	c := Check{Name: "MCP " + s.Name, State: "ok", Found: s.Where}
	if s.Project {
		c.Found += ", from this folder's settings"
	}
	if s.Off {
		c.Found += ", switched off"
	}
	_, err := exec.LookPath(s.Program)
	switch {
	case s.Program != "" && err != nil:
		c.State, c.Found, c.Remedy = "bad", c.Found+"; the program was not found", fmt.Sprintf("install %s, or correct mcp.%s.command", s.Program, s.Name)
	case len(s.Missing) > 0:
		c.State, c.Found, c.Remedy = "bad", c.Found+"; it wants variables that are not set: "+strings.Join(s.Missing, ", "), "export them before espy starts"
	}
	if s.Off && c.State == "bad" {
		c.State = "note"
	}
	return c
}
