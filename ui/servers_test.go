package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"espy/agent"
)

// rack is the servers of a test.
type rack struct {
	mu      sync.Mutex
	started bool
	state   map[string]string
	did     []string
}

func (r *rack) options(o *Options) {
	change := func(verb, state string) func(string) error {
		return func(name string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.state[name] == "" {
				return errors.New("there is no MCP server " + name)
			}
			r.did = append(r.did, verb+" "+name)
			r.state[name] = state
			return nil
		}
	}
	o.MCP = Servers{
		Start: func() { r.mu.Lock(); r.started = true; r.mu.Unlock() },
		List: func() []Server {
			r.mu.Lock()
			defer r.mu.Unlock()
			return []Server{
				{Name: "box", State: r.state["box"], Where: "npx box-server", Resources: 2, Tools: []Tool{{Name: "mcp__box__look", About: "looks", ReadOnly: true}, {Name: "mcp__box__act", About: "acts", Deferred: true}},
					Prompts: []Command{{Name: "mcp__box__review", Hint: "WHAT", About: "review a change"}}, Notes: []string{"only the first 256 tools were taken"}},
				{Name: "lost", State: r.state["lost"], Where: "lost.example", Error: "connection refused", Project: true},
			}
		},
		Enable: change("enable", "ready"), Disable: change("disable", "off"), Reconnect: change("reconnect", "connecting"),
		Fill: func(_ context.Context, prompt, args string) (string, error) {
			if args == "" {
				return "", errors.New("/" + prompt + " needs what")
			}
			return "Review " + args + " as @box says", nil
		},
	}
}

func TestServersAreStartedOnceTheScreenIsThereAndShownAsTheyStand(t *testing.T) {
	r := &rack{state: map[string]string{"box": "connecting", "lost": "failed"}}
	d := drive(t, 100, 30, r.options, agent.Opened{Session: "s"})
	d.until("the servers to be started", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.started })
	d.types("/mcp")
	d.key("enter")
	d.shows("connecting…")
	d.shows("failed: connection refused")
	r.mu.Lock()
	r.state["box"] = "ready"
	r.mu.Unlock()
	d.push(agent.ServersChanged{})
	d.until("the news", func() bool { return strings.Contains(d.screen(), "ready with 2 tools") })
	d.key("enter")
	for _, want := range []string{"mcp__box__look", "only looks", "deferred", "/mcp__box__review WHAT", "only the first 256 tools", "2 resources"} {
		d.shows(want)
	}
	d.key("down", "down", "enter") // switch it off
	d.shows("off")
	d.key("enter")
	d.shows("switch it on")
	d.key("esc")
	d.types("/mcp reconnect lost")
	d.key("enter")
	d.key("esc")
	d.types("/mcp enable nobody")
	d.key("enter")
	d.shows("there is no MCP server nobody")
	if got := strings.Join(r.did, ", "); got != "disable box, reconnect lost" {
		t.Errorf("it did %s", got)
	}
}

func TestAPromptOfAServerIsSentAsTheServersWords(t *testing.T) {
	r := &rack{state: map[string]string{"box": "ready", "lost": "off"}}
	d := drive(t, 100, 30, r.options, agent.Opened{Session: "s"})
	d.types("/mcp__box__review")
	d.key("enter")
	d.until("the fault", func() bool { return strings.Contains(d.screen(), "needs what") })
	d.types("/mcp__box__review main.go")
	d.key("enter")
	d.until("the message", func() bool { return len(d.submits()) > 0 })
	prompt := d.submits()[0].Prompt
	if len(prompt.Text) != 1 || prompt.Text[0].Text != "Review main.go as @box says" || prompt.Untrusted != "the MCP server box" {
		t.Errorf("sent was %+v", prompt)
	}
}
