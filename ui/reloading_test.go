package ui

import (
	"context"
	"strings"
	"testing"

	"espy/agent"
	"espy/agent/message"
)

func TestWhatTheSettingsSayAnewIsTakenUpByTheScreen(t *testing.T) {
	fresh := Live{}
	d := drive(t, 80, 24, func(o *Options) {
		o.Theme, o.Keys = "dark", map[string][]string{}
		o.Fresh = func() Live { return fresh }
	}, agent.Opened{Session: "s", Mode: "ask"})
	d.types("/skill web")
	if strings.Contains(d.screen(), "web-research") {
		t.Fatal("a skill is there before it is declared")
	}
	d.key("ctrl+u")
	fresh = Live{Theme: "light", Previews: "off", Keys: map[string][]string{"send": {"ctrl+s"}}, Vim: true, Notify: "off",
		Commands: []Command{{Name: "tidy", About: "tidy up", Run: func(context.Context, string) (string, error) { return "tidied", nil }}},
		Skills:   []Skill{{Name: "web-research", About: "Look things up.", Read: func() string { return "Search first." }}}}
	d.push(agent.Notice{Kind: agent.NoticeInfo, Sentence: "Read again and in force: ui, keys."}, agent.Reloaded{})
	d.shows("Read again and in force: ui, keys.")
	d.until("the theme is light", func() bool { return d.m.t.name == "light" })
	if !d.m.comp.vim.on || d.m.keys.key(actSend) != d.m.comp.keys.key(actSend) || !strings.Contains(strings.ToLower(d.m.keys.key(actSend)), "s") {
		t.Errorf("vim is %v, sending is on %q and %q", d.m.comp.vim.on, d.m.keys.key(actSend), d.m.comp.keys.key(actSend))
	}
	d.types("/tidy")
	d.shows("tidy up")
	d.key("ctrl+s")
	d.shows("tidied")
}

func TestASkillIsChosenByThePersonAndItsTextGoesAlong(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) {
		o.Skills = []Skill{{Name: "git", About: "Use git.", Read: func() string { return "no @mention here" }}, {Name: "web-research", About: "Look things up.", Place: "/x/SKILL.md", Project: true, Read: func() string { return "Search first.\n@README.md" }}}
	}, agent.Opened{Session: "s", Mode: "ask"})
	d.types("/skills")
	d.key("enter")
	d.shows("Look things up. (this project's)")
	d.key("down", "enter")
	d.shows("/skill web-research")
	d.types("what is espy?")
	d.key("enter")
	var sent agent.Submit
	d.until("the message is sent", func() bool {
		for _, c := range d.loop.Commands() {
			if s, ok := c.(agent.Submit); ok {
				sent = s
				return true
			}
		}
		return false
	})
	want := []message.Text{{Text: "Work by the skill web-research. what is espy?", Origin: message.OriginTyped},
		{Text: "Skill web-research, from /x/SKILL.md:\n\nSearch first.\n@README.md", Origin: message.OriginFile}}
	if len(sent.Prompt.Text) != 2 || sent.Prompt.Text[0] != want[0] || sent.Prompt.Text[1] != want[1] {
		t.Errorf("sent %+v, want %+v", sent.Prompt.Text, want)
	}
	d.types("/skill gti")
	d.key("enter")
	d.shows("did you mean git?")
}

func TestToolsAreListedWithWhereTheyComeFrom(t *testing.T) {
	d := drive(t, 100, 24, func(o *Options) {
		o.Tools = func() []Tool {
			return []Tool{{Name: "read", About: "Shows a file.\nMore.", ReadOnly: true}, {Name: "lint", About: "Checks.", Source: "files"}, {Name: "mcp__web__open", About: "Opens\x1b[31m a page.", Source: "mcp:web", Deferred: true}}
		}
	}, agent.Opened{Session: "s", Mode: "ask"})
	d.types("/tools")
	d.key("enter")
	for _, want := range []string{"[only looks] Shows a file. More.", "[files] Checks.", "[server web, deferred] Opens"} {
		d.shows(want)
	}
}
