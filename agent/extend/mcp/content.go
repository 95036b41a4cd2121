package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/extend"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
)

// outcome turns a server's answer into a result: its words, and its pictures through the gate. It marks the result
// as untrusted.
func (s *server) outcome(ctx context.Context, env *tools.Env, call message.ToolCall, tool string, r *sdk.CallToolResult) (tools.Outcome, error) {
	content := r.Content
	if len(content) == 0 && r.StructuredContent != nil {
		if encoded, err := json.Marshal(r.StructuredContent); err == nil {
			content = []sdk.Content{&sdk.TextContent{Text: string(encoded)}}
		}
	}
	if len(content) == 0 && r.NeedsInput() {
		r.IsError = true
		content = []sdk.Content{&sdk.TextContent{Text: "[the server wants to ask the user something, which espy does not let it]"}}
	}
	return s.gather(ctx, env, call, tool, content, r.IsError)
}

// gather puts contents together in their order.
func (s *server) gather(ctx context.Context, env *tools.Env, call message.ToolCall, what string, content []sdk.Content, isError bool) (tools.Outcome, error) {
	words, pictures := s.sort(content)
	text, ref, err := tools.Spill(ctx, env, words)
	if err != nil {
		return tools.Outcome{}, err
	}
	out := tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: text, IsError: isError, Meta: map[string]string{message.MetaTaint: s.taint()}}}
	if ref != "" {
		out.Result.Meta[message.MetaBlob] = ref
	}
	for i, p := range pictures {
		if i == mostPictures {
			out.Result.Text += fmt.Sprintf("\n[only the first %d pictures were taken]", mostPictures)
			break
		}
		if err := extend.TakePicture(ctx, env, &out, p, i+1); err != nil {
			return tools.Outcome{}, err
		}
	}
	out.Result.Text = strings.TrimPrefix(out.Result.Text, "\n")
	if strings.TrimSpace(out.Result.Text) == "" && len(out.Result.Images) == 0 {
		out.Result.Text = "(no output)"
	}
	out.Result.Meta[message.MetaSummary] = s.summary(what, words, len(out.Result.Images))
	return out, nil
}

func (s *server) summary(what, words string, pictures int) string {
	summary := s.config.Name + ": " + s.line(what)
	if words = strings.TrimSpace(words); words != "" {
		summary += fmt.Sprintf(", %s", amount(strings.Count(words, "\n")+1, "line"))
	}
	if pictures > 0 {
		summary += ", " + amount(pictures, "picture")
	}
	return summary
}

func amount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sort puts a server's contents into words and pictures. What is neither is named.
func (s *server) sort(content []sdk.Content) (words string, pictures []media.Source) {
	var lines []string
	room := mostText
	say := func(text string) {
		text = s.harmless(clip(text, room))
		if room -= len(text); text != "" {
			lines = append(lines, text)
		}
	}
	picture := func(name string, data []byte) {
		pictures = append(pictures, media.Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))})
	}
	for _, c := range content {
		switch c := c.(type) {
		case *sdk.TextContent:
			say(c.Text)
		case *sdk.ImageContent:
			picture(fmt.Sprintf("picture %d of %s", len(pictures)+1, s.config.Name), c.Data)
		case *sdk.AudioContent:
			say(fmt.Sprintf("[audio, %s, %d bytes: no model is sent sound, so it was left out]", known(c.MIMEType), len(c.Data)))
		case *sdk.ResourceLink:
			say(linkLine(c))
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				s.resource(c.Resource, say, picture)
			}
		default:
			say("[content of a kind espy does not know was left out]")
		}
	}
	if room <= 0 {
		lines = append(lines, fmt.Sprintf("[cut after %d bytes]", mostText))
	}
	return strings.Join(lines, "\n"), pictures
}

// resource puts what a resource holds into words or pictures.
func (s *server) resource(r *sdk.ResourceContents, say func(string), picture func(string, []byte)) {
	switch {
	case r.Blob == nil:
		say(r.Text)
	case media.SniffKind(r.Blob).Picture:
		picture(oneLine(clip(r.URI, mostURI), 80), r.Blob)
	default:
		say(fmt.Sprintf("[%s: %s, %d bytes, which is not read]", clip(r.URI, mostURI), known(r.MIMEType), len(r.Blob)))
	}
}

func linkLine(l *sdk.ResourceLink) string {
	line := fmt.Sprintf("[resource %s: %s", clip(l.URI, mostURI), clip(l.Name, mostSaid))
	if l.Description != "" {
		line += ", " + clip(l.Description, mostSaid)
	}
	return line + "; read_resource reads it]"
}

func known(kind string) string {
	if kind == "" {
		return "no media type"
	}
	return clip(kind, 100)
}
