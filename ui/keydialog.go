package ui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/providers"
)

// keyTyped brings the outcome of keeping a key, never the key.
type keyTyped struct {
	server  string
	forgot  bool
	next    providers.Route // the model it was typed for; the zero Route where none
	wanted  bool
	problem error
}

// runKey lists the providers with where their keys are from, or asks for the key of one.
func (m *model) runKey(args string) tea.Cmd {
	if m.o.Servers == nil || m.o.KeepKey == nil {
		return m.missing()
	}
	servers := m.o.Servers()
	for _, s := range servers {
		if s.Name == args {
			m.dialog = m.keyDialog(s, "")
			return nil
		}
	}
	if strings.Contains(args, "-") || len(args) > 20 {
		m.say("type a key into the dialog, not behind the command, where it would stay in the history", true)
		return nil
	}
	if args != "" {
		m.say(fmt.Sprintf("there is no provider %q; /key lists those there are", flat(args)), true)
		return nil
	}
	var choices []choice
	for _, s := range servers {
		if s.KeyEnv != "" || s.Key != "" {
			choices = append(choices, choice{label: s.Name, about: aboutKey(s), value: s})
		}
	}
	m.dialog = newPicker("provider keys", choices, func(c choice, _ string) tea.Cmd {
		m.dialog = m.keyDialog(c.value.(providers.Server), "")
		return nil
	})
	return nil
}

func aboutKey(s providers.Server) string {
	switch s.KeyFrom {
	case providers.KeyConfigured:
		return "key from the configuration"
	case providers.KeyVariable:
		return "key from " + s.KeyEnv
	case providers.KeyTyped:
		return "key typed here"
	}
	return "no key: set " + s.KeyEnv + ", or type one here"
}

// keyDialog asks for a provider's key without showing it. route is the model to go on with then; "" changes none.
func (m *model) keyDialog(s providers.Server, route string) *dialog {
	words := []string{fmt.Sprintf("The key is kept in a file only you can read and is sent to %s alone.", s.BaseURL)}
	if s.KeyEnv != "" {
		words = append(words, "Instead, "+s.KeyEnv+" can be set before espy starts.")
	}
	if s.KeyFrom == providers.KeyTyped {
		words = append(words, "An empty line forgets the key that is kept.")
	}
	keep, find := m.o.KeepKey, m.o.Model
	d := &dialog{title: "key for " + s.Name, asks: "key", masks: true, filter: newBuffer(), takes: "keeps it", leaves: "leaves it"}
	d.body = func(width int) []string { return wrapAll(words, width) }
	d.choose = func(_ choice, line string) tea.Cmd {
		key := strings.TrimSpace(line)
		if key == "" && s.KeyFrom != providers.KeyTyped {
			return nil
		}
		return m.work.do(func(ctx context.Context) tea.Msg {
			done := keyTyped{server: s.Name, forgot: key == ""}
			if done.problem = keep(ctx, s.Name, key); done.problem == nil && route != "" && find != nil && key != "" {
				done.wanted = true
				done.next, done.problem = find(route)
			}
			return done
		})
	}
	return d
}

func (m *model) onKeyTyped(k keyTyped) {
	switch {
	case k.problem != nil:
		m.say(k.problem.Error(), true)
	case k.wanted:
		m.conv.Loop.Send(agent.SetRoute{Route: k.next})
	case k.forgot:
		m.say("the key of "+k.server+" is forgotten", false)
	default:
		m.say("the key of "+k.server+" is kept", false)
		m.renewKey(k.server)
	}
}

// renewKey goes on with the same model and the new key, where it is that provider's.
func (m *model) renewKey(server string) {
	if m.talk.route.Server.Name != server || m.o.Model == nil {
		return
	}
	if route, err := m.o.Model(m.talk.route.Name()); err == nil {
		m.conv.Loop.Send(agent.SetRoute{Route: route})
	}
}
