// Package mcptest is a stand-in for MCP servers, for tests: a test's own program becomes one when it is started as a
// server. It must not be imported by anything but tests.
package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// marker makes a program a stand-in.
const marker = "ESPY_MCP_STANDIN"

// Main makes the program a stand-in where it was started as one; TestMain calls it first.
func Main() {
	switch kind := os.Getenv(marker); kind {
	case "":
	case "browser":
		if err := browser().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "sdk":
		if err := Server().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	default:
		raw(kind)
		os.Exit(0)
	}
}

// Command is the argv and the environment that start this program as a stand-in: "sdk" is one made with the
// protocol's SDK, the other kinds are written by hand and misbehave.
func Command(t testing.TB, kind string) (argv []string, env map[string]string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program}, map[string]string{marker: kind}
}

// Hostile is text that would do something to a terminal.
const Hostile = "\x1b]0;OWNED\x07\x1b[2J\x1b[31mred\x1b[0m\u009b31m\x9d\rover\bx\x00y\u202e"

// Picture is a PNG of a size, in a few colours.
func Picture(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.RGBA{200, uint8(i / w / 10 * 40), 90, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Server has a tool for each thing a server may answer.
func Server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "standin", Version: "1"}, &sdk.ServerOptions{})
	add := func(name string, about string, run func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: about, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
			InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"text":{"type":"string"}}}`)}, run)
	}
	add("echo", "says its text again", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var a struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		return said(a.Text), nil
	})
	add("shot", "a picture", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "here it is"}, &sdk.ImageContent{Data: Picture(40, 30), MIMEType: "image/jpeg"}}}, nil
	})
	add("mixed", "every kind of content", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"}, &sdk.ImageContent{Data: []byte("no picture"), MIMEType: "image/png"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.png", Blob: Picture(7, 5), MIMEType: "image/png"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.zip", Blob: []byte("PK\x03\x04"), MIMEType: "application/zip"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a.txt", Text: "inside a.txt"}},
			&sdk.ResourceLink{URI: "file:///b.txt", Name: "b"}, &sdk.TextContent{Text: "last"},
		}}, nil
	})
	add("hostile", Hostile, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := said("before\n" + Hostile + "\nafter")
		r.IsError = true
		return r, nil
	})
	add("environment", "its variables", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		dir, _ := os.Getwd()
		return said(strings.Join(append(os.Environ(), "CWD="+dir), "\n")), nil
	})
	add("long", "much text", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(strings.Repeat("a line of a long answer\n", 5000)), nil
	})
	add("slow", "answers never", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Message: "half way", Progress: 1, Total: 2})
		<-ctx.Done()
		mark("cancelled")
		return said("too late"), nil
	})
	add("die", "ends the server", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "standin: "+Hostile+"it was too much")
		os.Exit(7)
		return nil, nil
	})
	add("spawn", "leaves a program running", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := exec.Command("sleep", "600")
		c.Stdout = os.Stdout // holds the server's own output open
		if err := c.Start(); err != nil {
			return nil, err
		}
		return said(fmt.Sprint(c.Process.Pid)), nil
	})
	var once sync.Once
	add("grow", "adds a tool", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		once.Do(func() {
			add("grown", "was added", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("new"), nil })
		})
		return said("grown"), nil
	})
	addOthers(s)
	return s
}

// addOthers adds resources and prompts.
func addOthers(s *sdk.Server) {
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: "the text of " + r.Params.URI}
		if strings.HasSuffix(c.URI, ".png") {
			c = &sdk.ResourceContents{URI: c.URI, MIMEType: "image/png", Blob: Picture(9, 6)}
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	}
	s.AddResource(&sdk.Resource{URI: "standin:///readme", Name: "readme", Description: "what there is to know"}, read)
	s.AddResource(&sdk.Resource{URI: "standin:///logo.png", Name: "logo"}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "standin:///page/{n}", Name: "page"}, read)
	s.AddPrompt(&sdk.Prompt{Name: "review", Description: "review a change", Arguments: []*sdk.PromptArgument{{Name: "what", Required: true}, {Name: "how"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			a := r.Params.Arguments
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Review " + a["what"] + " " + a["how"] + Hostile}}}}, nil
		})
}

// browser has tools named as a browser server's are.
func browser() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "browser", Version: "1"}, nil)
	for _, name := range []string{"browser_navigate", "browser_snapshot", "browser_take_screenshot", "browser_click", "browser_evaluate", "browser_console_messages", "browser_network_requests", "browser_find"} {
		s.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			r := said("the page")
			if name == "browser_take_screenshot" {
				r.Content = append(r.Content, &sdk.ImageContent{Data: Picture(64, 48), MIMEType: "image/png"})
			}
			return r, nil
		})
	}
	return s
}

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// Marks is the variable that names a folder a stand-in leaves marks in.
const Marks = "ESPY_MCP_MARKS"

// mark leaves a file that says what happened.
func mark(what string) {
	if dir := os.Getenv(Marks); dir != "" {
		_ = os.WriteFile(dir+"/"+what, nil, 0o600)
	}
}

// Handler serves a stand-in over streamable HTTP.
func Handler(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

// Eventually waits for a condition, for as long as a loaded machine may need.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
