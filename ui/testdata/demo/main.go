// Demo shows the screen with a loop that plays a scripted turn for every prompt.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	_ "espy/ui/early"

	"espy/agent"
	"espy/agent/message"
	"espy/media"
	"espy/providers"
	"espy/store"
	"espy/ui"
	"espy/ui/internal/script"
)

func main() {
	intake := &script.Intake{Paths: strings.Fields("README.md main.go media/gate.go media/gate_test.go ui/model.go ui/composer.go web/toolbar.css docs/ docs/keys.md")}
	intake.Clipboard = agent.Pasted{Attachments: []agent.Attachment{intake.Picture("clipboard", 2048, 1152)}}
	loop := script.NewLoop(script.Opened(history()...))
	loop.React = script.Demo
	loop.Stop = func(l *script.Loop) { l.Push(agent.TurnEnded{Reason: agent.EndInterrupted}) }
	err := ui.Run(context.Background(), ui.Options{
		Conversation: ui.Conversation{Loop: loop, Intake: intake},
		Folder:       "/home/ana/shop", Version: "0.1.0", Theme: os.Getenv("THEME"), Dark: true, Mouse: true,
		NoColor: os.Getenv("NO_COLOR") != "",
		First:   ui.FirstScreen{Try: "README.md", ModelReason: "no provider is configured", NotAccepted: []string{"AGENTS.md", ".espy/"}},
		Cost:    cost,
		Models:  models,
		Crash: func() (io.WriteCloser, string, error) {
			f, err := os.Create(os.Getenv("DEMO_REPORT"))
			return f, os.Getenv("DEMO_REPORT"), err
		},
		Sessions: func(context.Context) ([]store.Summary, error) {
			return []store.Summary{{ID: "01JDEMO7Q4ZK2M", Title: "the toolbar is cut off", Updated: time.Now().Add(-time.Hour), Messages: 12, Pictures: 2},
				{ID: "01JOLDER", Title: "make the tests faster", Updated: time.Now().Add(-50 * time.Hour), Messages: 40}}, nil
		},
		Open: func(context.Context, string) (ui.Conversation, error) {
			return ui.Conversation{Loop: script.NewLoop(script.Opened()), Intake: intake}, nil
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "espy:", err)
		os.Exit(1)
	}
}

// cost and models fail where DEMO_FAULT says so: one while the screen is drawn, the other in a command.
func cost(rule string, w, h int, detail string) int {
	if os.Getenv("DEMO_FAULT") == "draw" {
		panic("a fault while drawing")
	}
	return media.Costs().Cost(rule, w, h, detail)
}

func models() []providers.Route {
	if os.Getenv("DEMO_FAULT") == "command" {
		panic("a fault in a command")
	}
	return []providers.Route{script.Route(), script.Blind()}
}

// history is DEMO_TURNS turns of an earlier conversation.
func history() []message.Message {
	n, _ := strconv.Atoi(os.Getenv("DEMO_TURNS"))
	var out []message.Message
	for i := range n {
		out = append(out, message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: fmt.Sprintf("question %d", i+1)}}},
			message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: script.Answer}}})
	}
	return out
}
