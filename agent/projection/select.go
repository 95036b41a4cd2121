package projection

import (
	"espy/agent/message"
	"espy/providers"
)

// Select applies the recorded marks and the route's sight to a conversation, and decides nothing itself.
// Pictures that stay out become their sentences, elided text its stub, summarised messages their summary.
// Selecting a selection changes nothing.
func Select(c Conversation, route providers.Route) Conversation {
	out := Conversation{Pictures: c.Pictures, marks: c.marks}
	covered := coverage(c.marks.summaries)
	inserted := make(map[string]bool)
	for i, m := range c.Messages {
		if mark, ok := covered[m.ID]; ok {
			if !inserted[mark.ID] {
				inserted[mark.ID] = true
				out.summarise(c, mark, covered, i, route)
			}
			continue
		}
		out.Messages = append(out.Messages, c.selectMessage(m, c.at[i], route))
		out.at = append(out.at, c.at[i])
	}
	return out
}

// coverage maps each summarised message to the newest summary that stands for it. A summary may itself have been
// summarised.
func coverage(summaries []message.MarkRecord) map[string]message.MarkRecord {
	covered := make(map[string]message.MarkRecord)
	for _, s := range summaries {
		for _, id := range s.Messages {
			covered[id] = s
		}
	}
	for id, s := range covered {
		for newer, again := covered[s.ID]; again && newer.ID != s.ID; newer, again = covered[s.ID] {
			s = newer
		}
		covered[id] = s
	}
	return covered
}

// summaryOpening tells a model what the text after it is.
const summaryOpening = "[summary of the conversation before this point]\n"

// summarise puts a summary where its first message stood, with a sentence for each picture it covers and what still
// holds of its results.
func (c *Conversation) summarise(from Conversation, mark message.MarkRecord, covered map[string]message.MarkRecord, i int, route providers.Route) {
	blocks := []message.Block{message.Text{Text: summaryOpening + mark.Summary, Origin: message.OriginEspy}}
	told := make(map[string]bool)
	kept := ""
	for _, m := range from.Messages {
		if by, ok := covered[m.ID]; !ok || by.ID != mark.ID {
			continue
		}
		if text := stillHolds(m); text != "" {
			kept = text
		}
		for _, picture := range m.Images() {
			if told[picture.Ref] {
				continue
			}
			told[picture.Ref] = true
			if c.marks.pinned[picture.Ref] && c.marks.absence(picture, from.at[i], false, route) == "" {
				blocks = append(blocks, c.rendition(picture, route)) // it outlives its message
				continue
			}
			blocks = append(blocks, message.Text{Text: c.marks.summarised(picture, from.at[i], route), Origin: message.OriginEspy})
		}
	}
	if kept != "" {
		blocks = append(blocks, message.Text{Text: kept, Origin: message.OriginEspy})
	}
	c.Messages = append(c.Messages, message.Message{ID: mark.ID, Role: message.RoleUser, Time: mark.Time, Blocks: blocks})
	c.at = append(c.at, from.at[i])
}

// stillHolds is what a message's results say that holds on when the message is gone from the context: the task list.
func stillHolds(m message.Message) (text string) {
	for _, b := range m.Blocks {
		if r, ok := b.(message.ToolResult); ok && r.Meta[message.MetaKept] != "" {
			text = r.Meta[message.MetaKept]
		}
	}
	return text
}

func (c *Conversation) selectMessage(m message.Message, at int, route providers.Route) message.Message {
	blocks := make([]message.Block, 0, len(m.Blocks))
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case message.Image:
			if sentence := c.marks.absence(b, at, false, route); sentence != "" {
				blocks = append(blocks, message.Text{Text: sentence, Origin: message.OriginEspy})
			} else {
				blocks = append(blocks, c.rendition(b, route))
			}
		case message.Text:
			if c.marks.stubs[m.ID] && (b.Origin == message.OriginFile || b.Origin == message.OriginShell) {
				b.Text = elidedText(string(b.Origin), b.Text, "")
			}
			blocks = append(blocks, b)
		case message.ToolResult:
			blocks = append(blocks, c.selectResult(b, m.Parent, at, route))
		default:
			blocks = append(blocks, b)
		}
	}
	m.Blocks = blocks
	return m
}

func (c *Conversation) selectResult(r message.ToolResult, assistantID string, at int, route providers.Route) message.ToolResult {
	if c.marks.stubs[message.CallKey(assistantID, r.CallID)] {
		r.Text = elidedText("result", r.Text, r.Meta[message.MetaBlob])
	}
	var kept []message.Image
	for _, picture := range r.Images {
		if sentence := c.marks.absence(picture, at, true, route); sentence != "" {
			r.Text += "\n" + sentence
		} else {
			kept = append(kept, c.rendition(picture, route))
		}
	}
	r.Images = kept
	return r
}

// rendition is the picture to send on this route in place of i.
func (c *Conversation) rendition(i message.Image, route providers.Route) message.Image {
	if smaller, ok := c.marks.renditions[renditionKey(route.Name(), i.Ref)]; ok {
		return smaller
	}
	return i
}
