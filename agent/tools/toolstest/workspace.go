// Package toolstest gives tests a workspace to run tools in: a real folder, real roots, a real gate and a real
// shell, with blobs in memory. It knows the tools' contract and nothing of the loop, the log or a screen.
package toolstest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
	"espy/providers"
)

// Workspace is a folder with an Env for it. Route, and what Pictures knows, may be changed between calls.
type Workspace struct {
	Dir   string // absolute, links resolved
	Env   *tools.Env
	Blobs *Blobs
	Tools *tools.Registry
	Route providers.Route

	t        testing.TB
	mu       sync.Mutex
	pictures map[string]message.PictureRecord
	progress []string
	calls    int
}

// New makes an empty workspace that lasts as long as the test.
func New(t testing.TB) *Workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	roots, err := guard.NewRoots(dir, nil, guard.NewSecrets(guard.SecretOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { roots.Close() })
	w := &Workspace{
		Dir:      dir,
		Blobs:    &Blobs{},
		Tools:    tools.New(tools.Builtin()...),
		Route:    providers.Route{Model: providers.Model{ID: "test", ImageInput: providers.Supported}},
		t:        t,
		pictures: map[string]message.PictureRecord{},
	}
	w.Env = &tools.Env{
		Workspace: dir,
		Roots:     roots,
		Blobs:     w.Blobs,
		Gate:      media.NewGate(),
		Route:     func() providers.Route { return w.Route },
		Picture:   w.picture,
		Progress:  w.onProgress,
		Ledger:    &tools.Ledger{},
		Jobs:      &tools.Jobs{},
	}
	t.Cleanup(w.Env.Jobs.End)
	return w
}

func (w *Workspace) picture(ref string) (message.PictureRecord, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rec, ok := w.pictures[ref]
	return rec, ok
}

func (w *Workspace) onProgress(callID, line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress = append(w.progress, line)
}

// Progress returns the progress lines so far.
func (w *Workspace) Progress() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.progress...)
}

// Path is the absolute path of a name in the workspace.
func (w *Workspace) Path(name string) string { return filepath.Join(w.Dir, filepath.FromSlash(name)) }

// Write puts a file into the workspace, as a person would.
func (w *Workspace) Write(name, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.Path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.Path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// Read returns a file's content.
func (w *Workspace) Read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.Path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// Effect asks a tool what a call would do. Args is JSON text or a value to encode.
func (w *Workspace) Effect(tool string, args any) (guard.Effect, error) {
	w.t.Helper()
	return w.tool(tool).Effect(w.Env, w.encode(args))
}

// Call runs a tool as the loop does: its effect first, whose error is the result, then the call. The pictures of
// the result are known from then on. A Go error fails the test.
func (w *Workspace) Call(tool string, args any) tools.Outcome {
	w.t.Helper()
	out, err := w.CallContext(context.Background(), tool, args)
	if err != nil {
		w.t.Fatalf("%s: %v", tool, err)
	}
	return out
}

// CallContext is Call with a context, and with the Go error of broken machinery.
func (w *Workspace) CallContext(ctx context.Context, tool string, args any) (tools.Outcome, error) {
	w.t.Helper()
	t := w.tool(tool)
	text := w.encode(args)
	w.mu.Lock()
	w.calls++
	call := message.ToolCall{ID: "call_" + string(rune('0'+w.calls%10)), Name: tool, Args: text}
	w.mu.Unlock()
	if _, err := t.Effect(w.Env, text); err != nil {
		return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: err.Error(), IsError: true}}, nil
	}
	out, err := t.Run(ctx, w.Env, call)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, rec := range out.Pictures {
		w.pictures[rec.Ref] = rec
	}
	return out, err
}

func (w *Workspace) tool(name string) tools.Tool {
	w.t.Helper()
	t, ok := w.Tools.Lookup(name)
	if !ok {
		w.t.Fatal(w.Tools.Missing(name))
	}
	return t
}

func (w *Workspace) encode(args any) string {
	w.t.Helper()
	if text, ok := args.(string); ok {
		return text
	}
	text, err := json.Marshal(args)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
