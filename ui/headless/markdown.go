package headless

import (
	"fmt"
	"io"
	"strings"
	"time"

	"espy/agent/message"
)

// WriteMarkdown writes a conversation as a Markdown document. Pictures stand as their sentence, calls and
// results as fenced blocks.
func WriteMarkdown(w io.Writer, messages []message.Message) {
	for _, m := range messages {
		fmt.Fprintf(w, "## %s, %s\n\n", heading(m), m.Time.Local().Format(time.DateTime))
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case message.Text:
				fmt.Fprintf(w, "%s\n\n", b.Text)
			case message.Image:
				fmt.Fprintf(w, "%s\n\n", b.StandIn())
			case message.ToolCall:
				fmt.Fprintf(w, "Call `%s`:\n\n%s\n\n", oneLine(b.Name), fenced(b.Args))
			case message.ToolResult:
				fmt.Fprintf(w, "%s\n\n", fenced(b.Text))
				for _, i := range b.Images {
					fmt.Fprintf(w, "%s\n\n", i.StandIn())
				}
			}
		}
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
