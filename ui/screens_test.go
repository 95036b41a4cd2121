package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
	"espy/store"
	"espy/ui/internal/script"
)

var errDemo = errors.New("the server is overloaded; try again later")

// conversation is a session with one of everything.
func conversation() agent.Opened {
	picture := message.Image{Ref: "blobs/0123456789abcdef.png", MediaType: "image/png", Width: 2048, Height: 1152}
	read := message.ToolCall{ID: "c1", Name: "read", Args: `{"path":"web/toolbar.css"}`}
	edit := message.ToolCall{ID: "c2", Name: "edit", Args: `{"path":"web/toolbar.css"}`}
	bad := message.ToolCall{ID: "c3", Name: "shell", Args: `{"command":"npm test"}`}
	look := message.ToolCall{ID: "c4", Name: "read_media", Args: `{"path":"shot.png"}`}
	e := script.Opened(
		message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "why is the button cut off?"}, picture}},
		message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Thinking{Text: "The toolbar clips its label."}, read, edit, bad, look}},
		message.Message{Role: message.RoleTool, Blocks: []message.Block{
			message.ToolResult{CallID: "c1", Text: "…", Meta: map[string]string{message.MetaSummary: "read 18 lines of web/toolbar.css", message.MetaMillis: "12"}},
			message.ToolResult{CallID: "c2", Text: "done", Meta: map[string]string{message.MetaSummary: "edited web/toolbar.css (+2 -2 lines)", message.MetaDiff: script.Diff, message.MetaMillis: "3"}},
			message.ToolResult{CallID: "c3", Text: "1 test failed\nexpected 48, got 52", IsError: true, Meta: map[string]string{message.MetaExit: "1", message.MetaMillis: "2100"}},
			message.ToolResult{CallID: "c4", Text: "a picture", Images: []message.Image{picture}, Meta: map[string]string{message.MetaMillis: "80"}}}},
		message.Message{Role: message.RoleAssistant, Stop: message.StopEnd, Blocks: []message.Block{message.Text{Text: "It has a **fixed** height.\n\n- use `min-height`\n"}}},
	)
	e.Pictures = map[string]message.PictureRecord{picture.Ref: {Ref: picture.Ref, Number: 1, Name: "shot.png", Width: 4096, Height: 2304}}
	return e
}

func asks(id string) agent.PermissionAsked {
	call := message.ToolCall{ID: id, Name: "shell", Args: `{"command":"npm test -- --run toolbar"}`}
	return agent.PermissionAsked{ID: id, Call: call,
		Effect:   guard.Effect{Tool: "shell", Kind: guard.KindExec, Command: "npm test -- --run toolbar\u202e\x1b[2J"},
		Decision: guard.Decision{Verdict: guard.Ask, Reason: "it runs a command", Offer: []string{"shell(npm test *)"}}}
}

func allRendered(d *driver) bool {
	for _, s := range d.m.list.slots {
		if a, ok := s.entry.(*answer); ok && a.wanting(d.m.list.width) {
			return false
		}
	}
	return true
}

func TestTheMainScreensReadWellAtEverySize(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {40, 10}} {
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size.w, size.h) }
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			d := drive(t, size.w, size.h, func(o *Options) { o.First.NotAccepted = []string{"AGENTS.md", ".espy/"} }, script.Opened())
			d.golden(name("welcome"))
			d.types("/")
			d.golden(name("palette"))

			d = drive(t, size.w, size.h, nil, conversation())
			d.until("the answer is rendered", func() bool { return allRendered(d) })
			d.golden(name("conversation"))
			d.key("f1")
			d.golden(name("help"))

			d = drive(t, size.w, size.h, nil, conversation())
			d.until("the answer is rendered", func() bool { return allRendered(d) })
			busy(d)
			d.golden(name("busy"))
			d.push(asks("q1"))
			d.until("the question can be answered", func() bool { return d.m.dialog != nil && d.m.dialog.question.armed })
			d.golden(name("question"))
		})
	}
}

// busy puts a running turn, a queue and pictures on the screen.
func busy(d *driver) {
	d.push(agent.TurnStarted{User: message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "run the tests"}}}},
		agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Usage: &message.Usage{Input: 12_400, Output: 312}}},
		agent.CallStarted{Call: message.ToolCall{ID: "r1", Name: "shell", Args: `{"command":"npm test"}`}, Summary: "shell: npm test"},
		agent.CallProgress{CallID: "r1", Text: "> shop@1.0.0 test\n> vitest\n\x1b[2Jtoolbar\u202e.test\nPASS 2 of 8\nPASS 3 of 8"},
		agent.QueueChanged{Queue: []agent.Queued{{ID: "a", Prompt: agent.Prompt{Text: []message.Text{{Text: "then fix the footer too"}},
			Attachments: []agent.Attachment{d.intake.Picture("footer.png", 800, 600)}}}}})
	d.until("the queue shows", func() bool { return len(d.m.talk.queue) == 1 })
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("/tmp/header.png", 2048, 1152)}}
	d.key("ctrl+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.now = d.now.Add(12 * time.Second)
}

func TestPanelsReadWell(t *testing.T) {
	routes := func() []providers.Route { return []providers.Route{script.Route(), script.Blind()} }
	d := drive(t, 80, 24, func(o *Options) {
		o.Models = routes
		o.Sessions = func(context.Context) ([]store.Summary, error) {
			return []store.Summary{{ID: "01JAAAAAAAAAB", Title: "the toolbar is cut off", Updated: d0.Add(-time.Hour), Messages: 12, Pictures: 2},
				{ID: "01JAAAAAAAAAC", Updated: d0.Add(-72 * time.Hour), Messages: 1}}, nil
		}
		o.Open = func(context.Context, string) (Conversation, error) { return Conversation{}, errDemo }
	}, script.Opened())
	d.intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{d.intake.Picture("/tmp/header.png", 2048, 1152)}}
	d.key("ctrl+v")
	d.until("the picture is on the row", func() bool { return len(d.m.row.pictures) == 1 })
	d.key("up")
	d.golden("row")
	d.key("enter")
	d.golden("look")
	d.key("esc", "esc", "alt+m")
	d.shows("fake/blind")
	d.golden("models")
	d.key("esc")
	d.types("/resu")
	d.key("enter")
	d.shows("untitled")
	d.golden("sessions")
}

var d0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
