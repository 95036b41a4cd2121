package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/tools"
)

// inquiry is a question of the model's to the person: choices to take, several of them where the model says so, words
// of one's own, or nothing. It is answered under the same rules as a permission (question.go): never by a key that was
// meant for something else.
type inquiry struct {
	ask    agent.QuestionAsked
	marked []bool // choices taken, where several may be
}

// ownWords is the value of the choice that is always there.
type ownWords struct{}

func newInquiry(ask agent.QuestionAsked, marked []bool, now time.Time, t *theme, keys keymap) *dialog {
	q := ask.Question
	if len(marked) != len(q.Choices) {
		marked = make([]bool, len(q.Choices))
	}
	inquired := &inquiry{ask: ask, marked: marked}
	d := &dialog{title: "the model asks", question: &question{inquiry: inquired, opened: now}, filter: newBuffer(), further: keys.key(actPageDown)}
	if q.Several {
		d.title = "the model asks; several may be chosen"
	}
	d.body = func(width int) []string { return inquiryBody(q, width, t) }
	d.choices = inquired.choices(keys)
	d.footer = inquiryHints(q.Several, keys)
	d.narrow()
	return d
}

func inquiryHints(several bool, keys keymap) string {
	takes := keys.key(actChoose) + " answers"
	if several {
		takes = keys.key(actMarkChoice) + " marks · " + takes
	}
	return takes + " · " + keys.key(actOwnWords) + " something else · " + keys.key(actDismiss) + " leaves it unanswered"
}

// choices are those the model offers, with their marks, and the one that is always there.
func (i *inquiry) choices(keys keymap) []choice {
	numbers := keys.keysOf(actNumber)
	var out []choice
	for n, c := range i.ask.Question.Choices {
		key, label := "", c.Label
		if n < len(numbers) {
			key = keyName(numbers[n])
		}
		if i.ask.Question.Several {
			label = map[bool]string{true: "[x] ", false: "[ ] "}[i.marked[n]] + label
		}
		out = append(out, choice{label: label, about: c.About, key: key, value: n})
	}
	return append(out, choice{label: "something else…", about: "in your own words", key: keys.key(actOwnWords), value: ownWords{}})
}

// inquiryBody is the question, and in full those choices that do not fit on their line.
func inquiryBody(q tools.Question, width int, t *theme) []string {
	lines := planLines(strings.TrimSpace(q.Text), width, t)
	for n, c := range q.Choices {
		label, about := flat(c.Label), flat(c.About)
		if cellsOf(label)+cellsOf(about)+choiceFrame <= width {
			continue
		}
		text := fmt.Sprintf("%d %s", n+1, label)
		if about != "" {
			text += ": " + about
		}
		lines = append(lines, styled(hang("  ", wrap(text, width-4)), t.dim.Render)...)
	}
	return lines
}

// choiceFrame is how many columns of a choice's line are not words: mark, key, gaps.
const choiceFrame = 16

// onInquiryKey handles a key once the question may be answered.
func (m *model) onInquiryKey(name string, rested bool) tea.Cmd {
	d, i := m.dialog, m.dialog.question.inquiry
	several := i.ask.Question.Several
	act := m.keys.find(inAsk, name)
	switch general := m.keys.find(inDialog, name); {
	case act == actNumber:
		n := slices.Index(m.keys.keysOf(actNumber), name)
		if n < 0 || n >= len(i.marked) {
			return nil
		}
		d.selected = n
		if several {
			return m.markChoice(n)
		}
		return m.whenRested(rested, func() tea.Cmd { return m.replyWith(tools.Reply{Chosen: []int{n}}) })
	case act == actMarkChoice && several:
		return m.markChoice(d.selected)
	case act == actOwnWords:
		return m.whenRested(rested, m.writeOwnWords)
	case general == actChoose || act == actMarkChoice:
		return m.whenRested(rested, m.takeInquired)
	case general == actDismiss:
		return m.whenRested(rested, func() tea.Cmd { return m.replyWith(tools.Reply{Dismissed: true}) })
	}
	d.key(name, "", m.keys)
	return nil
}

// whenRested does what settles a question, unless the key came too soon after another one.
func (m *model) whenRested(rested bool, do func() tea.Cmd) tea.Cmd {
	if !rested {
		m.say("that came too soon after another key to be an answer; press it again", false)
		return nil
	}
	m.say("", false)
	return do()
}

// markChoice takes a choice or lets it go, where several may be taken.
func (m *model) markChoice(n int) tea.Cmd {
	d, i := m.dialog, m.dialog.question.inquiry
	if n < 0 || n >= len(i.marked) {
		return nil
	}
	i.marked[n] = !i.marked[n]
	d.choices = i.choices(m.keys)
	return nil
}

// takeInquired answers with what is marked, and where nothing is with what is selected.
func (m *model) takeInquired() tea.Cmd {
	d, i := m.dialog, m.dialog.question.inquiry
	if d.selected < 0 || d.selected >= len(d.choices) {
		return nil
	}
	if d.choices[d.selected].value == (ownWords{}) {
		return m.writeOwnWords()
	}
	chosen := i.chosen()
	if len(chosen) == 0 {
		chosen = []int{d.selected}
	}
	return m.replyWith(tools.Reply{Chosen: chosen})
}

func (i *inquiry) chosen() (chosen []int) {
	for n, on := range i.marked {
		if on {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// writeOwnWords turns the question into the line in which the answer is written.
func (m *model) writeOwnWords() tea.Cmd {
	d, i := m.dialog, m.dialog.question.inquiry
	d.question.reason = true
	d.asks, d.choices, d.shown = "your answer", nil, nil
	d.footer = m.keys.key(actChoose) + " answers with these words · " + m.keys.key(actDismiss) + " goes back"
	d.choose = func(_ choice, line string) tea.Cmd {
		if strings.TrimSpace(line) == "" {
			m.reopen()
			return nil
		}
		return m.replyWith(tools.Reply{Chosen: i.chosen(), Words: line})
	}
	return nil
}

func (m *model) replyWith(r tools.Reply) tea.Cmd {
	m.conv.Loop.Send(agent.Reply{ID: m.dialog.question.id(), Reply: r})
	m.talk.inquiries = m.talk.inquiries[1:]
	m.dialog = nil
	return nil
}
