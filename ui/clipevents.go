package ui

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/ui/input"
)

// A terminal with clipboard events (mode 5522, kitty's protocol) tells of a paste by what is on the clipboard and a
// password for it instead of by text; the program then asks for the one type it wants. It comes through the terminal, so
// that it is the clipboard of the machine the person sits at, also over ssh.

// clipEvents is a clipboard that is being read through the terminal. One is read at a time.
type clipEvents struct {
	password string   // of the paste that is being told, as it was sent
	types    []string // on the clipboard
	asked    string   // the type that was asked for; "." is the list; "" where nothing was
	data     []byte
	cut      bool
	answer   chan clipAnswer // takes one answer; nil where none is waited for
}

// clipAnswer is what was read.
type clipAnswer struct {
	mime string
	data []byte
	err  error
}

// clipID names this program's requests.
const clipID = "espy"

// onClipEvent takes a piece of a clipboard in.
func (m *model) onClipEvent(reply string) tea.Cmd {
	head, payload, _ := strings.Cut(reply, ";")
	fields := map[string]string{}
	for _, pair := range strings.Split(head, ":") {
		name, value, _ := strings.Cut(pair, "=")
		fields[name] = value
	}
	own := fields["id"] == clipID
	c := &m.clip
	if !own && c.answer != nil { // a second paste while the first is being fetched
		return nil
	}
	switch fields["status"] {
	case "OK":
		c.types, c.data, c.cut = nil, nil, false
		if pw := fields["pw"]; pw != "" {
			c.password = pw
		}
	case "DATA":
		if pw := fields["pw"]; pw != "" {
			c.password = pw
		}
		m.takeClipData(fields["mime"], payload)
	case "DONE":
		return m.clipDone(own)
	default:
		m.clipFailed(fields["status"])
	}
	return nil
}

func (m *model) takeClipData(mime, payload string) {
	name, err := base64.StdEncoding.DecodeString(mime)
	data, fault := base64.StdEncoding.DecodeString(payload)
	c := &m.clip
	switch {
	case err != nil || fault != nil:
		m.clipFailed("it sent what is no base64")
	case string(name) == ".":
		if len(c.types) < mostClipTypes {
			c.types = append(c.types, strings.Fields(string(data))...)
		}
	case len(c.data)+len(data) > mostClipBytes:
		c.cut = true
	default:
		c.data = append(c.data, data...)
	}
}

// clipDone goes on from the list to the type that is wanted, and from that to the paste.
func (m *model) clipDone(own bool) tea.Cmd {
	c := &m.clip
	if own && c.asked != "." && c.answer != nil {
		answer := clipAnswer{mime: c.asked, data: c.data}
		if c.cut {
			answer.err = errors.New("what is on the clipboard is larger than 20 MiB; attach it as a file")
		}
		m.clipAnswer(answer)
		return nil
	}
	if !own { // a paste began
		c.answer = make(chan clipAnswer, 1)
		defer func() { c.password = "" }()
		return tea.Batch(m.awaitClip(c.answer), m.askClip(wantedType(c.types), c.password))
	}
	return m.askClip(wantedType(c.types), "")
}

// askClip asks the terminal for a type.
func (m *model) askClip(mime, password string) tea.Cmd {
	c := &m.clip
	if mime == "" {
		m.clipAnswer(clipAnswer{err: errors.New("the clipboard holds neither a picture nor text")})
		return nil
	}
	c.asked, c.data = mime, nil
	request := "\x1b]5522;type=read:id=" + clipID
	if password != "" {
		request += ":pw=" + password + ":name=" + base64.StdEncoding.EncodeToString([]byte("Paste event"))
	}
	return m.tellGraphics([]byte(request + ";" + base64.StdEncoding.EncodeToString([]byte(mime)) + "\x1b\\"))
}

func (m *model) clipFailed(status string) {
	sentence := "the terminal did not give its clipboard: " + flat(status)
	if status == "EPERM" {
		sentence = "the terminal does not allow reading its clipboard; its own paste key does"
	}
	m.clipAnswer(clipAnswer{err: errors.New(sentence)})
}

func (m *model) clipAnswer(a clipAnswer) {
	if m.clip.answer != nil {
		m.clip.answer <- a // it has room for the one answer
	}
	m.clip = clipEvents{}
}

// wantedType is the best of what a clipboard holds: a picture, else text.
func wantedType(types []string) string {
	for _, want := range []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tiff",
		"text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "TEXT", "STRING"} {
		if slices.Contains(types, want) {
			return want
		}
	}
	return ""
}

// awaitClip is the job that waits for the clipboard and puts it where it belongs.
func (m *model) awaitClip(answer <-chan clipAnswer) tea.Cmd {
	ch := &chip{label: "…", waiting: true}
	m.comp.buf.insertChip(ch)
	in := m.conv.Intake
	return m.start("fetching the clipboard…", ch, func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, clipPatience)
		defer cancel()
		got, err := fetchClip(ctx, in, answer)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.clip = clipEvents{}
			}
			return m.takePasted(ch, got, err)
		}
	})
}

func fetchClip(ctx context.Context, in Intake, answer <-chan clipAnswer) (agent.Pasted, error) {
	var a clipAnswer
	select {
	case a = <-answer:
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return agent.Pasted{}, fmt.Errorf("the terminal did not send its clipboard within %d s", int(clipPatience/time.Second))
		}
		return agent.Pasted{}, ctx.Err()
	}
	if a.err != nil {
		return agent.Pasted{}, a.err
	}
	if strings.HasPrefix(a.mime, "image/") {
		return in.PastedBytes(ctx, a.data)
	}
	text := newlines(strings.ToValidUTF8(string(a.data), "\ufffd"))
	if mayBePaths(text) {
		if got, err := in.PastedText(ctx, text); err == nil {
			return got, nil
		}
	}
	return agent.Pasted{Text: text}, nil
}

// pasteThroughTerminal reads the clipboard of the machine the person sits at, where only the terminal reaches it.
func (m *model) pasteThroughTerminal() tea.Cmd {
	if m.clip.answer != nil {
		return nil
	}
	m.clip.answer = make(chan clipAnswer, 1)
	return tea.Batch(m.awaitClip(m.clip.answer), m.askClip(".", ""))
}

// takeClipEvents has the terminal tell of pastes, once it said that it can.
func (m *model) takeClipEvents() tea.Cmd {
	if m.out == nil || !m.caps.Events || m.out.Events() {
		return nil
	}
	m.out.SetEvents(true)
	return m.tellGraphics([]byte(input.EnableClipboardEvents))
}
