package ui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// ruleView is the line over the composer. It carries what is going on, so that nothing moves when a turn
// begins or ends.
func (m *model) ruleView(width int) string {
	more := m.below()
	text, style := m.ruleText()
	if text == "" && m.talk.busy {
		return m.busyRule(width, more)
	}
	return m.plainRule(width, text, style, more)
}

// below says that there is more under the window.
func (m *model) below() string {
	switch {
	case m.list.follow:
		return ""
	case m.list.unseen:
		return " ↓ new below, " + m.keys.key(actBottom) + " "
	}
	return " ↓ " + m.keys.key(actBottom) + " "
}

// busyRule has what the turn is at on the left and how long and how much on the right, where it stays.
func (m *model) busyRule(width int, more string) string {
	line, frame := m.t.faint.Render, 2*2+2*2 // two dashes at each end, a blank on either side of each text
	if width < frame+leastDoing+cellsOf(more) {
		more = ""
	}
	doing, facts := m.busyParts(max(width-frame-cellsOf(more)-1, 0))
	if facts != "" {
		facts = " " + facts + " "
	}
	doing = " " + doing + " "
	rest := max(width-4-cellsOf(doing)-cellsOf(facts)-cellsOf(more), 0)
	return line("──") + m.t.accent.Render(doing) + line(strings.Repeat("─", rest)) + m.t.dim.Render(facts) + m.t.accent.Render(more) + line("──")
}

func (m *model) plainRule(width int, text string, style lipgloss.Style, more string) string {
	if text != "" {
		text = " " + cut(text, width-6-cellsOf(more)) + " "
	}
	rest := width - 2 - cellsOf(text) - cellsOf(more)
	if rest < 0 {
		more, rest = "", max(width-2-cellsOf(text), 0)
	}
	line := m.t.faint.Render
	return line(strings.Repeat("─", min(2, width))) + style.Render(text) + line(strings.Repeat("─", max(rest-2, 0))) +
		m.t.accent.Render(more) + line(strings.Repeat("─", min(rest, 2)))
}

func (m *model) ruleText() (string, lipgloss.Style) {
	switch {
	case m.pending != nil:
		return m.spinner() + " sends as soon as everything is attached · " + m.keys.key(actInterrupt) + " keeps it here", m.t.warn
	case m.row.focused:
		return m.rowHints(), m.t.accent
	case m.list.picked >= 0 && (m.find.writing || m.find.query() != ""):
		return m.findText(), m.t.accent
	case m.list.picked >= 0:
		return m.itemHints(), m.t.accent
	case m.dialog != nil && m.dialog.question != nil && !m.dialog.question.armed:
		return "a question is waiting; keys still go to the text", m.t.warn
	case m.dialog != nil && m.dialog.question != nil:
		return "espy waits for your answer", m.t.warn
	case m.talk.busy: // has a line of its own
		return "", m.t.accent
	}
	if m.comp.vim.commands {
		return "commands · i writes", m.t.dim
	}
	return "", m.t.dim
}

func (m *model) rowHints() string {
	a, ok := m.row.current()
	if !ok {
		return ""
	}
	now := a.Record.Detail
	if now == "" {
		now = "auto"
	}
	k := m.keys.key
	return fitting(m.width-6, k(actRowLeft)+k(actRowRight)+" choose", k(actRowLook)+" looks",
		k(actRowDetail)+" detail "+flat(now)+"→"+string(nextDetail(now)), k(actRowLeave)+" back", k(actRowRemove)+" removes")
}

// fitting joins hints as far as they fit.
func fitting(width int, hints ...string) string {
	text := ""
	for _, h := range nonEmpty(hints) {
		if text != "" {
			h = text + " · " + h
		}
		if cellsOf(h) > width {
			break
		}
		text = h
	}
	return text
}

func (m *model) itemHints() string {
	k := m.keys.key
	looks := ""
	if p, ok := m.list.slots[m.list.picked].entry.(pictured); ok && p.pictured() {
		looks = k(actItemLook) + " looks at the picture"
	}
	return fitting(m.width-6, k(actItemUp)+k(actItemDown)+" choose", k(actItemFold)+" unfolds", looks, k(actItemCopy)+" copies",
		k(actItemLeave)+" back", k(actItemFind)+" finds", k(actMessageUp)+k(actMessageDown)+" messages", k(actItemCode)+" copies code")
}
