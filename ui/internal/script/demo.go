package script

import (
	"fmt"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

// Route is a model that sees.
func Route() providers.Route {
	return providers.Route{Server: providers.Server{Name: "fake", Protocol: "fake"},
		Model: providers.Model{Provider: "fake", ID: "echo", Name: "echo", ImageInput: providers.Supported,
			Tools: providers.Supported, ContextWindow: 200_000, ImageCost: "anthropic-28"}}
}

// Blind is a model that does not.
func Blind() providers.Route {
	r := Route()
	r.Model.ID, r.Model.Name, r.Model.ImageInput = "blind", "blind", providers.Unsupported
	return r
}

// Opened is the first event of a session with these messages.
func Opened(messages ...message.Message) agent.Opened {
	cost := 0.0312
	return agent.Opened{Session: "01JDEMO7Q4ZK2M", Folder: "/home/ana/shop", Route: Route(), Mode: guard.ModeAsk,
		Messages: messages, Resumed: len(messages) > 0, Pictures: map[string]message.PictureRecord{},
		Meter: agent.Meter{Context: 12_400, Window: 200_000, Cost: &cost}}
}

// Answer is the Markdown the demonstration writes.
const Answer = "The button is cut off because **`.toolbar`** has a fixed height.\n\n" +
	"## What happens\n\n1. The label wraps at widths below 640 px.\n2. The second line is hidden by `overflow: hidden`.\n\n" +
	"```css\n.toolbar {\n  height: 48px;\n  overflow: hidden;\n}\n```\n\n" +
	"- use `min-height` instead\n- let the row wrap\n\n> Both browsers agree on this.\n\n| width | before | after |\n|---|---|---|\n| 640 | cut | whole |\n| 1280 | whole | whole |\n"

// Diff is an edit's.
const Diff = "--- a/web/toolbar.css\n+++ b/web/toolbar.css\n@@ -3,5 +3,5 @@\n .toolbar {\n-  height: 48px;\n-  overflow: hidden;\n+  min-height: 48px;\n+  flex-wrap: wrap;\n   display: flex;\n }\n"

// Demo plays a turn for every prompt: thinking, a read, a question, an edit, an answer.
func Demo(l *Loop, c agent.Command) {
	switch c := c.(type) {
	case agent.Submit:
		go turn(l, c.Prompt)
	case agent.Answer:
		go l.after(c)
	case agent.SetMode:
		l.Push(agent.ModeChanged{Mode: c.Mode})
	case agent.SetRoute:
		l.Push(agent.RouteChanged{Route: c.Route, Meter: agent.Meter{Context: 12_400, Window: c.Route.Model.ContextWindow}})
	}
}

func userMessage(p agent.Prompt) message.Message {
	m := message.Message{Role: message.RoleUser}
	for _, t := range p.Text {
		m.Blocks = append(m.Blocks, t)
	}
	for _, a := range p.Attachments {
		m.Blocks = append(m.Blocks, a.Image)
	}
	return m
}

func (l *Loop) write(text string, wrap func(string) agent.Event) {
	for _, word := range strings.SplitAfter(text, " ") {
		l.Push(wrap(word))
		time.Sleep(25 * time.Millisecond)
	}
}

func turn(l *Loop, p agent.Prompt) {
	l.Push(agent.TurnStarted{User: userMessage(p)})
	time.Sleep(400 * time.Millisecond)
	thought := "The toolbar clips its label.\nI should look at the style sheet first."
	l.write(thought, func(s string) agent.Event { return agent.ThinkingDelta{Text: s} })
	read := message.ToolCall{ID: fmt.Sprint("c1-", time.Now().UnixNano()), Name: "read", Args: `{"path":"web/toolbar.css"}`}
	l.Push(agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Thinking{Text: thought}, read}}},
		agent.CallStarted{Call: read, Summary: "read web/toolbar.css"})
	time.Sleep(500 * time.Millisecond)
	l.Push(agent.CallFinished{Call: read, Took: 12 * time.Millisecond, Result: message.ToolResult{CallID: read.ID, Text: ".toolbar {\n  height: 48px;\n}\n", Meta: map[string]string{message.MetaSummary: "read 18 lines of web/toolbar.css"}}})
	test := message.ToolCall{ID: fmt.Sprint("c2-", time.Now().UnixNano()), Name: "shell", Args: `{"command":"npm test -- --run toolbar"}`}
	l.Push(agent.CallStarted{Call: test, Summary: "shell: npm test -- --run toolbar"},
		agent.PermissionAsked{ID: test.ID, Call: test, Effect: guard.Effect{Tool: "shell", Kind: guard.KindExec, Command: "npm test -- --run toolbar", Summary: "npm test"},
			Decision: guard.Decision{Verdict: guard.Ask, Reason: "it runs a command", Offer: []string{"shell(npm test *)"}}})
}

func (l *Loop) after(a agent.Answer) {
	call := message.ToolCall{ID: a.ID, Name: "shell", Args: `{"command":"npm test -- --run toolbar"}`}
	allowed := a.Choice != guard.ChoiceDeny
	l.Push(agent.PermissionSettled{ID: a.ID, Call: call, Allowed: allowed, Reason: a.Reason})
	if allowed {
		for i := range 8 {
			l.Push(agent.CallProgress{CallID: a.ID, Text: fmt.Sprintf("PASS toolbar %d of 8", i+1)})
			time.Sleep(200 * time.Millisecond)
		}
		l.Push(agent.CallFinished{Call: call, Took: 1600 * time.Millisecond, Result: message.ToolResult{CallID: a.ID, Text: "8 passed", Meta: map[string]string{message.MetaSummary: "npm test -- --run toolbar (exit 0)", message.MetaExit: "0"}}})
	} else {
		l.Push(agent.CallFinished{Call: call, Result: message.ToolResult{CallID: a.ID, Text: "refused", IsError: true, Meta: map[string]string{message.MetaRefused: "the person said no"}}})
	}
	edit := message.ToolCall{ID: a.ID + "-edit", Name: "edit", Args: `{"path":"web/toolbar.css"}`}
	l.Push(agent.CallStarted{Call: edit, Summary: "edit web/toolbar.css"},
		agent.CallFinished{Call: edit, Took: 3 * time.Millisecond, Result: message.ToolResult{CallID: edit.ID, Text: "done", Meta: map[string]string{message.MetaSummary: "edited web/toolbar.css (+2 -2 lines)", message.MetaDiff: Diff}}})
	l.write(Answer, func(s string) agent.Event { return agent.TextDelta{Text: s} })
	cost := 0.0734
	l.Push(agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: Answer}}, Stop: message.StopEnd}},
		agent.UsageChanged{Meter: agent.Meter{Context: 18_900, Window: 200_000, Cost: &cost}},
		agent.TurnEnded{Reason: agent.EndDone})
}
