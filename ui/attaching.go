package ui

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
)

// job is something being looked at for the next message: the clipboard, a pasted path, a picture at another
// detail. While there are jobs, Enter waits.
type job struct {
	label  string
	chip   *chip // the place in the text that a pasted text will take; nil where there is none
	run    func() tea.Msg
	begun  bool
	since  time.Time
	cancel context.CancelFunc
}

// jobDone brings a job's outcome. Settle is called in Update, whatever the outcome.
type jobDone struct {
	job    *job
	settle func(m *model) tea.Cmd
}

// start begins a job. Run returns what is to be done with its outcome.
func (m *model) start(label string, c *chip, run func(ctx context.Context) func(*model) tea.Cmd) tea.Cmd {
	ctx, cancel := context.WithCancel(m.work.ctx)
	j := &job{label: label, chip: c, cancel: cancel, since: m.o.Clock()}
	j.run = func() tea.Msg {
		defer cancel()
		return jobDone{j, run(ctx)}
	}
	m.jobs = append(m.jobs, j)
	m.showJobs()
	return m.nextJob()
}

// nextJob begins the oldest job, if it has not begun. One runs at a time, so that pictures stand on the row,
// and are numbered, in the order they were pasted in.
func (m *model) nextJob() tea.Cmd {
	if len(m.jobs) == 0 || m.jobs[0].begun {
		return nil
	}
	j := m.jobs[0]
	j.begun = true
	return m.work.do(func(context.Context) tea.Msg { return j.run() })
}

// showJobs says on the row what is being looked at, and for how long where it takes a while.
func (m *model) showJobs() {
	m.row.waiting = m.row.waiting[:0]
	for _, j := range m.jobs {
		label := j.label
		if lasts := m.o.Clock().Sub(j.since); lasts >= worthTelling {
			label += "  " + wholeSeconds(lasts) + ", " + m.keys.key(actInterrupt) + " stops"
		}
		m.row.waiting = append(m.row.waiting, label)
	}
}

func (m *model) onJobDone(d jobDone) tea.Cmd {
	i := slices.Index(m.jobs, d.job)
	if i < 0 {
		return nil
	}
	m.jobs = slices.Delete(m.jobs, i, i+1)
	m.showJobs()
	cmd := tea.Batch(d.settle(m), m.nextJob())
	if len(m.jobs) == 0 && m.pending != nil {
		p := *m.pending
		m.pending = nil
		return tea.Batch(cmd, m.send(p.steer))
	}
	return cmd
}

// stopJobs gives up what is being attached; a pasted text stays as text.
func (m *model) stopJobs() {
	for _, j := range m.jobs {
		j.cancel()
	}
	m.say("stopping…", false)
}

// fail says what went wrong and keeps a message that waited for it from leaving without it.
func (m *model) fail(err error) {
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "stopped"
	}
	if m.pending != nil {
		m.pending = nil
		text += " (nothing was sent)"
	}
	m.say(text, true)
}

// pasteClipboard looks at the clipboard: pictures go onto the row, text where the cursor was.
func (m *model) pasteClipboard() tea.Cmd {
	if m.o.Remote && m.caps.Events {
		return m.pasteThroughTerminal()
	}
	m.say("", false) // what an earlier paste came to
	c := &chip{label: "…", waiting: true}
	m.comp.buf.insertChip(c)
	in := m.conv.Intake
	return m.start("looking at the clipboard…", c, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.Paste(ctx)
		return func(m *model) tea.Cmd { return m.takePasted(c, got, err) }
	})
}

// onPaste takes a paste in. An empty one is how many terminals say that the clipboard holds a picture.
func (m *model) onPaste(text string) tea.Cmd {
	if m.dialog != nil && (m.dialog.filters || m.dialog.asks != "") {
		m.dialog.write("", newlines(text), m.keys)
		return nil
	}
	m.leaveRow()
	m.say("", false)
	if text == "" {
		return m.pasteClipboard()
	}
	if !mayBePaths(text) {
		m.comp.paste(text)
		return nil
	}
	c := &chip{text: text, label: cut(flat(text), 40), waiting: true}
	m.comp.buf.insertChip(c)
	in := m.conv.Intake
	return m.start("looking at "+shortName(flat(text)), c, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.PastedText(ctx, text)
		if err != nil || got.Text == "" && len(got.Attachments) == 0 {
			got.Text = text // whatever happened, what was pasted is not lost
		}
		return func(m *model) tea.Cmd { return m.takePasted(c, got, err) }
	})
}

// takePasted puts an outcome where it belongs.
func (m *model) takePasted(c *chip, got agent.Pasted, err error) tea.Cmd {
	c.text = got.Text
	if got.Text != "" {
		m.comp.buf.settle(c, pasteCells(got.Text))
	} else {
		m.comp.buf.settle(c, nil)
	}
	m.attach(got.Attachments...)
	switch {
	case err != nil:
		m.fail(err)
	case len(got.Notes) > 0:
		m.say(strings.Join(got.Notes, "; "), len(got.Attachments) == 0 && got.Text == "")
	}
	return nil
}

// attach puts pictures onto the row, each once, and says so where the model cannot see them.
func (m *model) attach(more ...agent.Attachment) {
	for _, a := range more {
		if m.row.has(a) {
			m.say(pictureLine(a.Image, a.Record)+" is on the row already", false)
			continue
		}
		m.row.add(a)
	}
	if len(more) > 0 && !m.talk.route.Sees() {
		m.sayBlind()
	}
}

// needed reports whether something unsent still names the bytes of a picture that was taken off the row.
func (m *model) needed(a agent.Attachment) bool {
	shares := func(b agent.Attachment) bool {
		return a.Image.Ref == b.Image.Ref || a.Record.Original != "" && a.Record.Original == b.Record.Original
	}
	return slices.ContainsFunc(m.row.pictures, shares) ||
		slices.ContainsFunc(m.talk.queue, func(q agent.Queued) bool { return slices.ContainsFunc(q.Prompt.Attachments, shares) })
}

// pathLike is what a pasted path can begin with: nothing that does not is looked at as one.
var pathLike = regexp.MustCompile(`(?i)^\s*(['"]?(/|~/|\\\\|file:|[a-z]:[\\/])|\S[^\n]{0,250}\.(png|jpe?g|gif|webp|bmp|tiff?)['"]?\s*$)`)

func mayBePaths(text string) bool {
	return len(text) <= pathPasteBytes && pathLike.MatchString(text)
}

// attachPaths is /attach PATH….
func (m *model) attachPaths(args string) tea.Cmd {
	in := m.conv.Intake
	return m.start("attaching "+shortName(flat(args)), nil, func(ctx context.Context) func(*model) tea.Cmd {
		got, err := in.AttachPaths(ctx, args)
		return func(m *model) tea.Cmd {
			m.attach(got...)
			if err != nil {
				m.fail(err)
				if len(got) == 0 && m.comp.buf.empty() {
					m.comp.show("/attach " + args)
				}
			}
			return nil
		}
	})
}

// onRowKey acts on the selected picture.
func (m *model) onRowKey(name string) (tea.Cmd, bool) {
	switch m.keys.find(inRow, name) {
	case actRowLeft:
		m.row.move(-1)
	case actRowRight:
		m.row.move(1)
	case actRowRemove:
		return m.removePicture(), true
	case actRowDetail:
		return m.redetail(), true
	case actRowLook:
		m.viewSelected()
	case actRowLeave:
		m.row.leave()
	default:
		if m.keys.find(inComposer, name) == actUp { // from the row, history
			m.row.leave()
			return m.older(), true
		}
		return nil, false
	}
	return nil, true
}

func (m *model) removePicture() tea.Cmd {
	a, ok := m.row.remove()
	if !ok || m.needed(a) {
		return nil
	}
	in := m.conv.Intake
	return m.work.do(func(context.Context) tea.Msg {
		in.Discard(a)
		return nil
	})
}

// redetail renders the selected picture at the next detail; the old one stays until the new one is there.
func (m *model) redetail() tea.Cmd {
	a, ok := m.row.current()
	if !ok {
		return nil
	}
	in, detail := m.conv.Intake, nextDetail(a.Record.Detail)
	return m.start(flat(a.Record.Name)+" at detail "+string(detail), nil, func(ctx context.Context) func(*model) tea.Cmd {
		with, err := in.Redetail(ctx, a, detail)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
			} else if !m.row.replace(a, with) {
				return m.work.do(func(context.Context) tea.Msg { in.Discard(with); return nil })
			}
			return nil
		}
	})
}

func imagesOf(all []agent.Attachment) []message.Image {
	out := make([]message.Image, len(all))
	for i, a := range all {
		out[i] = a.Image
	}
	return out
}
