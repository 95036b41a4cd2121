package ui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// view opens a picture to look at.
func (m *model) view(a agent.Attachment, editable bool) {
	m.say("", false)
	m.viewer = newViewer(a, editable)
}

// onViewerKey is for the picture that fills the screen.
func (m *model) onViewerKey(name string) tea.Cmd {
	v := m.viewer
	switch m.keys.find(inAll, name) {
	case actSuspend:
		return m.suspend()
	case actRedraw:
		return m.repaint()
	}
	a := m.keys.find(inViewer, name)
	if a != "" {
		m.say("", false)
	}
	switch a {
	case actViewLeft:
		v.move(-1, 0)
	case actViewRight:
		v.move(1, 0)
	case actViewUp:
		v.move(0, -1)
	case actViewDown:
		v.move(0, 1)
	case actViewIn:
		v.magnify(1)
	case actViewOut:
		v.magnify(-1)
	case actViewAll:
		v.magnify(-mostZoom)
	case actViewCopy:
		return m.copyPicturePath(v.a)
	case actViewOpen:
		return m.openPicture(v.a)
	case actViewLeave:
		return m.leaveViewer()
	default:
		m.onEditKey(a)
	}
	return nil
}

// lookAtItem opens the viewer on a picture of the entry the keys act on; of several one is chosen.
func (m *model) lookAtItem() {
	var all []agent.Attachment
	if p, ok := m.list.slots[m.list.picked].entry.(pictured); ok {
		all = p.shots()
	}
	switch len(all) {
	case 0:
		m.say("there is no picture in this entry", false)
	case 1:
		m.viewStored(all[0])
	default:
		choices := make([]choice, len(all))
		for i, a := range all {
			choices[i] = choice{label: pictureLine(a.Image, a.Record), value: a}
		}
		m.dialog = newPicker("look at a picture", choices, func(c choice, _ string) tea.Cmd {
			m.viewStored(c.value.(agent.Attachment))
			return nil
		})
	}
}

// onEditKey changes a picture that waits on the row.
func (m *model) onEditKey(a action) {
	v := m.viewer
	if !v.editable {
		if slices.Contains([]action{actViewMark, actViewCrop, actViewBlack, actViewUndo, actViewWider, actViewNarrower, actViewTaller, actViewShorter}, a) {
			m.say("this picture was sent; /images attaches it again, and then it can be cut", false)
		}
		return
	}
	switch a {
	case actViewMark:
		v.mark()
	case actViewStep:
		v.nextStep()
	case actViewWider:
		v.size(1, 0)
	case actViewNarrower:
		v.size(-1, 0)
	case actViewTaller:
		v.size(0, 1)
	case actViewShorter:
		v.size(0, -1)
	case actViewCrop:
		m.crop()
	case actViewBlack:
		m.blacken()
	case actViewUndo:
		if !v.undo() {
			m.say("there is nothing to undo", false)
		}
	}
}

func (m *model) crop() {
	crop, _ := m.viewer.result()
	switch {
	case m.viewer.rect == nil && crop == nil:
		m.viewer.mark()
		m.say("move and size the rectangle, then press "+m.keys.key(actViewCrop)+" again", false)
		return
	case m.viewer.rect == nil:
		m.say("not cropped any longer", false)
	default:
		m.say("a crop shows less but hides nothing: the model can ask for the rest", false)
	}
	m.viewer.edit(false)
}

func (m *model) blacken() {
	switch {
	case m.viewer.rect == nil:
		m.viewer.mark()
		m.say("move and size the rectangle, then press "+m.keys.key(actViewBlack)+" again", false)
	case m.neededElsewhere(m.viewer.a):
		m.say("the same picture is attached a second time or waits in the queue; take that off first, it would show what is hidden here", true)
	default:
		m.viewer.edit(true)
		m.say("hidden for good when you go back: espy deletes its copies of the picture and keeps its tools from the file", false)
	}
}

// neededElsewhere reports whether something unsent shows the same picture, apart from the attachment itself.
func (m *model) neededElsewhere(a agent.Attachment) bool {
	same := func(b agent.Attachment) bool {
		return a.Record.Original != "" && a.Record.Original == b.Record.Original
	}
	count := 0
	for _, b := range m.row.pictures {
		if same(b) {
			count++
		}
	}
	return count > 1 || slices.ContainsFunc(m.talk.queue, func(q agent.Queued) bool { return slices.ContainsFunc(q.Prompt.Attachments, same) }) ||
		slices.ContainsFunc(m.parcels, func(p *parcel) bool { return slices.ContainsFunc(p.pictures, same) })
}

// leaveViewer goes back. What was done to the picture is made now; until it is, nothing can be sent. A picture of which
// something was to be hidden and could not be does not stay on the row.
func (m *model) leaveViewer() tea.Cmd {
	v := m.viewer
	if v.rect != nil {
		v.rect = nil
		return nil
	}
	m.viewer = nil
	if len(v.edits) == 0 {
		return nil
	}
	crop, black := v.result()
	in, a := m.conv.Intake, v.a
	label := "cropping " + shortName(flat(a.Record.Name))
	if len(black) > 0 {
		label = "blacking out " + amount(len(black), "area") + " of " + shortName(flat(a.Record.Name))
	}
	return m.start(label, nil, func(ctx context.Context) func(*model) tea.Cmd {
		with, err := in.Recut(ctx, a, crop, black)
		return func(m *model) tea.Cmd { return m.recut(a, with, len(black) > 0, err) }
	})
}

func (m *model) recut(old, with agent.Attachment, hides bool, err error) tea.Cmd {
	switch {
	case err != nil && hides:
		m.row.drop(old)
		m.fail(err)
		m.say(m.notice.text+"; the picture was taken off the row, so that it is not sent unhidden", true)
	case err != nil:
		m.fail(err)
	case !m.row.replace(old, with):
		in := m.conv.Intake
		return m.work.do(func(context.Context) tea.Msg { in.Discard(with); return nil })
	}
	return nil
}

func (m *model) copyPicturePath(a agent.Attachment) tea.Cmd {
	if a.Record.Source != "" {
		return m.copyText(a.Record.Source)
	}
	if m.o.PicturePath == nil {
		return m.missing()
	}
	path, err := m.o.PicturePath(a.Image.Ref)
	if err != nil {
		m.say(err.Error(), true)
		return nil
	}
	return m.copyText(path)
}

// openPicture shows the picture, as it is sent, in the system's own viewer.
func (m *model) openPicture(a agent.Attachment) tea.Cmd {
	open := m.o.OpenPicture
	if open == nil {
		return m.missing()
	}
	m.say("opening it in the system's viewer…", false)
	return m.work.do(func(ctx context.Context) tea.Msg {
		told, err := open(ctx, a.Image.Ref)
		if err != nil {
			return sentence{err.Error(), true}
		}
		return sentence{told, false}
	})
}
