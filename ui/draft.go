package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// draftKeeper saves what is unsent once the composer has rested, and only when it changed.
type draftKeeper struct {
	loaded  bool // before that nothing is saved: it would replace what is to be loaded
	seen    draftMark
	saved   draftMark
	pending bool
}

// draftMark says cheaply whether the unsent part changed.
type draftMark struct {
	rev      int
	pictures int
	last     string
	queued   int
}

// draftDue says that the composer has rested.
type draftDue struct{}

// draftLoaded brings a stored draft; err names pictures of it that are gone.
type draftLoaded struct {
	talk  int
	draft draftJSON
	err   error
}

// draftJSON is the draft as it is stored. Text is bytes: a paste need not be valid UTF-8.
type draftJSON struct {
	Pieces   []draftPiece       `json:"pieces"`
	Pictures []agent.Attachment `json:"pictures,omitempty"`
	Queue    []agent.Prompt     `json:"queue,omitempty"`
}

type draftPiece struct {
	Text  []byte `json:"text"`
	Chip  bool   `json:"chip,omitempty"`
	Label string `json:"label,omitempty"`
}

func (m *model) mark() draftMark {
	d := draftMark{rev: m.comp.buf.rev, pictures: len(m.row.pictures), queued: len(m.talk.queue)}
	for _, a := range m.row.pictures {
		d.last += a.Image.Ref
	}
	return d
}

// keepDraft starts the pause after which the draft is saved. Without a change nothing ticks.
func (m *model) keepDraft() tea.Cmd {
	d := &m.draft
	if !d.loaded || d.pending || m.mark() == d.saved {
		return nil
	}
	d.pending, d.seen = true, m.mark()
	return m.work.after(draftPause, draftDue{})
}

func (m *model) saveDraft() tea.Cmd {
	d := &m.draft
	d.pending = false
	now := m.mark()
	if now != d.seen {
		return nil // still being written; keepDraft waits once more
	}
	d.saved = now
	state, in := m.draftState(), m.conv.Intake
	return m.work.do(func(context.Context) tea.Msg {
		in.SaveDraft(state.encode())
		return nil
	})
}

// draftState is the unsent part.
func (m *model) draftState() draftJSON {
	var d draftJSON
	for _, p := range m.parcels {
		d.Pieces = append(d.Pieces, draftPiece{Text: []byte(p.text + "\n\n")})
		d.Pictures = append(d.Pictures, p.pictures...)
	}
	if !m.comp.buf.empty() {
		d.Pieces = append(d.Pieces, m.comp.buf.pieces()...)
	}
	d.Pictures = append(d.Pictures, m.row.pictures...)
	for _, q := range m.talk.queue {
		d.Queue = append(d.Queue, q.Prompt)
	}
	return d
}

// encode is the draft as it is stored; nil when nothing is unsent.
func (d draftJSON) encode() []byte {
	if len(d.Pieces) == 0 && len(d.Pictures) == 0 && len(d.Queue) == 0 {
		return nil
	}
	state, err := json.Marshal(d)
	if err != nil { // nothing in a draft can fail to encode
		return nil
	}
	return state
}

// pieces is the text with its chips apart.
func (b *buffer) pieces() []draftPiece {
	var out []draftPiece
	var run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			out = append(out, draftPiece{Text: []byte(run.String())})
			run.Reset()
		}
	}
	for i, line := range b.lines {
		if i > 0 {
			run.WriteByte('\n')
		}
		for _, c := range line {
			switch {
			case c.chip == nil:
				run.WriteString(c.text)
			case c.chip.text != "":
				flush()
				out = append(out, draftPiece{Text: []byte(c.chip.text), Chip: !c.chip.waiting, Label: c.chip.label})
			}
		}
	}
	flush()
	return out
}

func (m *model) loadDraft() tea.Cmd {
	m.draft = draftKeeper{}
	in, talk := m.conv.Intake, m.talks
	return m.work.do(func(context.Context) tea.Msg {
		d, err := readDraft(in)
		return draftLoaded{talk, d, err}
	})
}

// readDraft loads a draft and takes its pictures up again.
func readDraft(in Intake) (d draftJSON, err error) {
	state := in.LoadDraft()
	if len(state) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(state, &d); err != nil {
		return draftJSON{}, fmt.Errorf("the draft could not be read: %w", err)
	}
	var faults []error
	adopt := func(all []agent.Attachment) []agent.Attachment {
		kept, err := in.Adopt(all)
		faults = append(faults, err)
		return kept
	}
	d.Pictures = adopt(d.Pictures)
	for i := range d.Queue {
		d.Queue[i].Attachments = adopt(d.Queue[i].Attachments)
	}
	return d, errors.Join(faults...)
}

// onDraft puts a stored draft in front of what was typed since the start. A message that was queued when
// espy ended is not sent by itself: it comes back as text and pictures.
func (m *model) onDraft(l draftLoaded) {
	if l.talk != m.talks {
		return
	}
	m.draft.loaded = true
	defer func() { m.draft.saved = m.mark() }()
	d := l.draft
	if l.err != nil {
		m.say(l.err.Error(), true)
	}
	if len(d.Pieces)+len(d.Pictures)+len(d.Queue) == 0 {
		return
	}
	typed := m.comp.buf.lines
	m.comp.buf = newBuffer()
	for _, q := range d.Queue {
		if m.queued(q) {
			continue
		}
		if !m.comp.buf.empty() {
			m.comp.buf.insert("\n\n")
		}
		m.comp.paste(promptText(q))
		d.Pictures = append(d.Pictures, q.Attachments...)
	}
	if !m.comp.buf.empty() && len(d.Pieces) > 0 {
		m.comp.buf.insert("\n\n")
	}
	for _, p := range d.Pieces {
		m.comp.restore(p)
	}
	m.comp.buf.append(typed)
	m.comp.buf.undo, m.comp.buf.redo = nil, nil
	m.row.pictures = append(slices.Clone(d.Pictures), m.row.pictures...)
	m.comp.recall = len(m.comp.past)
}

// queued reports whether the loop still holds a prompt of the draft.
func (m *model) queued(p agent.Prompt) bool {
	return slices.ContainsFunc(m.talk.queue, func(q agent.Queued) bool { return promptText(q.Prompt) == promptText(p) })
}

func (c *composer) restore(p draftPiece) {
	if p.Chip {
		c.buf.insertChip(&chip{text: string(p.Text), label: p.Label})
		return
	}
	if len(p.Text) > unfoldBytes {
		c.paste(string(p.Text))
		return
	}
	c.buf.insert(string(p.Text))
}

// historyLoaded brings what was sent before.
type historyLoaded struct{ past []Past }

func (m *model) loadHistory() tea.Cmd {
	history := m.o.History
	if history == nil {
		return nil
	}
	return m.work.do(func(context.Context) tea.Msg { return historyLoaded{history()} })
}

func (m *model) onHistory(h historyLoaded) {
	m.comp.past = append(slices.Clone(h.past), m.comp.past...)
	m.comp.recall = len(m.comp.past)
}

// namesLoaded brings the names of the models, for completion.
type namesLoaded struct{ names []string }

func (m *model) loadNames() tea.Cmd {
	models := m.o.Models
	if models == nil {
		return nil
	}
	return m.work.do(func(context.Context) tea.Msg {
		var names []string
		for _, r := range models() {
			names = append(names, r.Name())
		}
		return namesLoaded{names}
	})
}
