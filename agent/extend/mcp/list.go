package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/tools"
	"espy/providers"
)

// catalog is what a server offers, as far as it is taken.
type catalog struct {
	tools     []tools.Tool
	shown     []ToolStatus
	prompts   []Prompt
	resources []Resource
	notes     []string
}

// note tells the person what was left out.
func (c *catalog) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// list asks a server for its tools, prompts and resources, as far as it says it has them.
func (s *server) list(ctx context.Context, l *link) (catalog, error) {
	var c catalog
	info := l.session.InitializeResult()
	if info == nil || info.Capabilities == nil {
		return c, nil
	}
	has := info.Capabilities
	if has.Tools != nil {
		found, err := pages(ctx, l, mostTools, func(ctx context.Context, cursor string) ([]*sdk.Tool, string, error) {
			page, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return page.Tools, page.NextCursor, nil
		})
		if err != nil {
			return c, fmt.Errorf("its tools cannot be listed: %w", err)
		}
		s.takeTools(&c, found)
	}
	if has.Resources != nil {
		s.listResources(ctx, l, &c)
	}
	if has.Prompts != nil {
		s.listPrompts(ctx, l, &c)
	}
	return c, nil
}

// pages goes through a list, as many entries as are taken and one to tell that there are more.
func pages[T any](ctx context.Context, l *link, most int, page func(ctx context.Context, cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	cursor := ""
	for range mostPages {
		var next string
		err := l.ask(ctx, func(ctx context.Context) error {
			found, after, err := page(ctx, cursor)
			all, next = append(all, found...), after
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(all) > most {
			return all[:most+1], nil
		}
		if next == "" || next == cursor {
			break
		}
		cursor = next
	}
	return all, nil
}

// takeTools makes tools of a server's list: the allowed ones, bounded, each with a name of its own.
func (s *server) takeTools(c *catalog, found []*sdk.Tool) {
	if len(found) > mostTools {
		found = found[:mostTools]
		c.note("only the first %d tools were taken", mostTools)
	}
	taken := map[string]string{}
	var known []string
	for _, t := range found {
		if t == nil || t.Name == "" {
			continue
		}
		known = append(known, t.Name)
		if len(s.config.Tools) > 0 && !matches(s.config.Tools, t.Name) || matches(s.config.Deny, t.Name) {
			continue
		}
		if s.secrets.scrub(t.Name) != t.Name {
			c.note("a tool whose name holds a key was left out")
			continue
		}
		name := ToolName(s.config.Name, t.Name)
		if other, twice := taken[name]; twice {
			if other == t.Name {
				c.note("the tool %s is listed twice; the first is used", s.line(t.Name))
				continue
			}
			first := name
			name = hashed(name, t.Name)
			c.note("the tools %s and %s would both be called %s; the second is called %s", s.line(other), s.line(t.Name), first, name)
		}
		schema, err := s.schema(t)
		if err != nil {
			c.note("the tool %s was left out: %v", s.line(t.Name), err)
			continue
		}
		taken[name] = t.Name
		s.addTool(c, t, name, schema)
	}
	for _, wanted := range slices.Concat(s.config.Tools, s.config.ReadOnly) {
		if !strings.ContainsAny(wanted, "*?[") && wanted != readResource && !slices.Contains(known, wanted) {
			c.note("the settings name a tool %s, which the server does not have", oneLine(wanted, mostName))
		}
	}
}

func (s *server) addTool(c *catalog, t *sdk.Tool, name, schema string) {
	about := s.harmless(t.Description)
	if about == "" {
		about = s.line(t.Title)
	}
	if len(about) > mostDescription {
		about = clip(about, mostDescription) + "…"
	}
	if about == "" {
		about = "The tool " + s.line(t.Name) + " of the MCP server " + s.config.Name + "."
	}
	made := s.tool(providers.ToolSpec{Name: name, Description: about, Schema: schema}, t.Name)
	c.tools = append(c.tools, made)
	c.shown = append(c.shown, ToolStatus{Name: name, Title: s.line(t.Name), Description: oneLine(about, mostSaid), ReadOnly: made.ReadOnly})
}

// schema is the arguments' schema as it came, which providers clean of what they do not take.
func (s *server) schema(t *sdk.Tool) (string, error) {
	if t.InputSchema == nil {
		return `{"type":"object","properties":{}}`, nil
	}
	if _, object := t.InputSchema.(map[string]any); !object {
		return "", fmt.Errorf("the schema of its arguments is no object")
	}
	encoded, err := json.Marshal(t.InputSchema)
	if err != nil {
		return "", fmt.Errorf("the schema of its arguments cannot be read: %w", err)
	}
	if len(encoded) > mostSchema {
		return "", fmt.Errorf("the schema of its arguments has %d bytes; at most %d are taken", len(encoded), mostSchema)
	}
	return s.secrets.scrub(string(encoded)), nil
}

func (s *server) readOnly(tool string) bool {
	return !s.config.Project && matches(s.config.ReadOnly, tool)
}
