package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"espy/agent/extend/mcp/mcptest"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// stage is servers at work, and what they published.
type stage struct {
	*Servers
	t    *testing.T
	env  *tools.Env
	dir  string
	mu   sync.Mutex
	list map[string][]tools.Tool
}

// play starts servers and waits until they are settled.
func play(t *testing.T, configs ...Config) *stage {
	t.Helper()
	s := prepare(t, configs...)
	s.Start()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	s.Wait(ctx)
	return s
}

func prepare(t *testing.T, configs ...Config) *stage {
	t.Helper()
	s := &stage{t: t, env: toolstest.New(t).Env, dir: t.TempDir(), list: map[string][]tools.Tool{}}
	s.Servers = New(configs, Options{Workspace: s.env.Workspace, Version: "test", Environ: os.Environ(), Getenv: os.LookupEnv,
		Secret:  func(name string) bool { return name == "PROVIDER_KEY" },
		Publish: func(server string, list []tools.Tool) { s.mu.Lock(); s.list[server] = list; s.mu.Unlock() }})
	t.Cleanup(s.Close)
	return s
}

// program is a stand-in that runs as a program.
func standin(t *testing.T, kind string) Config {
	argv, env := mcptest.Command(t, kind)
	return Config{Name: "box", Command: argv, Env: env, Timeout: 30 * time.Second}
}

func (s *stage) tools(server string) []tools.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[server]
}

func (s *stage) tool(name string) (tools.Tool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.list {
		for _, t := range list {
			if t.Spec.Name == name {
				return t, true
			}
		}
	}
	return tools.Tool{}, false
}

func (s *stage) call(name, args string) tools.Outcome {
	s.t.Helper()
	return s.callIn(s.t.Context(), name, args)
}

func (s *stage) callIn(ctx context.Context, name, args string) tools.Outcome {
	s.t.Helper()
	tool, ok := s.tool("mcp__box__" + name)
	if !ok {
		s.t.Fatalf("there is no tool %s; the server is %+v", name, s.Status()[0])
	}
	if _, err := tool.Effect(s.env, args); err != nil {
		return failed(message.ToolCall{}, err.Error())
	}
	out, err := tool.Run(ctx, s.env, message.ToolCall{ID: "c1", Name: tool.Spec.Name, Args: args})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *stage) state(want State) Status {
	s.t.Helper()
	var got Status
	mcptest.Eventually(s.t, "the state "+string(want), func() bool { got = s.Status()[0]; return got.State == want })
	return got
}

// overHTTP serves the SDK's stand-in on a real server.
func overHTTP(t *testing.T) (Config, *httptest.Server) {
	server := httptest.NewServer(mcptest.Handler(mcptest.Server()))
	t.Cleanup(server.Close)
	return Config{Name: "box", URL: server.URL + "/mcp", Timeout: 30 * time.Second}, server
}

// bothWays runs a test over a program's pipes and over HTTP.
func bothWays(t *testing.T, test func(t *testing.T, c Config)) {
	t.Run("program", func(t *testing.T) { test(t, standin(t, "sdk")) })
	t.Run("http", func(t *testing.T) { c, _ := overHTTP(t); test(t, c) })
}

func TestNothingIsStartedBeforeStart(t *testing.T) {
	marks := t.TempDir()
	c := standin(t, "sdk")
	c.Command = []string{"touch", filepath.Join(marks, "started")}
	s := prepare(t, c)
	if got := s.Status()[0].State; got != Waiting {
		t.Errorf("it is %s", got)
	}
	s.Close()
	if entries, _ := os.ReadDir(marks); len(entries) > 0 {
		t.Error("the program was started")
	}
}

func TestToolsOfAServerAreCalledByNamesOfTheirOwn(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		if got := s.Status()[0]; got.State != Ready || got.Error != "" {
			t.Fatalf("it is %+v", got)
		}
		out := s.call("echo", `{"text":"grüß dich"}`)
		if out.Result.IsError || out.Result.Text != "grüß dich" || out.Result.Meta[message.MetaTaint] == "" {
			t.Errorf("the answer is %+v", out.Result)
		}
		tool, _ := s.tool("mcp__box__echo")
		if tool.ReadOnly {
			t.Error("the server's own word that a tool only reads was believed")
		}
		if tool.Source != tools.SourceServer("box") || !strings.Contains(tool.Spec.Schema, `"text"`) {
			t.Errorf("the tool is %+v", tool.Spec)
		}
	})
}

func TestPicturesPassTheGateAndEverythingElseIsNamed(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		out := s.call("shot", `{}`)
		if len(out.Result.Images) != 1 || out.Result.Text != "here it is" {
			t.Fatalf("the answer is %+v", out.Result)
		}
		img := out.Result.Images[0]
		if img.MediaType != "image/png" || img.Width != 40 || img.Height != 30 || !strings.HasPrefix(img.Ref, "blobs/") || len(out.Pictures) != 1 || out.Pictures[0].Call != "c1" {
			t.Errorf("the picture is %+v, its record %+v", img, out.Pictures)
		}
		out = s.call("mixed", `{}`)
		if len(out.Result.Images) != 1 || out.Result.Images[0].Width != 7 {
			t.Errorf("the pictures are %+v", out.Result.Images)
		}
		for _, want := range []string{"[audio, audio/wav, 4 bytes", "[picture 1 was not taken:", "file:///a.zip: application/zip, 4 bytes", "inside a.txt", "[resource file:///b.txt: b; read_resource reads it]", "last"} {
			if !strings.Contains(out.Result.Text, want) {
				t.Errorf("%q is not in %q", want, out.Result.Text)
			}
		}
	})
}

func TestWhatAServerSaysIsHarmless(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		out := s.call("hostile", `{}`)
		if !out.Result.IsError || !strings.HasPrefix(out.Result.Text, "before\n") || !strings.HasSuffix(out.Result.Text, "\nafter") {
			t.Errorf("the answer is %q", out.Result.Text)
		}
		tool, _ := s.tool("mcp__box__hostile")
		for what, text := range map[string]string{"answer": out.Result.Text, "description": tool.Spec.Description} {
			if i := strings.IndexFunc(text, controls); i >= 0 || strings.Contains(text, "OWNED") {
				t.Errorf("the %s holds a control character at %d: %q", what, i, text)
			}
		}
	})
}

func TestLongAnswersAreSpilled(t *testing.T) {
	s := play(t, standin(t, "sdk"))
	out := s.call("long", `{}`)
	if len(out.Result.Text) > 40_000 || out.Result.Meta[message.MetaBlob] == "" {
		t.Errorf("%d bytes are shown, stored as %q", len(out.Result.Text), out.Result.Meta[message.MetaBlob])
	}
}

func TestWrongArgumentsAreTheModelsToMend(t *testing.T) {
	s := play(t, standin(t, "sdk"))
	for _, args := range []string{`[]`, `{"a":`, `{} {}`, `"x"`} {
		if out := s.call("echo", args); !out.Result.IsError || !strings.Contains(out.Result.Text, "JSON object") {
			t.Errorf("%s gives %q", args, out.Result.Text)
		}
	}
	if out := s.call("echo", ``); out.Result.IsError {
		t.Errorf("no arguments give %q", out.Result.Text)
	}
}

func TestACallIsCancelledWithItsContextAndAtItsTimeout(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		marks := t.TempDir()
		if c.URL == "" {
			c.Env[mcptest.Marks] = marks
		} else {
			t.Setenv(mcptest.Marks, marks)
		}
		c.Timeout = 3 * time.Second
		s := play(t, c)
		cancelled := func() bool { _, err := os.Stat(filepath.Join(marks, "cancelled")); return err == nil }
		out := s.call("slow", `{}`)
		if !out.Result.IsError || !strings.Contains(out.Result.Text, "did not answer within 3s") {
			t.Errorf("at the timeout: %q", out.Result.Text)
		}
		mcptest.Eventually(t, "the server to hear of it", cancelled)
		_ = os.Remove(filepath.Join(marks, "cancelled"))

		ctx, cancel := context.WithCancel(t.Context())
		var progress sync.Once
		s.env.Progress = func(_, line string) {
			if line == "half way" {
				progress.Do(cancel)
			}
		}
		tool, _ := s.tool("mcp__box__slow")
		if _, err := tool.Run(ctx, s.env, message.ToolCall{ID: "c2", Args: "{}"}); err != context.Canceled {
			t.Errorf("a cancelled call ends with %v", err)
		}
		mcptest.Eventually(t, "the server to hear of it", cancelled)
		if out := s.call("echo", `{"text":"still there"}`); out.Result.Text != "still there" {
			t.Errorf("afterwards: %q", out.Result.Text)
		}
	})
}

func TestAServerThatDiesInACallIsToldAndStartedAgainByTheNext(t *testing.T) {
	s := play(t, standin(t, "sdk"))
	out := s.call("die", `{}`)
	if !out.Result.IsError || !strings.Contains(out.Result.Text, "exit status 7") || !strings.Contains(out.Result.Text, "it was too much") || strings.ContainsRune(out.Result.Text, 0x1b) {
		t.Errorf("the call gives %q", out.Result.Text)
	}
	if got := s.state(Failed); !strings.Contains(got.Error, "it was too much") || len(got.Tools) == 0 {
		t.Errorf("it is %+v", got)
	}
	if out := s.call("echo", `{"text":"again"}`); out.Result.Text != "again" {
		t.Errorf("the next call gives %q", out.Result.Text)
	}
	if got := s.Status()[0]; got.State != Ready {
		t.Errorf("it is %+v", got)
	}
}

func TestAServerOverHTTPThatForgotTheSessionIsJoinedAgainUnseen(t *testing.T) {
	handler := mcptest.Handler(mcptest.Server())
	current := &handler
	var mu sync.Mutex
	server := httptest.NewServer(swapped(&mu, &current))
	t.Cleanup(server.Close)
	s := play(t, Config{Name: "box", URL: server.URL, Timeout: 30 * time.Second})
	fresh := mcptest.Handler(mcptest.Server())
	mu.Lock()
	current = &fresh
	mu.Unlock()
	if out := s.call("echo", `{"text":"again"}`); out.Result.Text != "again" {
		t.Errorf("the call gives %q", out.Result.Text)
	}
}

func TestChangedToolsArePublished(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		if _, early := s.tool("mcp__box__grown"); early {
			t.Fatal("the tool is there already")
		}
		s.call("grow", `{}`)
		mcptest.Eventually(t, "the new tool", func() bool { _, ok := s.tool("mcp__box__grown"); return ok })
		if out := s.call("grown", `{}`); out.Result.Text != "new" {
			t.Errorf("it gives %q", out.Result.Text)
		}
	})
}

func TestResourcesAreListedAndReadByATool(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		list := s.call("read_resource", `{}`).Result.Text
		for _, want := range []string{"standin:///readme: readme, what there is to know", "standin:///logo.png: logo", "standin:///page/{n}: page"} {
			if !strings.Contains(list, want) {
				t.Errorf("%q is not in %q", want, list)
			}
		}
		if out := s.call("read_resource", `{"uri":"standin:///page/7"}`); out.Result.Text != "the text of standin:///page/7" || out.Result.Meta[message.MetaTaint] == "" {
			t.Errorf("the page is %+v", out.Result)
		}
		if out := s.call("read_resource", `{"uri":"standin:///logo.png"}`); len(out.Result.Images) != 1 || out.Result.Images[0].Width != 9 {
			t.Errorf("the picture is %+v", out.Result)
		}
		if out := s.call("read_resource", `{"uri":"nowhere:///x"}`); !out.Result.IsError {
			t.Errorf("a resource that is not there gives %q", out.Result.Text)
		}
	})
}

func TestPromptsAreFilledWithWhatIsTyped(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		prompts := s.Status()[0].Prompts
		if len(prompts) != 1 || prompts[0].Name != "mcp__box__review" || prompts[0].Hint() != "WHAT [HOW]" || prompts[0].Description != "review a change" {
			t.Fatalf("the prompts are %+v", prompts)
		}
		for typed, want := range map[string]string{`main.go`: "Review main.go ", `"two words" very closely`: "Review two words very closely", `how=fast x`: "Review x fast"} {
			text, err := s.Prompt(t.Context(), "mcp__box__review", typed)
			if err != nil || !strings.HasPrefix(text, want) || strings.IndexFunc(text, controls) >= 0 {
				t.Errorf("%s gives %q, %v", typed, text, err)
			}
		}
		for _, typed := range []string{``, `how=x`, `"open`} {
			if text, err := s.Prompt(t.Context(), "mcp__box__review", typed); err == nil {
				t.Errorf("%q gives %q", typed, text)
			}
		}
		if _, err := s.Prompt(t.Context(), "mcp__box__nothing", ""); err == nil {
			t.Error("a prompt that is not there was filled")
		}
	})
}

func TestAPersonSwitchesServersOffAndOnAndStartsThemAgain(t *testing.T) {
	bothWays(t, func(t *testing.T, c Config) {
		s := play(t, c)
		tool, _ := s.tool("mcp__box__echo")
		if err := s.Disable("box"); err != nil {
			t.Fatal(err)
		}
		s.state(Off)
		mcptest.Eventually(t, "its tools to go", func() bool { return len(s.tools("box")) == 0 })
		out, err := tool.Run(t.Context(), s.env, message.ToolCall{ID: "c", Args: "{}"})
		if err != nil || !out.Result.IsError || !strings.Contains(out.Result.Text, "switched off") {
			t.Errorf("a call of a server that is off gives %q, %v", out.Result.Text, err)
		}
		if err := s.Enable("box"); err != nil {
			t.Fatal(err)
		}
		s.state(Ready)
		if err := s.Reconnect("box"); err != nil {
			t.Fatal(err)
		}
		if out := s.call("echo", `{"text":"x"}`); out.Result.Text != "x" {
			t.Errorf("after that a call gives %q", out.Result.Text)
		}
		if err := s.Enable("nobody"); err == nil {
			t.Error("a server that is not there was switched on")
		}
	})
}

func TestOnlyTheToolsThePersonWantsAreTakenAndTheirWordCounts(t *testing.T) {
	c := standin(t, "sdk")
	c.Tools, c.Deny, c.ReadOnly = []string{"e*", "shot", "missing"}, []string{"environment"}, []string{"echo"}
	s := play(t, c)
	var names []string
	for _, t := range s.tools("box") {
		names = append(names, t.Spec.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"mcp__box__echo", "mcp__box__shot"}) {
		t.Errorf("taken are %v", names)
	}
	if tool, _ := s.tool("mcp__box__echo"); !tool.ReadOnly {
		t.Error("the person's word that a tool only looks was not taken")
	}
	if notes := strings.Join(s.Status()[0].Notes, "; "); !strings.Contains(notes, "a tool missing, which the server does not have") {
		t.Errorf("the notes are %q", notes)
	}
	c.Project = true
	if tool, _ := play(t, c).tool("mcp__box__echo"); tool.ReadOnly {
		t.Error("a project's word that a tool only looks was taken")
	}
}

// swapped serves whatever handler stands there at the moment.
func swapped(mu *sync.Mutex, current **http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := **current
		mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

func TestOtherSettingsChangeTheServersTheyAreAboutAlone(t *testing.T) {
	same, other := standin(t, "sdk"), standin(t, "sdk")
	other.Name = "other"
	s := play(t, same, other)
	started := func() string { return s.call("environment", `{}`).Result.Text }
	before := started()
	s.call("grow", `{}`) // what tells the process from a new one
	mcptest.Eventually(t, "the new tool", func() bool { _, ok := s.tool("mcp__box__grown"); return ok })
	other.ReadOnly = []string{"echo"}
	third := standin(t, "sdk")
	third.Name = "third"
	s.Configure([]Config{third, same, other})
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	s.Wait(ctx)
	mcptest.Eventually(t, "the changed server", func() bool { tool, ok := s.tool("mcp__other__echo"); return ok && tool.ReadOnly })
	if _, ok := s.tool("mcp__third__echo"); !ok || before != started() {
		t.Errorf("the third is there: %v", ok)
	}
	if _, ok := s.tool("mcp__box__grown"); !ok {
		t.Error("a server whose settings are the same was started again")
	}
	s.Configure([]Config{same})
	mcptest.Eventually(t, "the others to go", func() bool { return len(s.tools("other")) == 0 && len(s.tools("third")) == 0 })
	if len(s.Status()) != 1 {
		t.Errorf("there are %+v", s.Status())
	}
}

func TestSwitchingAServerOffWhileItConnectsIsNoFailure(t *testing.T) {
	s := prepare(t, standin(t, "mute"))
	var mu sync.Mutex
	var states []State
	s.opt.Changed = func(_ string, state State, _ string) { mu.Lock(); states = append(states, state); mu.Unlock() }
	s.Start()
	s.state(Connecting)
	if err := s.Disable("box"); err != nil {
		t.Fatal(err)
	}
	s.state(Off)
	s.Close()
	mu.Lock()
	defer mu.Unlock()
	if slices.Contains(states, Failed) || states[len(states)-1] != Off {
		t.Errorf("it went through %v", states)
	}
}
