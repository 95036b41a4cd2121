package ui

import (
	"fmt"
	"strings"

	"espy/agent"
)

// welcomed is the first screen: what espy is, the model and why, what to try, what is not accepted here.
type welcomed struct {
	version string
	model   string
	sees    bool
	offline bool
	first   FirstScreen
}

// welcome puts the first screen at the head of a new session, and says what an old one is.
func (m *model) welcome(e agent.Opened) {
	if len(e.Messages) > 0 {
		m.reminders()
		m.list.end()
		return
	}
	m.list.add(&welcomed{m.o.Version, e.Route.Name(), e.Route.Sees(), e.Route.Server.Protocol == "fake", m.o.First})
}

// reminders are what the first screen would have warned of, at the end of a conversation that goes on.
func (m *model) reminders() {
	if len(m.o.First.NotAccepted) > 0 {
		m.list.add(&told{agent.NoticeWithheld, notAccepted(m.o.First.NotAccepted)})
	}
	for _, p := range m.o.First.Problems {
		m.list.add(&told{agent.NoticeWithheld, p})
	}
}

func notAccepted(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = flat(n)
	}
	return "Not accepted in this folder, and so without effect: " + strings.Join(shown, ", ") + ". Look at them, then /trust accept."
}

func (w *welcomed) draw(width int, l look) []string {
	t := l.t
	title := t.accent.Bold(true).Render("espy")
	if v := flat(w.version); v != "" {
		title += t.dim.Render(cut(" "+v, width-4))
	}
	lines := []string{title}
	lines = append(lines, styled(wrap("A coding assistant that sees: it reads, edits and runs code in this folder, looks at pictures as closely as it needs, and asks before it does anything that matters.", width), t.dim.Render)...)
	lines = append(lines, "")
	lines = append(lines, w.modelLines(width, l)...)
	lines = append(lines, w.folderLines(width, l)...)
	for _, p := range w.first.Problems {
		lines = append(lines, hang(t.warn.Render("! "), styled(wrap(safe(p), width-2), t.warn.Render))...)
	}
	return lines
}

func (w *welcomed) modelLines(width int, l look) []string {
	text := "model " + flat(w.model)
	if w.first.ModelReason != "" {
		text += ": " + flat(w.first.ModelReason)
	}
	lines := wrap(text, width)
	if !w.sees {
		lines = append(lines, styled(wrap("this model cannot see images; /model lists those that can", width), l.t.warn.Render)...)
	}
	if w.offline {
		lines = append(lines, "")
		lines = append(lines, wrap("This model is offline: it answers with what it received. Try", width)...)
		for _, try := range []string{w.firstCall(), "paste a screenshot and press enter", "/model to choose another, /help for the keys"} {
			lines = append(lines, l.t.accent.Render(cut("  "+try, width)))
		}
		return lines
	}
	return append(lines, "", l.t.dim.Render(cut("paste a screenshot, name a file with @, see /help for the rest", width)))
}

// firstCall is a line that makes the offline model use a tool on something that is there.
func (w *welcomed) firstCall() string {
	if w.first.Try == "" || flat(w.first.Try) != w.first.Try {
		return `call glob {"pattern":"**"}`
	}
	return fmt.Sprintf(`call read {"path":%q}`, flat(w.first.Try))
}

func (w *welcomed) folderLines(width int, l look) []string {
	if len(w.first.NotAccepted) == 0 {
		return nil
	}
	return append([]string{""}, hang(l.t.warn.Render("! "), styled(wrap(notAccepted(w.first.NotAccepted), width-2), l.t.warn.Render))...)
}

func (w *welcomed) plain() string { return "espy " + w.version }
