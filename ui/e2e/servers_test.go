//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/extend/mcp"
	"espy/agent/extend/mcp/mcptest"
	"espy/ui/terminal"
)

// serving is a table of the settings for a stand-in of an MCP server.
func serving(t testing.TB, name, kind string, env map[string]string, more string) string {
	argv, all := mcptest.Command(t, kind)
	for k, v := range env {
		all[k] = v
	}
	var pairs, words []string
	for k, v := range all {
		pairs = append(pairs, k+" = "+tomlString(v))
	}
	for _, a := range argv {
		words = append(words, tomlString(a))
	}
	return fmt.Sprintf("\n[mcp.%s]\ncommand = [%s]\nenv = { %s }\n%s\n", name, strings.Join(words, ", "), strings.Join(pairs, ", "), more)
}

// add puts more into the person's settings.
func (w *world) add(toml string) {
	w.t.Helper()
	name := filepath.Join(w.root, "config/espy/config.toml")
	before, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	w.write(name, append(before, toml...))
}

func TestAPictureFromEachRoadReachesTheModelAsTheSameFourFields(t *testing.T) {
	picture := mcptest.Picture(40, 30)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "image/png")
		_, _ = rw.Write(picture)
	}))
	t.Cleanup(server.Close)
	w := newWorld(t)
	host := strings.TrimPrefix(server.URL, "http://")
	w.configure("model = \"fake/echo\"\n[tools]\nprivate_hosts = [\"" + host + "\"]\n" + serving(t, "box", "sdk", nil, "read_only = [\"shot\"]"))
	w.write("shot.png", picture)
	envelope, _ := json.Marshal(map[string]any{"text": "here", "images": []any{map[string]string{"base64": base64.StdEncoding.EncodeToString(picture)}}})
	w.write("envelope.json", envelope)
	tools := filepath.Join(w.root, "config/espy/tools")
	w.write(filepath.Join(tools, "file.toml"), []byte("kind = \"command\"\nname = \"shooter\"\ndescription = \"d\"\nread_only = true\noutput = \"envelope\"\nargv = [\"cat\", \"envelope.json\"]\n"))
	w.write(filepath.Join(tools, "net.toml"), []byte("kind = \"http\"\nname = \"gallery\"\ndescription = \"d\"\nread_only = true\noutput = \"picture\"\nurl = \""+server.URL+"/p.png\"\n"))
	seen := regexp.MustCompile(`image: (image/[a-z]+, \d+x\d+,\s+blobs/[0-9a-f]{64}\.[a-z]+)`)
	roads := map[string]string{}
	for road, call := range map[string]string{
		"a file": `read {"path":"shot.png"}`, "a command tool": `shooter {}`, "an HTTP tool": `gallery {}`, "fetch": `fetch {"url":"` + server.URL + `/p.png"}`, "an MCP server": `mcp__box__shot {}`,
	} {
		answer := w.ask("call "+call, "--allow", "shooter", "--allow", "gallery", "--allow", "fetch")
		found := seen.FindStringSubmatch(answer)
		if found == nil {
			t.Errorf("%s brought no picture:\n%s", road, answer)
			continue
		}
		roads[road] = found[1]
	}
	for road, fields := range roads {
		if fields != roads["a file"] {
			t.Errorf("from %s the model gets %s, from a file %s", road, fields, roads["a file"])
		}
	}
}

func TestAnMCPServerCannotSteerTheTerminal(t *testing.T) {
	w := newWorld(t)
	attack := strings.Join(attacks(), " ")
	says := mcp.ToolName("box", "says"+strings.ReplaceAll(attack, "\x00", ""))
	w.script(scripted(calls(says, map[string]any{}), calls("mcp__box__fails", map[string]any{}), calls("mcp__box__read_resource", map[string]any{})))
	w.add(serving(t, "box", "steers", map[string]string{mcptest.Text: attack}, "") + serving(t, "lost", "quits", map[string]string{"ESPY_MCP_KEY": attack}, ""))
	term := w.opened("--mode", "full")
	term.WaitFor("The MCP server lost cannot be used")
	send(term, "/mcp")
	term.WaitFor("ready with 3 tools")
	term.Send(terminal.Enter)
	term.WaitFor("Prompts")
	leave(term, "MCP server box")
	send(term, "/tools")
	term.WaitFor("enter shows what")
	term.Send("mcp__box__f")
	term.WaitFor("[server box]")
	leave(term, "enter shows what")
	term.Send("/mcp__box")
	term.WaitFor("MCP box: ")
	term.Send("\x15")
	send(term, "hello there")
	term.WaitFor("that is all")
	term.Send("\x0f") // ctrl+o unfolds all
	term.WaitFor("it failed")
	term.WaitFor("pwned")
	untouched(t, term)
	obedient(t, term)
	quit(t, term)
}

func TestARepositorysServersAreInertUntilTheyAreAcceptedAsTheyAre(t *testing.T) {
	w := newWorld(t)
	mark := filepath.Join(w.root, "started")
	server := fmt.Sprintf("[mcp.evil]\ncommand = [\"touch\", %q]\n[mcp.far]\nurl = \"http://127.0.0.1:1/\"\n", mark)
	w.write(".espy/config.toml", []byte(server))
	term := w.opened()
	term.WaitFor("Not accepted")
	send(term, "/mcp")
	term.WaitFor("No MCP server is configured")
	leave(term, "MCP servers")
	send(term, "/trust accept")
	term.WaitFor("started") // what it would run is shown
	leave(term, "accept what this folder brings along?")
	send(term, "hello there")
	term.WaitFor("I received")
	quitWith(t, term)
	w.ask("hello")
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a repository that nobody accepted started a program")
	}
	w.ask("hello", "--accept-workspace")
	if _, err := os.Stat(mark); err != nil {
		t.Fatal("an accepted server was not started, so that starting none proves nothing")
	}
	os.Remove(mark)
	w.write(".espy/config.toml", []byte(server+"# changed\n"))
	w.ask("hello")
	if _, err := os.Stat(mark); err == nil {
		t.Error("a repository whose settings changed since it was accepted started a program")
	}
}

func TestAKeyForToolsAndServersIsNowhereButWhereItWasSent(t *testing.T) {
	const key = "s3cr3t/key+of the+person"
	got := make(chan string, 100)
	inner := mcptest.Handler(func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
		s.AddTool(&sdk.Tool{Name: "tell", Description: "tells " + key, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "it is " + key}}}, nil
		})
		return s
	}())
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		given := r.Header.Get("X-Key") + r.Header.Get("Authorization")
		got <- given
		if r.URL.Path == "/mcp" {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			inner.ServeHTTP(rw, r)
			return
		}
		fmt.Fprintf(rw, "you sent %s and %q", given, r.Header)
	}))
	t.Cleanup(server.Close)
	w := newWorld(t).with("SERVICE_CREDENTIAL=" + key)
	w.script(scripted(calls("asker", map[string]any{}), calls("mcp__box__environment", map[string]any{}), calls("mcp__far__tell", map[string]any{}), calls("mcp__lost__x", map[string]any{})))
	w.add(serving(t, "box", "sdk", map[string]string{"GIVEN": "${env:SERVICE_CREDENTIAL}"}, "") + serving(t, "lost", "quits", map[string]string{"ESPY_MCP_KEY": "${env:SERVICE_CREDENTIAL}"}, "") +
		"[mcp.far]\nurl = \"" + server.URL + "/mcp\"\nheaders = { Authorization = \"Bearer ${env:SERVICE_CREDENTIAL}\" }\n")
	w.write(filepath.Join(w.root, "config/espy/tools/asker.toml"), []byte("kind = \"http\"\nname = \"asker\"\ndescription = \"d\"\nurl = \""+server.URL+"/ask\"\n[headers]\nX-Key = \"${env:SERVICE_CREDENTIAL}\"\n"))
	trace := filepath.Join(w.root, "state", "trace.jsonl")
	r := w.run("run", "hello", "--mode", "full", "--events", "--trace", trace)
	if r.code != 0 || !strings.Contains(r.stdout, "[secret]") {
		t.Fatalf("the run ended with %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	term := w.opened("--mode", "full", "--trace", trace+"2")
	term.WaitFor("The MCP server lost cannot be used")
	send(term, "hello there")
	term.WaitFor("that is all")
	quitWith(t, term)
	doctor := w.run("doctor", "--offline")
	shown := w.run("config", "show")
	places := everything(t, filepath.Join(w.root, "state"))
	places["the screen"], places["standard output"], places["standard error"] = string(term.Output()), r.stdout, r.stderr
	places["the diagnosis"], places["the settings as shown"] = doctor.stdout+doctor.stderr, shown.stdout+shown.stderr
	encoded, _ := json.Marshal(key)
	for place, text := range places {
		for _, form := range []string{key, strings.Trim(string(encoded), `"`), "s3cr3t"} {
			if strings.Contains(text, form) {
				t.Errorf("the key is in %s", place)
			}
		}
	}
	if traced := places[trace]; !strings.Contains(traced, "mcp__box__environment") || !strings.Contains(traced, "[secret]") {
		t.Errorf("the trace does not hold the requests, so that finding no key in it proves nothing: %.300s", traced)
	}
	if len(got) == 0 || !strings.Contains(<-got, key) {
		t.Error("the server was not sent the key, so that finding it nowhere proves nothing")
	}
}
