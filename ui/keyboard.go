package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/input"
)

// onInput handles what comes from the terminal: keys and pastes, and what was neither.
func (m *model) onInput(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case input.PasteMsg:
		cmd := m.onPaste(msg.Text)
		if msg.Cut > 0 {
			m.say(fmt.Sprintf("the paste was too long: its last %s are left out", amount(msg.Cut, "byte")), true)
		}
		return cmd
	case tea.KeyMsg:
		if msg.Paste {
			return m.onPaste(string(msg.Runes))
		}
	}
	name, ok := input.Name(msg)
	typed := typedText(msg)
	if !ok && typed == "" {
		return nil
	}
	return m.onKey(name, typed)
}

// typedText is the text a key stands for, "" for a key that is not text.
func typedText(msg tea.Msg) string {
	k, ok := msg.(tea.KeyMsg)
	if !ok || k.Alt {
		return ""
	}
	switch k.Type {
	case tea.KeyRunes, tea.KeySpace:
		return string(k.Runes)
	}
	return ""
}

// onKey gives a key to the region that has the keys.
func (m *model) onKey(name, typed string) tea.Cmd {
	now := m.o.Clock()
	rested := now.Sub(m.lastKey) >= grace
	m.lastKey = now
	if m.dialog != nil && m.dialog.question != nil {
		return m.onQuestionKey(name, typed, rested)
	}
	m.lastTyping = false
	if m.viewer != nil {
		return m.onViewerKey(name)
	}
	if m.dialog != nil {
		return m.onDialogKey(name, typed)
	}
	if m.row.focused {
		if cmd, handled := m.onRowKey(name); handled {
			return cmd
		}
	}
	if m.find.writing {
		m.onFindKey(name, typed)
		return nil
	}
	if m.list.picked >= 0 {
		if cmd, handled := m.onItemKey(name); handled {
			return cmd
		}
	}
	return m.onComposerKey(name, typed)
}

func (m *model) onDialogKey(name, typed string) tea.Cmd {
	if m.keys.find(inAll, name) == actSuspend {
		return m.suspend()
	}
	d := m.dialog
	cmd, closed := d.key(name, typed, m.keys)
	if closed && m.dialog == d {
		m.dialog = nil
	}
	return cmd
}

// onComposerKey is for the text, unless the key means something everywhere.
func (m *model) onComposerKey(name, typed string) tea.Cmd {
	m.lastTyping = true
	if m.hints.open() {
		if handled, cmd := m.onHintKey(name); handled {
			return cmd
		}
	}
	if cmd, handled := m.onVimKey(name, typed); handled {
		return cmd
	}
	if cmd, handled := m.onGlobal(m.keys.find(inAll, name)); handled {
		return cmd
	}
	if a := m.keys.find(inComposer, name); a != "" {
		return m.compose(a)
	}
	if typed != "" {
		m.leaveRow()
		m.say("", false)
		m.walking = false
		m.comp.buf.insert(typed)
	}
	return nil
}

// leaveRow gives the keys back to the text.
func (m *model) leaveRow() {
	m.row.leave()
	m.leaveItems()
}

func (m *model) onHintKey(name string) (bool, tea.Cmd) {
	switch m.keys.find(inComposer, name) {
	case actUp, actHistoryBack:
		m.hints.move(-1)
	case actDown, actHistoryOn:
		m.hints.move(1)
	case actInterrupt:
		m.hints.close()
	case actComplete:
		if !m.hints.late() {
			m.hints.accept(&m.comp.buf)
		}
	case actSend:
		if m.hints.late() || m.wordStands() || m.hints.guessed() {
			return false, nil
		}
		ready := m.commandReady()
		m.hints.accept(&m.comp.buf)
		if ready {
			return true, m.send(false)
		}
	default:
		return false, nil
	}
	return true, nil
}

// wordStands reports whether the word at the cursor is already the chosen completion, so that enter sends.
func (m *model) wordStands() bool {
	return m.hints.items[m.hints.selected].insert == m.hints.want.query
}

// commandReady reports whether the chosen completion is a command that can run without an argument.
func (m *model) commandReady() bool {
	hint := m.hints.items[m.hints.selected].hint
	return m.hints.want.kind == completeCommand && (hint == "" || hint[0] == '[')
}

// compose does an action of the composer.
func (m *model) compose(a action) tea.Cmd {
	switch a {
	case actSend:
		return m.send(false)
	case actSteer:
		return m.send(true)
	case actInterrupt:
		return m.interrupt()
	case actUnqueue:
		return m.unqueue()
	case actPaste:
		return m.pasteClipboard()
	case actEditor:
		return m.editor()
	case actUnfold:
		m.unfold()
	case actSearch:
		m.searchHistory()
	case actComplete:
		m.hints.closed = wanted{}
	case actEnd:
		if m.comp.buf.empty() && m.row.empty() {
			return m.quit()
		}
		m.comp.buf.edit(actDelRight)
	default:
		return m.moveOrEdit(a)
	}
	return nil
}

func (m *model) moveOrEdit(a action) tea.Cmd {
	m.say("", false)
	walking := m.walking
	m.walking = walking && (a == actUp || a == actDown)
	switch a {
	case actHistoryBack:
		return m.older()
	case actHistoryOn:
		return m.newer()
	case actUp:
		if m.comp.vertical(-1) || !walking && m.row.focus() {
			break
		}
		if m.comp.buf.empty() && len(m.talk.queue) > 0 {
			return m.unqueue()
		}
		return m.older()
	case actDown:
		if !m.comp.vertical(1) {
			return m.newer()
		}
	default:
		m.comp.buf.edit(a)
	}
	return nil
}

// onGlobal does what holds everywhere.
func (m *model) onGlobal(a action) (tea.Cmd, bool) {
	page := max(m.list.height-2, 1)
	switch a {
	case actScrollUp:
		m.list.scroll(-page)
	case actScrollDown:
		m.list.scroll(page)
	case actTop:
		m.list.top()
	case actBottom:
		m.list.end()
	case actDetails:
		m.list.toggleAll()
	case actTranscript:
		m.row.leave()
		m.list.picked = len(m.list.slots)
		m.list.pick(m.list.step(-1))
	default:
		return m.onGlobalMore(a)
	}
	return nil, true
}

func (m *model) onGlobalMore(a action) (tea.Cmd, bool) {
	switch a {
	case actMode:
		m.cycleMode()
	case actTodos:
		m.toggleTodos()
	case actBackground:
		return nil, m.toBackground()
	case actHelp:
		m.dialog = m.helpPanel()
	case actModels:
		return m.pickModel(), true
	case actSessions:
		return m.pickSession(), true
	case actRedraw:
		return m.repaint(), true
	case actSuspend:
		return m.suspend(), true
	case actCancel:
		return m.cancel(), true
	default:
		return nil, false
	}
	return nil, true
}

// cancel clears the text, or with none stops what runs; once more soon after, with nothing left, it quits.
func (m *model) cancel() tea.Cmd {
	now := m.o.Clock()
	runs := m.talk.busy || len(m.jobs) > 0
	toStop := runs && now.Sub(m.stopArmed) >= quitWindow // what runs is stopped before anything quits
	if m.comp.buf.empty() && !toStop && now.Sub(m.quitArmed) < quitWindow {
		return m.quit()
	}
	m.quitArmed = now
	m.pending = nil
	if !m.comp.buf.empty() {
		m.comp.buf.clear()
		m.comp.recall = len(m.comp.past)
		next := " again quits"
		if toStop {
			next = " again stops the turn"
		}
		m.say("cleared; "+m.keys.key(actUndo)+" brings the text back, "+m.keys.key(actCancel)+next, false)
		return nil
	}
	if runs {
		m.stopArmed = now
		cmd := m.interrupt()
		m.say("stopping; "+m.keys.key(actCancel)+" again quits", false)
		return cmd
	}
	m.say("press "+m.keys.key(actCancel)+" again to quit"+m.talk.endsWithIt(), false)
	return nil
}

// interrupt stops what is nearest: a send that waits, what is being attached, or the turn.
func (m *model) interrupt() tea.Cmd {
	m.say("", false)
	switch {
	case m.pending != nil:
		m.pending = nil
		m.say("not sent; the text and what is being attached stay here", false)
	case len(m.jobs) > 0:
		m.stopJobs()
	case m.talk.busy:
		m.talk.turn.stopping = true
		m.sample()
		m.conv.Loop.Interrupt()
	default:
		return m.escaped()
	}
	return nil
}

func (m *model) onItemKey(name string) (tea.Cmd, bool) {
	switch m.keys.find(inTranscript, name) {
	case actItemUp:
		m.list.pick(m.list.step(-1))
	case actItemDown:
		m.list.pick(m.list.step(1))
	case actItemFirst:
		m.list.picked = -1
		m.list.pick(m.list.step(1))
	case actItemLast:
		m.list.picked = len(m.list.slots)
		m.list.pick(m.list.step(-1))
	case actItemFold:
		m.list.toggle(m.list.picked)
	case actItemCopy:
		return m.copyText(m.list.slots[m.list.picked].entry.plain()), true
	case actItemLeave:
		m.leaveItems()
	default:
		return m.onItemKeyMore(name)
	}
	return nil, true
}

func (m *model) onItemKeyMore(name string) (tea.Cmd, bool) {
	switch m.keys.find(inTranscript, name) {
	case actItemCode:
		return m.copyCode(), true
	case actItemLook:
		m.lookAtItem()
	case actMessageUp:
		m.list.pick(m.list.message(-1))
	case actMessageDown:
		m.list.pick(m.list.message(1))
	case actItemFind:
		m.startFinding()
	case actItemNext:
		m.findNext(-1)
	case actItemBefore:
		m.findNext(1)
	default:
		return nil, false
	}
	return nil, true
}

// leaveItems gives the keys back from the transcript to the text.
func (m *model) leaveItems() {
	m.list.picked = -1
	m.stopFinding()
}

// onMouse scrolls with the wheel and unfolds with a click.
func (m *model) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case m.viewer != nil:
		m.onViewerMouse(msg)
	case msg.Button == tea.MouseButtonWheelUp && m.dialog != nil:
		m.dialog.scroll(-wheelLines)
	case msg.Button == tea.MouseButtonWheelDown && m.dialog != nil:
		m.dialog.scroll(wheelLines)
	case msg.Button == tea.MouseButtonWheelUp:
		m.list.scroll(-wheelLines)
	case msg.Button == tea.MouseButtonWheelDown:
		m.list.scroll(wheelLines)
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress && m.dialog == nil:
		m.list.toggle(m.list.entryAt(msg.Y))
	}
	return nil
}

// onViewerMouse zooms with the wheel.
func (m *model) onViewerMouse(msg tea.MouseMsg) {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		m.viewer.magnify(1)
	case tea.MouseButtonWheelDown:
		m.viewer.magnify(-1)
	}
}
