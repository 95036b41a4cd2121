package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/message"
	"espy/providers"
)

// outbox says how a message that waits is to leave.
type outbox struct{ steer bool }

// parcel is a message on its way out: taken from the composer, not yet with the loop.
type parcel struct {
	text     string // every chip in full
	typed    string // without the chips: only what was typed is searched for @files
	pictures []agent.Attachment
	with     []message.Text // goes along behind the text
	steer    bool

	untrusted string // who wrote the text, where it was not the person
}

// send sends what is in the composer, or runs it as a command. While something is still being attached it
// waits: a message never leaves without a picture that is on its row.
func (m *model) send(steer bool) tea.Cmd {
	text := m.comp.buf.text()
	if strings.TrimSpace(text) == "" && m.row.empty() {
		return nil
	}
	if name, args, ok := slashLine(text); ok && len(m.jobs) == 0 {
		return m.command(name, args)
	}
	if m.onlyRead() {
		return nil
	}
	if len(m.jobs) > 0 {
		m.pending = &outbox{steer}
		return nil
	}
	if isShellLine(text) {
		return m.postShell(text)
	}
	if m.sayBlind() {
		return nil
	}
	return m.post(parcel{text: text, typed: m.comp.buf.typed(), pictures: m.row.take(), steer: steer})
}

// isShellLine reports whether a text is a line for the person's own shell.
func isShellLine(text string) bool {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	return ok && strings.TrimSpace(line) != ""
}

// postShell hands a "!" line to the loop, which runs it. It takes no pictures: they stay on the row.
func (m *model) postShell(text string) tea.Cmd {
	past := Past{Text: text}
	m.comp.sent(past)
	m.say("", false)
	m.list.end()
	m.conv.Loop.Send(agent.Submit{Prompt: agent.Prompt{Text: []message.Text{{Text: text, Origin: message.OriginShell}}}})
	return m.remember(past)
}

// blindness says that the model cannot see the pictures on the row.
func (m *model) blindness() error {
	return providers.CheckImages(m.talk.route, imagesOf(m.row.pictures))
}

// sayBlind says that the model cannot see what is on the row, if so, and names the way on that leaves what is
// typed where it is.
func (m *model) sayBlind() bool {
	err := m.blindness()
	if err != nil {
		m.say(err.Error()+" ("+m.keys.key(actModels)+" lists the models; what is typed stays)", true)
	}
	return err != nil
}

// post takes the message out of the composer and looks up the @files it names.
func (m *model) post(p parcel) tea.Cmd {
	m.comp.sent(m.pastOf(p.text, p.pictures))
	m.recalled = nil
	m.say("", false)
	m.list.end()
	if !strings.Contains(p.typed, "@") {
		return m.submit(p, nil, nil)
	}
	in, held := m.conv.Intake, &p
	m.parcels = append(m.parcels, held)
	return m.start("reading the @files…", nil, func(ctx context.Context) func(*model) tea.Cmd {
		texts, pictures, err := in.AtFiles(ctx, p.typed)
		return func(m *model) tea.Cmd {
			m.parcels = slices.DeleteFunc(m.parcels, func(x *parcel) bool { return x == held })
			if err != nil {
				m.takeBack(p)
				m.fail(err)
				return nil
			}
			return m.submit(p, texts, pictures)
		}
	})
}

// submit hands a message to the loop, or puts it back where the model cannot see its pictures.
func (m *model) submit(p parcel, texts []message.Text, more []agent.Attachment) tea.Cmd {
	pictures := p.pictures
	for _, a := range more {
		if !slices.ContainsFunc(pictures, func(have agent.Attachment) bool { return have.Image.Ref == a.Image.Ref }) {
			pictures = append(pictures, a)
		}
	}
	if err := providers.CheckImages(m.talk.route, imagesOf(pictures)); err != nil {
		m.takeBack(p)
		m.say(err.Error(), true)
		return nil
	}
	for _, a := range pictures {
		m.talk.pictures[a.Image.Ref] = a.Record
	}
	prompt := agent.Prompt{Text: append(blocks(p, texts), p.with...), Attachments: pictures, Untrusted: p.untrusted}
	if p.steer && m.talk.busy {
		m.talk.steers = append(m.talk.steers, promptText(prompt))
	}
	m.conv.Loop.Send(agent.Submit{Prompt: prompt, Steer: p.steer})
	return m.remember(m.pastOf(p.text, pictures))
}

// blocks is the message's text: what was typed, whole, and the files it named.
func blocks(p parcel, texts []message.Text) []message.Text {
	isTyped := func(t message.Text) bool { return t.Origin == message.OriginTyped || t.Origin == "" }
	if p.text == p.typed && slices.ContainsFunc(texts, isTyped) {
		return texts
	}
	var out []message.Text
	if strings.TrimSpace(p.text) != "" {
		out = append(out, message.Text{Text: p.text, Origin: message.OriginTyped})
	}
	for _, t := range texts {
		if !isTyped(t) {
			out = append(out, t)
		}
	}
	return out
}

// takeBack undoes post.
func (m *model) takeBack(p parcel) {
	m.comp.putBack(p.text)
	m.row.pictures = append(slices.Clone(p.pictures), m.row.pictures...)
}

// putBack brings a prompt back into the composer, whole: its text and its pictures.
func (m *model) putBack(p agent.Prompt) {
	m.comp.putBack(promptText(p))
	m.row.pictures = append(slices.Clone(p.Attachments), m.row.pictures...)
}

// unqueue takes the newest queued message back to edit it.
func (m *model) unqueue() tea.Cmd {
	n := len(m.talk.queue)
	if n == 0 {
		m.say("nothing is queued", false)
		return nil
	}
	q := m.talk.queue[n-1]
	m.talk.queue = slices.Clone(m.talk.queue[:n-1])
	m.conv.Loop.Send(agent.Unqueue{ID: q.ID})
	m.putBack(q.Prompt)
	return nil
}

func (m *model) pastOf(text string, pictures []agent.Attachment) Past {
	return Past{Text: text, Session: m.talk.id, Images: imagesOf(pictures)}
}

func (m *model) remember(p Past) tea.Cmd {
	remember := m.o.Remember
	if remember == nil || p.empty() {
		return nil
	}
	return m.work.do(func(context.Context) tea.Msg {
		remember(p)
		return nil
	})
}

func (m *model) unfold() {
	switch found, fits := m.comp.buf.unfold(); {
	case !found:
		m.say("put the cursor on a folded paste to unfold it", false)
	case !fits:
		m.say("this paste is too long to move in; "+m.keys.key(actEditor)+" opens the text in the editor", false)
	}
}

// errNotHere is what a command says that this program was not given.
var errNotHere = errors.New("this is not available here")
