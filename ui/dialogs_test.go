package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/providers"
	"espy/store"
	"espy/ui/internal/script"
)

// remembered is a memory with pictures in every state and something folded away.
type remembered struct{}

func (remembered) Pictures() []projection.PictureState {
	picture := func(n int, name string) (message.Image, message.PictureRecord) {
		ref := fmt.Sprintf("blobs/%012x.png", 0xabc000+n)
		return message.Image{Ref: ref, MediaType: "image/png", Width: 2048, Height: 1152}, message.PictureRecord{Ref: ref, Number: n, Name: name}
	}
	var list []projection.PictureState
	for n, state := range []string{"", "", "evicted", "dropped"} {
		image, record := picture(n+1, fmt.Sprintf("shot %d.png", n+1))
		list = append(list, projection.PictureState{Image: image, Record: record, Tokens: 3145, Left: state, Pinned: n == 1})
	}
	return list
}

func (remembered) Folds() []projection.Fold { return nil }

// furnished is a conversation with everything that dialogs list.
func furnished(t *testing.T, theme string, w, h int) *driver {
	t.Helper()
	book := &ruleBook{rules: []Rule{
		{guard.SourcedRule{Rule: guard.Rule{Tool: "read", Pattern: "**/private/**"}, Verdict: guard.Deny, Source: guard.SourceUser}, "/c/config.toml:12"},
		{guard.SourcedRule{Rule: guard.Rule{Tool: "shell", Pattern: "go test *"}, Verdict: guard.Allow, Source: guard.SourceSession}, ""},
	}}
	hosted := script.Route()
	hosted.Server = providers.Server{Name: "hosted", Protocol: "chat", KeyEnv: "HOSTED_KEY", BaseURL: "https://hosted.test/v1"}
	hosted.Model.Provider, hosted.Model.ID, hosted.Model.Name = "hosted", "a-model-with-a-long-name-20261201", "A Model"
	d := drive(t, w, h, func(o *Options) {
		o.Theme, o.NoColor, o.Memory, o.Rules = theme, theme == "none", remembered{}, book.options()
		o.Models = func() []providers.Route { return []providers.Route{script.Route(), script.Blind(), hosted} }
		o.KeepKey = func(context.Context, string, string) error { return nil }
		o.Servers = func() []providers.Server { return []providers.Server{hosted.Server} }
		o.Points = func() []agent.Point {
			return []agent.Point{{ID: "u1", Text: "why is the button cut off?", Pictures: 1, Time: d0.Add(-time.Hour)}, {ID: "u2", Text: "run the tests", Files: 2, Time: d0.Add(-time.Minute)}}
		}
		o.Sessions = func(context.Context) ([]store.Summary, error) {
			return []store.Summary{{ID: "01JDEMO7Q4ZK2M", Title: "why is the button cut off?", Updated: d0.Add(-time.Minute), Messages: 6, Pictures: 1},
				{ID: "01JAAAAAAAAAB", Title: "the toolbar is cut off", Updated: d0.Add(-time.Hour), Messages: 12, Pictures: 2}, {ID: "01JAAAAAAAAAC", Updated: d0.Add(-72 * time.Hour), Messages: 1}}, nil
		}
		o.History = func() []Past { return []Past{{Text: "make the tests faster"}, {Text: "why is\nthe button cut off?"}} }
		o.Open = func(_ context.Context, id string) (Conversation, error) {
			return Conversation{}, &store.InUseError{ID: id, PID: 4711}
		}
	}, conversation())
	d.until("the answer is rendered", func() bool { return allRendered(d) && len(d.m.comp.past) == 2 })
	return d
}

// command types a slash command and waits for its dialog.
func (d *driver) command(line string) {
	d.t.Helper()
	d.types(line)
	d.key("esc", "enter") // the list of commands goes first
	d.until("the dialog of "+line, func() bool { return d.m.dialog != nil })
}

// dialogViews are the dialogs, drawn in every theme.
func dialogViews() map[string]func(t *testing.T, theme string, w, h int) *driver {
	after := func(do func(d *driver)) func(t *testing.T, theme string, w, h int) *driver {
		return func(t *testing.T, theme string, w, h int) *driver {
			d := furnished(t, theme, w, h)
			do(d)
			return d
		}
	}
	opened := func(d *driver) { d.until("the dialog opens", func() bool { return d.m.dialog != nil }) }
	return map[string]func(t *testing.T, theme string, w, h int) *driver{
		"models":      after(func(d *driver) { d.key("alt+m"); opened(d) }),
		"key":         after(func(d *driver) { d.command("/key hosted"); d.types("sk-secret") }),
		"sessions":    after(func(d *driver) { d.key("alt+s"); opened(d) }),
		"elsewhere":   after(func(d *driver) { d.command("/resume 01JAAAAAAAAAB") }),
		"rewind":      after(func(d *driver) { d.command("/rewind") }),
		"images":      after(func(d *driver) { d.command("/images") }),
		"context":     after(func(d *driver) { d.command("/context") }),
		"permissions": after(func(d *driver) { d.command("/permissions") }),
		"sent-before": after(func(d *driver) { d.key("ctrl+r"); opened(d); d.types("tests") }),
		"palette":     after(func(d *driver) { d.types("/re") }),
		"paths": after(func(d *driver) {
			d.intake.Paths = []string{"web/toolbar.css", "web/", "web/a very long name of a file that goes on and on.test.tsx"}
			d.types("look at @we")
			d.until("paths are offered", func() bool { return d.m.hints.open() })
		}),
		"reason": after(func(d *driver) {
			d.push(agent.TurnStarted{}, asks("q1"))
			d.until("the question can be answered", func() bool { return d.m.dialog != nil && d.m.dialog.question.armed })
			d.key("r")
			d.types("use make")
		}),
		"only-read": after(func(d *driver) {
			d.m.conv.ReadOnly, d.m.talk.onlyRead = errDemo, true
			d.types("may I?")
			d.key("enter")
			d.key("ctrl+u")
		}),
		"finding": after(func(d *driver) { d.key("ctrl+t", "/"); d.types("toolbar"); d.shows("toolbar") }),
		"writing": after(func(d *driver) {
			d.tell(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "go on"}}}}, agent.ThinkingDelta{Text: "Which file?\nThe style sheet."},
				agent.TextDelta{Text: "I will look at the style sheet and"}, agent.QueueChanged{})
			d.until("it is drawn", func() bool { return strings.Contains(d.screen(), "style sheet and") })
			d.types("and then\nthe footer")
		}),
	}
}

func TestEveryDialogInEveryThemeAndSizeIsAsItWasLookedAt(t *testing.T) {
	themesAndSizes(t, dialogViews())
}

func TestNoDialogIsADeadEnd(t *testing.T) {
	for name, open := range dialogViews() {
		d := open(t, "dark", 80, 24)
		for range 4 {
			d.key("esc")
		}
		if d.m.dialog != nil && (d.m.dialog.question == nil || d.m.dialog.question.reason) || d.m.hints.open() || d.m.list.picked >= 0 {
			t.Errorf("esc does not leave %s:\n%s", name, d.screen())
		}
	}
}

func TestAWideScreenIsCalm(t *testing.T) {
	d := furnished(t, "none", 250, 80)
	busy(d)
	d.golden("busy-250x80")
	for i, line := range strings.Split(d.screen(), "\n") {
		if cellsOf(line) > measure+2 && !strings.HasPrefix(line, "──") && !strings.HasPrefix(line, " ask") && !strings.Contains(line, "edits") {
			t.Errorf("line %d is %d columns wide: %q", i+1, cellsOf(line), line)
		}
	}
}
