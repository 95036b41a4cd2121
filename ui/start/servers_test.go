package start

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/extend/mcp/mcptest"
	"espy/agent/guard"
	"espy/agent/message"
)

// standin is a server's command and environment in the settings, for a stand-in.
func standin(t *testing.T, kind string) (command, env string) {
	argv, all := mcptest.Command(t, kind)
	var pairs []string
	for k, v := range all {
		pairs = append(pairs, fmt.Sprintf("%s = %q", k, v))
	}
	return fmt.Sprintf("command = [%q]", argv[0]), strings.Join(pairs, ", ")
}

// served is a screen with servers of these settings, connected.
func served(t *testing.T, settings string) *Screen {
	t.Helper()
	s := settingsIn(t, "model = \"fake/echo\"\n"+settings)
	screen, err := NewScreen(t.Context(), s, Request{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return screen
}

func joined(t *testing.T, screen *Screen) {
	t.Helper()
	servers := screen.current().servers
	servers.Start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	servers.Wait(ctx)
}

func TestTheBrowserExampleAndThePagesServersAreUsedAsTheyStand(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join("..", "..", "examples", "mcp", "browser.toml"))
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?s)```toml\n(\\[mcp\\..*?)```").FindStringSubmatch(string(page))
	if fence == nil {
		t.Fatal("the page has no example of a server")
	}
	command, env := standin(t, "browser")
	for name, text := range map[string]string{"the page's": fence[1], "the example": string(example)} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("BROWSER_TOKEN", "token-of-the-browser")
			text = regexp.MustCompile(`(?m)^command = .*`).ReplaceAllString(text, command)
			if strings.Contains(text, "\nenv = { ") {
				text = strings.Replace(text, "env = { ", "env = { "+env+", ", 1)
			} else {
				text += "[mcp.browser.env]\n" + strings.ReplaceAll(env, ", ", "\n") + "\n"
			}
			screen := served(t, text)
			joined(t, screen)
			room := screen.current()
			st := room.servers.Status()[0]
			if st.Name != "browser" || st.State != "ready" {
				t.Fatalf("it is %+v", st)
			}
			for tool, want := range map[string]guard.Verdict{"browser_snapshot": guard.Allow, "browser_navigate": guard.Ask} {
				made, ok := room.tools.Lookup("mcp__browser__" + tool)
				if !ok {
					t.Fatalf("there is no %s among %+v", tool, st.Tools)
				}
				effect, err := made.Effect(nil, `{"url":"http://127.0.0.1/"}`)
				if err != nil {
					t.Fatal(err)
				}
				if d := room.Guard.Decide(effect); d.Verdict != want {
					t.Errorf("%s: %+v", tool, d)
				}
			}
			if _, there := room.tools.Lookup("mcp__browser__browser_evaluate"); there {
				t.Error("a denied tool is offered")
			}
			room.Agent.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: `call mcp__browser__browser_take_screenshot {}`}}}})
			room.Agent.Send(agent.SetMode{Mode: guard.ModeFull})
			if done := await[agent.CallFinished](t, room.Agent); len(done.Result.Images) != 1 {
				t.Errorf("the picture of the page came to %+v", done.Result)
			}
		})
	}
}

func TestServersStartWithTheScreenAndFollowTheSettings(t *testing.T) {
	command, env := standin(t, "sdk")
	table := "[mcp.box]\n" + command + "\nenv = { " + env + " }\n"
	screen := served(t, table)
	room := screen.current()
	options := screen.Options()
	if st := options.MCP.List()[0]; st.State != "waiting" {
		t.Errorf("before the first frame it is %s", st.State)
	}
	options.MCP.Start()
	mcptest.Eventually(t, "the server", func() bool { return options.MCP.List()[0].State == "ready" })
	file := screen.settings.Dirs.ConfigFile()
	rewrite := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("model = \"fake/echo\"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := screen.refresh(t.Context())
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "mcp") }) {
			t.Errorf("it says %q", said)
		}
	}
	rewrite(table + "deny = [\"echo\"]\n")
	mcptest.Eventually(t, "the denied tool to go", func() bool {
		_, echo := room.tools.Lookup("mcp__box__echo")
		_, shot := room.tools.Lookup("mcp__box__shot")
		return !echo && shot
	})
	rewrite("")
	mcptest.Eventually(t, "the server to go", func() bool {
		_, shot := room.tools.Lookup("mcp__box__shot")
		return !shot && len(options.MCP.List()) == 0
	})
}

func TestAServerThatFailsIsToldOnceAndRulesForNoServerAreNamed(t *testing.T) {
	command, env := standin(t, "quits")
	screen := served(t, "[mcp.box]\n"+command+"\nenv = { "+env+" }\n[permissions]\ndeny = [\"mcp__box__x\", \"mcp__*\"]\n")
	joined(t, screen)
	for {
		notice := await[agent.Notice](t, screen.current().Agent)
		if notice.Kind == agent.NoticeError {
			if !strings.Contains(notice.Sentence, "The MCP server box cannot be used") || !strings.Contains(notice.Sentence, "/mcp shows more") {
				t.Errorf("it says %q", notice.Sentence)
			}
			break
		}
	}
	s := faultySettingsIn(t, "[mcp.gallery]\n"+command+"\n[permissions]\ndeny = [\"mcp__galery__x\"]\n")
	if !slices.ContainsFunc(s.Problems, func(p string) bool {
		return strings.Contains(p, "mcp__galery__x") && strings.Contains(p, `did you mean "gallery"?`)
	}) {
		t.Errorf("the problems are %q", s.Problems)
	}
}
