package projection

import (
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

const (
	// keepShare is the share of the window that the newest turns may take to stay as they are in a compaction.
	keepShare = 0.2
	// summariseShare is the share of the window that the text to be summarised may take in the request for it.
	summariseShare = 0.6
)

// ToSummarise is a part of the conversation that may be replaced by a summary: whole messages, calls together
// with their results, never the open request.
type ToSummarise struct {
	Messages []string // ids, for the mark
	Text     string   // what the summariser reads; pictures stand as their sentence
	Tokens   int      // what these messages take in a request now
}

// Summarisable finds the oldest part of a selected conversation to summarise, as much as one request for a
// summary can read. It is empty where only the open request and what belongs to it is left.
func Summarisable(c Conversation, route providers.Route) ToSummarise {
	window := route.Model.ContextWindow
	if window <= 0 {
		window = assumedWindow
	}
	groups := units(c)
	open := openUnit(c, groups)
	last := open // the first unit that stays
	for kept := 0; last > 0; last-- {
		kept += groups[last-1].tokens(c, route)
		if kept > int(keepShare*float64(window)) {
			break
		}
	}
	if last == 0 {
		last = open // all of it is small, and still the request is too large: give up what stands before the request
	}
	if last == 0 || last == 1 && c.isSummary(groups[0].from) {
		return insideOpenTurn(c, groups[open:], route, window)
	}
	return gather(c, groups[:last], route, window)
}

// insideOpenTurn summarises the steps of one long turn: everything after the request but the newest step.
func insideOpenTurn(c Conversation, groups []unit, route providers.Route, window int) ToSummarise {
	if len(groups) < 4 {
		return ToSummarise{}
	}
	return gather(c, groups[1:len(groups)-1], route, window)
}

func gather(c Conversation, groups []unit, route providers.Route, window int) ToSummarise {
	var out ToSummarise
	var text strings.Builder
	read := 0
	for _, g := range groups {
		part := g.text(c)
		tokens := EstimateText(part)
		if read += tokens; read > int(summariseShare*float64(window)) && len(out.Messages) > 0 {
			break
		}
		text.WriteString(part)
		for i := g.from; i < g.to; i++ {
			out.Messages = append(out.Messages, c.Messages[i].ID)
		}
		out.Tokens += g.tokens(c, route)
	}
	out.Text = text.String()
	return out
}

// isSummary reports whether the message at i stands for others.
func (c Conversation) isSummary(i int) bool {
	for _, s := range c.marks.summaries {
		if s.ID == c.Messages[i].ID {
			return true
		}
	}
	return false
}

// unit is a run of messages that must stay together: a user message, or an assistant message with its results.
type unit struct{ from, to int }

func units(c Conversation) []unit {
	var list []unit
	for i := 0; i < len(c.Messages); {
		end := i + 1
		if c.Messages[i].Role == message.RoleAssistant {
			for end < len(c.Messages) && (c.Messages[end].Role == message.RoleTool || c.Messages[end].Role == message.RoleNote) {
				end++
			}
		}
		list = append(list, unit{i, end})
		i = end
	}
	return list
}

// openUnit is the unit of the newest user message; everything from it on is the open turn.
func openUnit(c Conversation, groups []unit) int {
	for i := len(groups) - 1; i >= 0; i-- {
		if c.Messages[groups[i].from].Role == message.RoleUser {
			return i
		}
	}
	return 0
}

func (u unit) tokens(c Conversation, route providers.Route) int {
	var s Size
	for _, m := range c.Messages[u.from:u.to] {
		for _, b := range m.Blocks {
			s.add(b, route)
			if r, ok := b.(message.ToolResult); ok {
				s.Text += EstimateText(r.Text) + callTokens
				for _, i := range r.Images {
					s.add(i, route)
				}
			}
		}
		s.Text += messageTokens
	}
	return s.Total()
}

// text is the unit for a reader without pictures.
func (u unit) text(c Conversation) string {
	var s strings.Builder
	for _, m := range c.Messages[u.from:u.to] {
		if m.Role == message.RoleNote {
			continue
		}
		fmt.Fprintf(&s, "## %s\n", m.Role)
		for _, call := range m.Calls() {
			fmt.Fprintf(&s, "[call %s %s]\n", call.Name, call.Args)
		}
		s.WriteString(m.PlainText())
		s.WriteString("\n\n")
	}
	return s.String()
}
