package ui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/ui/screen"
)

// Memory tells what the conversation holds: its pictures and what was folded away. The loop's Agent is one.
type Memory interface {
	Pictures() []projection.PictureState
	Folds() []projection.Fold
}

// runImages lists every picture of the session: what it costs, and whether it is in the context or how it left.
func (m *model) runImages(string) tea.Cmd {
	memory := m.conv.Memory
	if memory == nil {
		return m.missing()
	}
	return m.work.do(func(context.Context) tea.Msg {
		list := memory.Pictures()
		if len(list) == 0 {
			return sentence{"there is no picture in this session yet", false}
		}
		choices := make([]choice, len(list))
		for i, p := range list {
			choices[i] = choice{label: pictureLine(p.Image, p.Record), about: pictureState(p), value: p}
		}
		return panelReady{newPicker("pictures of this session", choices, func(c choice, _ string) tea.Cmd {
			m.dialog = m.pictureActions(c.value.(projection.PictureState))
			return nil
		})}
	})
}

func pictureState(p projection.PictureState) string {
	where := "in context"
	if p.Left != "" {
		where = p.Left
	}
	if p.Pinned {
		where += ", pinned"
	}
	return fmt.Sprintf("%s tokens · %s", grouped(p.Tokens), where)
}

// pictureActions is what can be done with one picture.
func (m *model) pictureActions(p projection.PictureState) *dialog {
	pin, drop := "pin: it stays in the context", "drop: the model no longer gets it"
	if p.Pinned {
		pin = "unpin: it may leave the context again"
	}
	if p.Left == "dropped" {
		drop = "bring back: the model gets it again"
	}
	choices := []choice{
		{label: "look at it", value: "show"},
		{label: "attach again: it goes along with the next message", value: "attach"},
		{label: pin, value: "pin"},
		{label: drop, value: "drop"},
	}
	return newPicker(pictureLine(p.Image, p.Record), choices, func(c choice, _ string) tea.Cmd {
		switch c.value {
		case "show":
			m.viewStored(agent.Attachment{Image: p.Image, Record: p.Record})
		case "attach":
			return m.recallPictures("", []message.Image{p.Image})
		case "pin":
			m.conv.Loop.Send(agent.PinPicture{Ref: p.Image.Ref, Off: p.Pinned})
		case "drop":
			m.conv.Loop.Send(agent.DropPicture{Ref: p.Image.Ref, Off: p.Left == "dropped"})
		}
		return nil
	})
}

// recallPictures puts pictures of an earlier message back on the row.
func (m *model) recallPictures(session string, images []message.Image) tea.Cmd {
	if len(images) == 0 {
		return nil
	}
	in := m.conv.Intake
	return m.start("bringing back "+amount(len(images), "picture"), nil, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.Recall(ctx, session, images)
		return func(m *model) tea.Cmd {
			m.attach(got...)
			if err != nil {
				m.fail(err)
			}
			return nil
		}
	})
}

// runExpand lists what was folded away: summaries with what they stand for, and elisions.
func (m *model) runExpand(string) tea.Cmd {
	memory := m.conv.Memory
	if memory == nil {
		return m.missing()
	}
	return m.work.do(func(context.Context) tea.Msg {
		folds := memory.Folds()
		if len(folds) == 0 {
			return sentence{"nothing is folded: the model is sent the whole conversation", false}
		}
		choices := make([]choice, len(folds))
		for i, f := range folds {
			choices[i] = choice{label: foldName(f), about: f.Mark.Time.Local().Format("15:04"), value: f}
		}
		return panelReady{newPicker("folded away", choices, func(c choice, _ string) tea.Cmd {
			m.dialog = m.foldActions(c.value.(projection.Fold))
			return nil
		})}
	})
}

func foldName(f projection.Fold) string {
	if f.Mark.Mark == message.MarkSummarise {
		return "summary of " + amount(len(f.Messages), "message")
	}
	var parts []string
	for _, p := range []struct {
		n    int
		name string
	}{{len(f.Mark.Calls), "result"}, {len(f.Mark.Messages), "file"}, {len(f.Mark.Refs), "picture"}} {
		if p.n > 0 {
			parts = append(parts, amount(p.n, p.name))
		}
	}
	return strings.Join(parts, " and ") + " elided"
}

func (m *model) foldActions(f projection.Fold) *dialog {
	choices := []choice{{label: "unfold: the model is sent it again", value: "unfold"}}
	if f.Mark.Mark == message.MarkSummarise {
		choices = append([]choice{{label: "read the summary", value: "summary"}, {label: "read what it stands for", value: "whole"}}, choices...)
	}
	return newPicker(foldName(f), choices, func(c choice, _ string) tea.Cmd {
		switch c.value {
		case "unfold":
			m.conv.Loop.Send(agent.Unfold{ID: f.Mark.ID})
		case "summary":
			m.dialog = m.reader("summary", f.Mark.Summary)
		case "whole":
			var s strings.Builder
			for _, msg := range f.Messages {
				fmt.Fprintf(&s, "── %s\n%s\n\n", msg.Role, msg.PlainText())
			}
			m.dialog = m.reader(foldName(f), s.String())
		}
		return nil
	})
}

// reader is a panel of text to scroll.
func (m *model) reader(title, text string) *dialog {
	d := &dialog{title: title}
	d.body = func(width int) []string { return wrapSafe(text, width) }
	return d
}

// wrapSafe is outside text as safe lines, none wider than width.
func wrapSafe(text string, width int) []string {
	return wrap(screen.Safe(text), width)
}
