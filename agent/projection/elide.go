package projection

import (
	"espy/agent/message"
	"espy/providers"
)

const (
	// elideTurns is how many of the newest turns keep their tool text and pictures.
	elideTurns = 4
	// elideShare is the share of the window that tool text and pictures may take before the oldest leave.
	elideShare = 0.4
	// elideStep is the share of the window that must be gained before anything is elided unasked: each elision
	// rewrites the prefix that a prompt cache holds, so many small ones would cost more than they save.
	elideStep = 0.1
	// assumedWindow stands for a context window nobody told, in tokens.
	assumedWindow = 128_000
)

// elidable is a block that may become a stub: a result's text with its pictures, or an attached file.
type elidable struct {
	at     int    // of its message
	call   string // CallKey of a result; "" otherwise
	id     string // message of a file or shell text; "" otherwise
	refs   []string
	tokens int
}

// elide proposes stubs for tool text, files and pictures: those before the turns that are kept when the loop
// asks for it, and otherwise those that are old or beyond their share of the window, once it is worth a step.
func (d *Decision) elide(c Conversation, route providers.Route, facts Facts) {
	list := elidables(c, route)
	var chosen []elidable
	if facts.Elide {
		until := keptFrom(c, facts.ElideKeep)
		for _, e := range list {
			if e.at < until {
				chosen = append(chosen, e)
			}
		}
	} else {
		chosen = worthAStep(c, list, route.Model.ContextWindow)
	}
	mark := message.MarkRecord{Mark: message.MarkElide}
	for _, e := range chosen {
		mark.Refs = append(mark.Refs, e.refs...)
		if e.call != "" {
			mark.Calls = append(mark.Calls, e.call)
		}
		if e.id != "" {
			mark.Messages = append(mark.Messages, e.id)
		}
	}
	d.mark(mark)
}

// keptFrom is the position of the message from which everything is kept when the newest turns are; 0 keeps
// all. With keep 0 even the open turn gives up all but its newest results.
func keptFrom(c Conversation, keep int) int {
	turns := c.Turns()
	switch {
	case len(turns) == 0:
		return 0
	case keep == 0:
		return max(lastToolMessage(c), turns[len(turns)-1])
	case len(turns) > keep:
		return turns[len(turns)-keep]
	}
	return 0
}

// worthAStep picks what is older than the newest turns or beyond its share of the window, if that is enough to
// rewrite the prefix for.
func worthAStep(c Conversation, list []elidable, window int) []elidable {
	if window <= 0 {
		window = assumedWindow
	}
	old, newest := keptFrom(c, elideTurns), lastToolMessage(c)
	var chosen []elidable
	gain, seen := 0, 0
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		seen += e.tokens
		if e.at < newest && (e.at < old || seen > int(elideShare*float64(window))) {
			chosen = append(chosen, e)
			gain += e.tokens
		}
	}
	if gain < int(elideStep*float64(window)) {
		return nil
	}
	return chosen
}

// elidables lists what may become a stub, oldest first. The open request is never among it.
func elidables(c Conversation, route providers.Route) []elidable {
	turns := c.Turns()
	open := len(c.Messages)
	if len(turns) > 0 {
		open = turns[len(turns)-1]
	}
	var list []elidable
	for i, m := range c.Messages {
		if i == open || m.Role == message.RoleNote {
			continue
		}
		for _, b := range m.Blocks {
			if e, ok := c.blockToElide(m, b, route); ok {
				e.at = i
				list = append(list, e)
			}
		}
	}
	return list
}

// blockToElide is the one place that says what of a block an elision takes. Pinned pictures stay, and with one
// its result.
func (c Conversation) blockToElide(m message.Message, b message.Block, route providers.Route) (e elidable, ok bool) {
	switch b := b.(type) {
	case message.ToolResult:
		for _, i := range b.Images {
			if c.pinned(i) {
				return e, false
			}
			tokens, _, _ := Price(i, route)
			e.refs, e.tokens = append(e.refs, i.Ref), e.tokens+tokens
		}
		if !isElided(b.Text) && (worthEliding(b.Text) || len(e.refs) > 0) {
			e.call, e.tokens = message.CallKey(m.Parent, b.CallID), e.tokens+EstimateText(b.Text)
		}
		return e, e.call != "" || len(e.refs) > 0
	case message.Image:
		if c.pinned(b) {
			return e, false
		}
		tokens, _, _ := Price(b, route)
		return elidable{refs: []string{b.Ref}, tokens: tokens}, true
	case message.Text:
		if (b.Origin == message.OriginFile || b.Origin == message.OriginShell) && worthEliding(b.Text) {
			return elidable{id: m.ID, tokens: EstimateText(b.Text)}, true
		}
	}
	return e, false
}

// pinned reports whether the person wants the picture, or the one it is a rendition of, to stay.
func (c Conversation) pinned(i message.Image) bool { return c.marks.pinned[c.RenderedOf(i.Ref)] }

// worthEliding leaves short texts alone: a stub would be as long.
func worthEliding(text string) bool { return len(text) > 300 && !isElided(text) }
