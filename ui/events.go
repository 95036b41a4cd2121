package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// arrived is what the loop told.
type arrived struct {
	talk   int
	events []agent.Event
	err    error
}

// askAgain asks the loop for more after a pause in which deltas gather.
type askAgain struct{ talk int }

// armQuestion lets the question that stands be answered.
type armQuestion struct{ id string }

// next waits for the loop's events. One such command is under way at a time.
func (m *model) next() tea.Cmd {
	loop, talk := m.conv.Loop, m.talks
	return m.work.do(func(ctx context.Context) tea.Msg {
		events, err := loop.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return arrived{talk, events, err}
	})
}

func (m *model) onArrived(a arrived) tea.Cmd {
	if a.talk != m.talks {
		return nil
	}
	var cmds []tea.Cmd
	deltas := 0
	for _, e := range a.events {
		switch e := e.(type) {
		case agent.TextDelta, agent.ThinkingDelta, agent.CallProgress, agent.TaskChanged:
			deltas++
		case agent.Opened:
			m.talk.take(e, m.o.Clock())
			m.welcome(e)
			cmds = append(cmds, m.connectServers())
			continue
		case agent.Rejected:
			m.talk.taken(promptText(e.Prompt))
			m.putBack(e.Prompt)
			m.say(rejection(e), true)
			continue
		case agent.Rewound:
			m.onRewound(e)
			continue
		case agent.RewindAsked:
			m.onRewindAsked(e)
			continue
		case agent.Reloaded:
			cmds = append(cmds, m.onReloaded())
			continue
		case agent.ServersChanged:
			m.onServersChanged()
			continue
		case agent.Renamed:
			m.say("this session is now called "+flat(e.Title), false)
			continue
		}
		m.talk.take(e, m.o.Clock())
		m.settleQuestion(e)
		cmds = append(cmds, m.tellOutside(e))
	}
	cmds = append(cmds, m.drawLive())
	switch {
	case a.err != nil:
		m.talk.busy = false
		m.say("the session has ended: "+a.err.Error(), true)
	case deltas > 0:
		cmds = append(cmds, m.work.after(deltaPause, askAgain{a.talk}))
	default:
		cmds = append(cmds, m.next())
	}
	return tea.Batch(cmds...)
}

func rejection(r agent.Rejected) string {
	if r.Err == nil {
		return "the message was not taken"
	}
	return r.Err.Error()
}

// openQuestion puts the next question on the screen, when no other panel is there.
func (m *model) openQuestion() {
	switch {
	case m.dialog != nil || m.viewer != nil:
	case len(m.talk.asks) > 0:
		m.dialog = newQuestion(m.talk.asks[0], m.o.Clock(), m.t, m.keys)
	case len(m.talk.inquiries) > 0:
		m.dialog = newInquiry(m.talk.inquiries[0], nil, m.o.Clock(), m.t, m.keys)
	}
}

// arm starts the time a question must have stood before it can be answered.
func (m *model) arm() tea.Cmd {
	if m.dialog == nil || m.dialog.question == nil || m.dialog.question.arming {
		return nil
	}
	m.dialog.question.arming = true
	return m.afterFrame(grace, armQuestion{m.dialog.question.id()})
}

func (m *model) onArm(msg armQuestion) {
	if m.dialog != nil && m.dialog.question != nil && m.dialog.question.id() == msg.id {
		m.dialog.question.armed = true
	}
}

// settleQuestion closes a question that was settled without the person, by an interrupt for example.
func (m *model) settleQuestion(e agent.Event) {
	if m.dialog == nil || m.dialog.question == nil {
		return
	}
	if !m.talk.waitsFor(m.dialog.question.id()) {
		m.dialog = nil
	}
}

// onQuestionKey decides whether a key may answer. Before the question has stood, and while typing that began
// before it goes on, keys belong to the text.
func (m *model) onQuestionKey(name, typed string, rested bool) tea.Cmd {
	d := m.dialog
	q := d.question
	if !q.armed || !rested && m.lastTyping && !q.reason {
		return m.onComposerKey(name, typed)
	}
	m.lastTyping = false
	if q.reason {
		return m.onReasonKey(name, typed)
	}
	if m.keys.find(inAll, name) == actSuspend {
		return m.suspend()
	}
	if m.keys.find(inAll, name) == actCancel { // not only this call: the turn
		m.quitArmed, m.stopArmed = m.o.Clock(), m.o.Clock()
		return m.interrupt()
	}
	if q.inquiry != nil {
		return m.onInquiryKey(name, rested)
	}
	w, settles := d.answers(name, m.keys)
	if !settles {
		if m.keys.find(inDialog, name) != actDismiss {
			d.key(name, "", m.keys)
			return nil
		}
		w = answerChoice{choice: "deny"}
	}
	if !rested {
		m.say("that came too soon after another key to be an answer; press it again", false)
		return nil
	}
	return m.answer(w)
}

func (m *model) answer(w answerChoice) tea.Cmd {
	m.say("", false)
	if w.reason {
		m.dialog.explain(func(reason string) tea.Cmd {
			m.settleAsk(agent.Answer{Choice: w.choice, Reason: reason})
			return nil
		})
		return nil
	}
	m.settleAsk(agent.Answer{Choice: w.choice})
	return nil
}

// onReasonKey writes the reason of a denial, or an answer in one's own words; esc goes back to the question.
func (m *model) onReasonKey(name, typed string) tea.Cmd {
	cmd, closed := m.dialog.key(name, typed, m.keys)
	if closed && m.keys.find(inDialog, name) == actDismiss {
		m.reopen()
	}
	return cmd
}

// reopen goes back from the line to the question.
func (m *model) reopen() {
	q := m.dialog.question
	if q.inquiry != nil {
		m.dialog = newInquiry(q.inquiry.ask, q.inquiry.marked, m.o.Clock(), m.t, m.keys)
	} else {
		m.dialog = newQuestion(q.ask, m.o.Clock(), m.t, m.keys)
	}
	m.dialog.question.armed, m.dialog.question.arming = true, true
}

func (m *model) settleAsk(a agent.Answer) {
	a.ID = m.dialog.question.ask.ID
	m.talk.asks = m.talk.asks[1:]
	m.dialog = nil
	m.conv.Loop.Send(a)
}
