package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text a server has ready for the person to send, as a slash command.
type Prompt struct {
	Name        string // of the command, without the slash
	Server      string
	Description string
	Arguments   []PromptArgument

	remote string // as the server calls it
}

// PromptArgument is what a prompt wants to know.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
}

// Hint is what a prompt takes, as usage writes it.
func (p Prompt) Hint() string {
	parts := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		if parts[i] = strings.ToUpper(a.Name); !a.Required {
			parts[i] = "[" + parts[i] + "]"
		}
	}
	return strings.Join(parts, " ")
}

// listPrompts takes the list of prompts. A server that cannot list them has none.
func (s *server) listPrompts(ctx context.Context, l *link, c *catalog) {
	found, err := pages(ctx, l, mostPrompts, func(ctx context.Context, cursor string) ([]*sdk.Prompt, string, error) {
		page, err := l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Prompts, page.NextCursor, nil
	})
	if err != nil {
		c.note("its prompts cannot be listed: %s", s.line(err.Error()))
		return
	}
	if len(found) > mostPrompts {
		found = found[:mostPrompts]
		c.note("only the first %d prompts were taken", mostPrompts)
	}
	for _, p := range found {
		if p == nil || p.Name == "" || s.secrets.scrub(p.Name) != p.Name {
			continue
		}
		made := Prompt{Name: ToolName(s.config.Name, p.Name), Server: s.config.Name, Description: s.line(first(p.Description, p.Title)), remote: p.Name}
		if slices.ContainsFunc(c.prompts, func(other Prompt) bool { return other.Name == made.Name }) {
			made.Name = hashed(made.Name, p.Name)
		}
		for _, a := range p.Arguments {
			if a != nil {
				made.Arguments = append(made.Arguments, PromptArgument{Name: s.line(a.Name), Description: s.line(a.Description), Required: a.Required})
			}
		}
		c.prompts = append(c.prompts, made)
	}
}

// Prompt has a server fill a prompt. Args are words in the order of the prompt's arguments, or NAME=VALUE; quotes
// keep words together, and the last argument takes all that is left. The text is the server's: nobody vouches for it.
func (s *Servers) Prompt(ctx context.Context, name, args string) (text string, err error) {
	for _, server := range s.all() {
		server.mu.Lock()
		prompts := server.catalog.prompts
		server.mu.Unlock()
		for _, p := range prompts {
			if p.Name == name {
				return server.fill(ctx, p, args)
			}
		}
	}
	return "", fmt.Errorf("no MCP server has the prompt /%s now", name)
}

// fill asks the server for a prompt's text.
func (s *server) fill(ctx context.Context, p Prompt, args string) (string, error) {
	given, err := p.arguments(args)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	var result *sdk.GetPromptResult
	err = s.exchange(ctx, func(ctx context.Context, l *link) (err error) {
		result, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.remote, Arguments: given})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the MCP server %s could not fill the prompt: %s", s.config.Name, s.line(err.Error()))
	}
	var parts []string
	for _, m := range result.Messages {
		if m == nil || m.Content == nil {
			continue
		}
		words, pictures := s.sort([]sdk.Content{m.Content})
		if len(pictures) > 0 {
			words = strings.TrimSpace(words + "\n[a picture of the prompt was left out]")
		}
		if m.Role == "assistant" {
			words = "You said before: " + words
		}
		parts = append(parts, words)
	}
	text := strings.TrimSpace(strings.Join(parts, "\n\n"))
	if text == "" {
		return "", fmt.Errorf("the prompt /%s of the MCP server %s is empty", p.Name, s.config.Name)
	}
	return text, nil
}

// arguments reads what was typed behind a prompt's name.
func (p Prompt) arguments(typed string) (map[string]string, error) {
	given := map[string]string{}
	var plain []string
	words, err := split(typed)
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		name, value, named := strings.Cut(w, "=")
		if named && slices.ContainsFunc(p.Arguments, func(a PromptArgument) bool { return a.Name == name }) {
			given[name] = value
			continue
		}
		plain = append(plain, w)
	}
	var open []string
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; !ok {
			open = append(open, a.Name)
		}
	}
	for i, name := range open {
		if i >= len(plain) {
			break
		}
		given[name] = plain[i]
		if i == len(open)-1 {
			given[name] = strings.Join(plain[i:], " ")
		}
	}
	if len(open) == 0 && len(plain) > 0 {
		return nil, fmt.Errorf("/%s takes %s; %q is too much", p.Name, first(p.Hint(), "no arguments"), plain[0])
	}
	for _, a := range p.Arguments {
		if a.Required && given[a.Name] == "" {
			return nil, fmt.Errorf("/%s needs %s: /%s %s", p.Name, a.Name, p.Name, p.Hint())
		}
	}
	return given, nil
}

// split takes a line apart at blanks; quotes of either kind keep words together.
func split(line string) (words []string, err error) {
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'') && !begun:
			quote, begun = r, true
		case quote == 0 && r == '"':
			quote = r
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
