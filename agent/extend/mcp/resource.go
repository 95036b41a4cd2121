package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

// Resource is something a server has to read.
type Resource struct {
	URI         string
	Name        string
	Description string
	Template    bool // URI holds {placeholders}
}

// readResource is the tool that lists and reads a server's resources, beside the server's own.
const readResource = "read_resource"

// listResources takes the list of resources and templates. A server that cannot list them has none.
func (s *server) listResources(ctx context.Context, l *link, c *catalog) {
	found, err := pages(ctx, l, mostResources, func(ctx context.Context, cursor string) ([]*sdk.Resource, string, error) {
		page, err := l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Resources, page.NextCursor, nil
	})
	if err != nil {
		c.note("its resources cannot be listed: %s", s.line(err.Error()))
	}
	for _, r := range found {
		if r != nil && r.URI != "" {
			s.addResource(c, Resource{URI: r.URI, Name: first(r.Title, r.Name), Description: r.Description})
		}
	}
	templates, err := pages(ctx, l, mostResources, func(ctx context.Context, cursor string) ([]*sdk.ResourceTemplate, string, error) {
		page, err := l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.ResourceTemplates, page.NextCursor, nil
	})
	for _, t := range templates {
		if err == nil && t != nil && t.URITemplate != "" {
			s.addResource(c, Resource{URI: t.URITemplate, Name: first(t.Title, t.Name), Description: t.Description, Template: true})
		}
	}
	if len(c.resources) > 0 && (len(s.config.Tools) == 0 || matches(s.config.Tools, readResource)) && !matches(s.config.Deny, readResource) {
		s.addResourceTool(c)
	}
}

func (s *server) addResource(c *catalog, r Resource) {
	switch {
	case len(c.resources) == mostResources:
		c.note("only the first %d resources were taken", mostResources)
		fallthrough
	case len(c.resources) > mostResources:
		return
	case len(r.URI) > mostURI || oneLine(r.URI, mostURI) != r.URI || s.secrets.scrub(r.URI) != r.URI:
		c.note("a resource with a faulty address was left out")
		return
	}
	r.Name, r.Description = s.line(r.Name), s.line(r.Description)
	c.resources = append(c.resources, r)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// addResourceTool offers the resources to the model.
func (s *server) addResourceTool(c *catalog) {
	name := ToolName(s.config.Name, readResource)
	for _, t := range c.shown {
		if t.Name == name {
			name = hashed(name, "resources")
			c.note("the server has a tool %s of its own; espy's, which reads resources, is called %s", readResource, name)
			break
		}
	}
	spec := providers.ToolSpec{Name: name,
		Description: fmt.Sprintf("Reads a resource of the MCP server %s by its uri. Without uri it lists the %s there are.", s.config.Name, amount(len(c.resources), "resource")),
		Schema:      `{"type":"object","properties":{"uri":{"type":"string","description":"The resource's address, with every {placeholder} filled."}},"additionalProperties":false}`}
	readOnly := s.readOnly(readResource)
	resources := c.resources
	c.tools = append(c.tools, tools.Tool{Spec: spec, ReadOnly: readOnly, Source: tools.SourceServer(s.config.Name), Keywords: []string{s.config.Name, "mcp", "resources"},
		Effect: func(_ *tools.Env, args string) (guard.Effect, error) {
			uri, err := uriOf(args)
			if err != nil {
				return guard.Effect{}, fmt.Errorf("%s: %w", name, err)
			}
			if uri == "" {
				return guard.Effect{Tool: name, Kind: guard.KindNone, Summary: s.config.Name + ": list its resources"}, nil
			}
			return s.effect(name, s.config.Name+": read a resource", uri, readOnly), nil
		},
		Run: func(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			uri, err := uriOf(call.Args)
			switch {
			case err != nil:
				return failed(call, fmt.Sprintf("%s: %v", name, err)), nil
			case uri == "":
				return s.gather(ctx, env, call, "its resources", []sdk.Content{&sdk.TextContent{Text: resourceLines(resources)}}, false)
			}
			return s.read(ctx, env, call, uri)
		}})
	c.shown = append(c.shown, ToolStatus{Name: name, Title: readResource, Description: spec.Description, ReadOnly: readOnly})
}

func uriOf(args string) (string, error) {
	given, err := arguments(args)
	if err != nil {
		return "", err
	}
	var a struct {
		URI *string `json:"uri"`
	}
	switch err := json.Unmarshal(given, &a); {
	case err != nil:
		return "", errors.New("uri is a text")
	case a.URI == nil:
		return "", nil
	case len(*a.URI) > mostURI || oneLine(*a.URI, mostURI) != *a.URI:
		return "", errors.New("uri is no address")
	}
	return *a.URI, nil
}

func resourceLines(list []Resource) string {
	lines := make([]string, 0, min(len(list), mostListed)+1)
	for i, r := range list {
		if i == mostListed {
			lines = append(lines, fmt.Sprintf("[%d more are not listed]", len(list)-i))
			break
		}
		line := r.URI
		if r.Name != "" {
			line += ": " + r.Name
		}
		if r.Description != "" {
			line += ", " + r.Description
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// read reads a resource.
func (s *server) read(ctx context.Context, env *tools.Env, call message.ToolCall, uri string) (tools.Outcome, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	var result *sdk.ReadResourceResult
	err := s.exchange(ctx, func(ctx context.Context, l *link) (err error) {
		result, err = l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		return err
	})
	if outer.Err() != nil {
		return tools.Outcome{}, outer.Err()
	}
	if err != nil {
		return s.blame(ctx, call, err), nil
	}
	content := make([]sdk.Content, 0, len(result.Contents))
	for _, r := range result.Contents {
		content = append(content, &sdk.EmbeddedResource{Resource: r})
	}
	return s.gather(outer, env, call, uri, content, false)
}
