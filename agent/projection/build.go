package projection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// Fixed is what stands before every conversation and the knobs of a request that no message carries.
type Fixed struct {
	System    []string
	Tools     []providers.ToolSpec
	MaxTokens int
	Effort    string
	CacheKey  string
}

// emptyResult stands for a result without words, because some services refuse an empty text.
const emptyResult = "(no output)"

// Build turns a selection into the request: introductions before pictures, cache points, roles in the order
// all protocols take. What cannot be replayed to this route (another model's thinking and opaque data) is
// left out.
func Build(c Conversation, route providers.Route, fixed Fixed) providers.Request {
	b := builder{c: c, route: route}
	b.add(c.Messages)
	return b.request(fixed)
}

type builder struct {
	c     Conversation
	route providers.Route
	out   []providers.Message
}

func (b *builder) add(messages []message.Message) {
	for _, m := range messages {
		switch m.Role {
		case message.RoleUser:
			b.user(m)
		case message.RoleAssistant:
			b.assistant(m)
		case message.RoleTool:
			b.tool(m)
		case message.RoleNote:
			b.user(toldModel(m))
		}
	}
}

// toldModel is what of a note the model reads.
func toldModel(note message.Message) message.Message {
	var told []message.Block
	for _, block := range note.Blocks {
		if t, ok := block.(message.Text); ok && t.Origin == message.OriginTools {
			told = append(told, t)
		}
	}
	note.Blocks = told
	return note
}

func (b *builder) request(fixed Fixed) providers.Request {
	b.cachePoints()
	return providers.Request{
		System: fixed.System, Tools: fixed.Tools, Messages: b.out,
		MaxTokens: fixed.MaxTokens, Effort: fixed.Effort, CacheKey: fixed.CacheKey,
	}
}

func (b *builder) user(m message.Message) {
	var blocks []message.Block
	for _, block := range m.Blocks {
		switch block := block.(type) {
		case message.Text:
			if strings.TrimSpace(block.Text) != "" {
				blocks = append(blocks, message.Text{Text: block.Text, Origin: block.Origin})
			}
		case message.Image:
			blocks = append(blocks, message.Text{Text: b.introduce(block, ""), Origin: message.OriginEspy}, block)
		}
	}
	if len(blocks) == 0 {
		return
	}
	if last := len(b.out) - 1; last >= 0 && b.out[last].Role == message.RoleUser {
		b.out[last].Blocks = append(slices.Clip(b.out[last].Blocks), blocks...)
		return
	}
	b.out = append(b.out, providers.Message{Role: message.RoleUser, Blocks: blocks})
}

// goOn opens a conversation whose first user message left the context.
const goOn = "(the conversation continues)"

func (b *builder) assistant(m message.Message) {
	own := m.Provider == b.route.Server.Name && m.Model == b.route.Model.ID
	var blocks []message.Block
	for _, block := range m.Blocks {
		switch block := block.(type) {
		case message.Text:
			if strings.TrimSpace(block.Text) == "" {
				continue
			}
			if !own {
				block.Opaque = ""
			}
			blocks = append(blocks, block)
		case message.Thinking:
			if own {
				blocks = append(blocks, block)
			}
		case message.ToolCall:
			if !own {
				block.Opaque = ""
			}
			block.Args = replayableArgs(block.Args)
			blocks = append(blocks, block)
		}
	}
	if !answers(blocks) {
		return
	}
	if len(b.out) == 0 {
		b.out = append(b.out, providers.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: goOn, Origin: message.OriginEspy}}})
	}
	if last := len(b.out) - 1; b.out[last].Role == message.RoleAssistant {
		b.out[last].Blocks = append(slices.Clip(b.out[last].Blocks), blocks...)
		return
	}
	b.out = append(b.out, providers.Message{Role: message.RoleAssistant, Blocks: blocks})
}

// answers reports whether an assistant message says or asks anything; thinking alone does not.
func answers(blocks []message.Block) bool {
	for _, block := range blocks {
		switch block.(type) {
		case message.Text, message.ToolCall:
			return true
		}
	}
	return false
}

// replayableArgs is what a call's arguments are sent back as. Services parse history again and refuse half
// JSON; the log keeps what the model wrote, and its result says what was wrong with it.
func replayableArgs(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) != nil || object == nil {
		return "{}"
	}
	return args
}

func (b *builder) tool(m message.Message) {
	names := b.callNames()
	if names == nil {
		return
	}
	msg := providers.Message{Role: message.RoleTool}
	for _, block := range m.Blocks {
		r, ok := block.(message.ToolResult)
		if !ok {
			continue
		}
		result := providers.Result{CallID: r.CallID, Name: names[r.CallID], Text: r.Text, IsError: r.IsError}
		if strings.TrimSpace(result.Text) == "" {
			result.Text = emptyResult
		}
		for _, picture := range r.Images {
			result.Pictures = append(result.Pictures, providers.Picture{Intro: b.introduce(picture, r.CallID), Image: picture})
		}
		msg.Results = append(msg.Results, result)
	}
	b.out = append(b.out, msg)
}

// callNames maps the call ids of the assistant message just built to their tools; nil where there is none.
func (b *builder) callNames() map[string]string {
	last := len(b.out) - 1
	if last < 0 || b.out[last].Role != message.RoleAssistant {
		return nil
	}
	names := make(map[string]string)
	for _, block := range b.out[last].Blocks {
		if c, ok := block.(message.ToolCall); ok {
			names[c.ID] = c.Name
		}
	}
	return names
}

// introduce writes the line before a picture: what it is, how large its source is, how large the model will
// see it, where it came from and how to look closer.
func (b *builder) introduce(i message.Image, callID string) string {
	record, known := b.c.Pictures[i.Ref]
	if of, ok := b.c.marks.renderedOf[i.Ref]; ok && !known {
		record, known = b.c.Pictures[of]
	}
	_, w, h := Price(i, b.route)
	var s strings.Builder
	s.WriteString(title(record, callID))
	s.WriteString(": ")
	if record.Name != "" {
		s.WriteString(oneLine(record.Name) + ", ")
	}
	if known && record.Width > 0 && len(record.Redacted) == 0 {
		s.WriteString(sizes(record, i, w, h))
	} else {
		fmt.Fprintf(&s, "you see it at %dx%d pixels", w, h)
	}
	if known {
		s.WriteString(padding(record, i, w))
	}
	if record.Source != "" && len(record.Redacted) == 0 {
		s.WriteString("; file " + oneLine(record.Source))
	}
	name := i.Ref
	if record.Ref != "" {
		name = record.Ref
	}
	fmt.Fprintf(&s, "; stored as %s.%s]", message.BlobName(name), b.c.marks.way.on(b.route).closer())
	return s.String()
}

func title(record message.PictureRecord, callID string) string {
	if record.Number > 0 {
		return fmt.Sprintf("[image %d", record.Number)
	}
	if callID == "" {
		callID = record.Call
	}
	if callID != "" {
		return "[image from call " + oneLine(callID)
	}
	return "[image"
}

// sizes says how seen pixels map to source pixels, with the crop's corner where there is one. sent is the picture
// as it goes out, w and h what the model sees of it.
func sizes(record message.PictureRecord, sent message.Image, w, h int) string {
	part := shownPart(record)
	text := fmt.Sprintf("source %dx%d pixels", record.Width, record.Height)
	if part != (message.Rect{Width: record.Width, Height: record.Height}) {
		text += fmt.Sprintf(", of which you see %dx%d from (%d,%d)", part.Width, part.Height, part.X, part.Y)
	}
	text += fmt.Sprintf("; you see it at %dx%d", w, h)
	content, _ := contentOf(record, sent)
	if sent.Width > 0 {
		content = content * w / sent.Width
	}
	if content > 0 && part.Width != content {
		text += fmt.Sprintf(", 1 pixel of it is %.3g source pixels", float64(part.Width)/float64(content))
	}
	return text
}

// padding says that a picture was too narrow for the service and which part of what the model sees is the picture.
func padding(record message.PictureRecord, sent message.Image, w int) string {
	cw, ch := contentOf(record, sent)
	if cw == sent.Width && ch == sent.Height || sent.Width == 0 {
		return ""
	}
	scale := float64(w) / float64(sent.Width)
	seen := func(n int) int { return max(int(float64(n)*scale+0.5), 1) }
	return fmt.Sprintf(" (the service takes no picture this small, so it was padded: the picture is the top left %dx%d, the rest is white)", seen(cw), seen(ch))
}

func shownPart(record message.PictureRecord) message.Rect {
	if record.Crop != nil {
		return *record.Crop
	}
	return message.Rect{Width: record.Width, Height: record.Height}
}

// contentOf is how much of a sent picture is the picture itself: a rendition of one that was too small for its
// route has white at its right and below. Pictures are never enlarged, so the shape of the source tells.
func contentOf(record message.PictureRecord, sent message.Image) (w, h int) {
	part := shownPart(record)
	if part.Width <= 0 || part.Height <= 0 {
		return sent.Width, sent.Height
	}
	scale := min(float64(sent.Width)/float64(part.Width), float64(sent.Height)/float64(part.Height), 1)
	side := func(source, sent int) int {
		n := max(int(float64(source)*scale+0.5), 1)
		if scale < 1 && sent-n <= roundingSlack(sent) {
			return sent // both sides were rounded on their own; this is no padding
		}
		return n
	}
	return side(part.Width, sent.Width), side(part.Height, sent.Height)
}

// roundingSlack is how far a side may be off its exact share after a picture was made smaller: the other side was
// rounded by at most half a pixel, which weighs more the narrower it is.
func roundingSlack(side int) int { return 1 + side/32 }

// cachePoints marks the two newest messages from the person's side: the prefix up to the older one was
// written by the request before this one.
func (b *builder) cachePoints() {
	left := 2
	for i := len(b.out) - 1; i >= 0 && left > 0; i-- {
		if b.out[i].Role != message.RoleAssistant {
			b.out[i].Cache = true
			left--
		}
	}
}
