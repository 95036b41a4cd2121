package headless

import (
	"io"
	"strings"
	"time"

	"espy/agent/message"
	"espy/agent/tools"
)

// WriteMarkdown writes a conversation as a Markdown document. Pictures stand as their sentence, or, where blobs
// is not nil, are carried inside the document; calls and results are fenced blocks.
func WriteMarkdown(w io.Writer, messages []message.Message, blobs Blobs) error {
	p := &page{w: w, blobs: blobs}
	for _, m := range messages {
		p.printf("## %s, %s\n\n", heading(m), m.Time.Local().Format(time.DateTime))
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case message.Text:
				p.printf("%s\n\n", terminalText(b.Text))
			case message.Image:
				p.markdownPicture(b)
			case message.ToolCall:
				b = tools.Meant(b)
				p.printf("Call `%s`:\n\n%s\n\n", oneLine(b.Name), fenced(terminalText(b.Args)))
			case message.ToolResult:
				p.printf("%s\n\n", fenced(terminalText(b.Text)))
				for _, i := range b.Images {
					p.markdownPicture(i)
				}
			}
		}
	}
	return p.err
}

func (p *page) markdownPicture(i message.Image) {
	if !p.picture(i, "![picture](", ")\n\n") {
		p.printf("%s\n\n", i.StandIn())
	}
}

func heading(m message.Message) string {
	switch m.Role {
	case message.RoleUser:
		return "You"
	case message.RoleAssistant:
		return oneLine(m.Model)
	case message.RoleTool:
		return "Results"
	}
	return "Note"
}

// fenced puts text into a fence longer than any inside it.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}
