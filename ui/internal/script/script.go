// Package script is a loop and an intake that do what they are told: the other end of the program in tests
// and in the demonstration. Nothing in it talks to a model, a clipboard or a disk.
package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"espy/agent"
	"espy/agent/message"
	"espy/media"
)

// Loop hands out the events it is given and keeps the commands it gets.
type Loop struct {
	mu       sync.Mutex
	pending  []agent.Event
	wake     chan struct{}
	commands []agent.Command
	stops    int

	// React is called with each command, on the caller's goroutine.
	React func(l *Loop, c agent.Command)
	// Stop is called when the turn is interrupted.
	Stop func(l *Loop)
}

// NewLoop returns a loop with events that wait to be read.
func NewLoop(events ...agent.Event) *Loop {
	l := &Loop{wake: make(chan struct{}, 1)}
	l.Push(events...)
	return l
}

// Push adds events.
func (l *Loop) Push(events ...agent.Event) {
	l.mu.Lock()
	l.pending = append(l.pending, events...)
	l.mu.Unlock()
	if len(events) > 0 {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// Send keeps the command and lets React answer it.
func (l *Loop) Send(c agent.Command) {
	l.mu.Lock()
	l.commands = append(l.commands, c)
	react := l.React
	l.mu.Unlock()
	if react != nil {
		react(l, c)
	}
}

// Interrupt counts, and lets Stop answer.
func (l *Loop) Interrupt() {
	l.mu.Lock()
	l.stops++
	stop := l.Stop
	l.mu.Unlock()
	if stop != nil {
		stop(l)
	}
}

// Next waits for events and returns all there are.
func (l *Loop) Next(ctx context.Context) ([]agent.Event, error) {
	for {
		if events := l.Take(); len(events) > 0 {
			return events, nil
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Take returns the events that wait, without waiting.
func (l *Loop) Take() []agent.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.pending
	l.pending = nil
	return events
}

// Commands returns what was sent so far.
func (l *Loop) Commands() []agent.Command {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]agent.Command(nil), l.commands...)
}

// Interrupts is how often the turn was interrupted.
func (l *Loop) Interrupts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stops
}

// Intake answers from its fields. Its methods wait for Gate, where it is set, as a slow clipboard does.
type Intake struct {
	Clipboard agent.Pasted
	Fails     error
	Paths     []string
	Gate      chan struct{}

	mu        sync.Mutex
	draft     []byte
	bytes     string
	discarded []agent.Attachment
	number    int
}

func (i *Intake) wait(ctx context.Context) error {
	if i.Gate == nil {
		return i.Fails
	}
	select {
	case <-i.Gate:
		return i.Fails
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Paste is what Clipboard says.
func (i *Intake) Paste(ctx context.Context) (agent.Pasted, error) {
	if err := i.wait(ctx); err != nil {
		return agent.Pasted{}, err
	}
	return i.Clipboard, nil
}

// PastedBytes keeps what came and makes a picture of it.
func (i *Intake) PastedBytes(ctx context.Context, picture []byte) (agent.Pasted, error) {
	if err := i.wait(ctx); err != nil {
		return agent.Pasted{}, err
	}
	i.mu.Lock()
	i.bytes = string(picture)
	i.mu.Unlock()
	return agent.Pasted{Attachments: []agent.Attachment{i.Picture("clipboard", 640, 360)}}, nil
}

// Bytes is the last picture that came through the terminal.
func (i *Intake) Bytes() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bytes
}

// PastedText attaches what ends like a picture's name.
func (i *Intake) PastedText(ctx context.Context, text string) (agent.Pasted, error) {
	if err := i.wait(ctx); err != nil {
		return agent.Pasted{Text: text}, err
	}
	if strings.HasSuffix(strings.TrimSpace(text), ".png") {
		return agent.Pasted{Attachments: []agent.Attachment{i.Picture(text, 1920, 1080)}}, nil
	}
	return agent.Pasted{Text: text}, nil
}

// AttachPaths attaches every word.
func (i *Intake) AttachPaths(ctx context.Context, args string) ([]agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return nil, err
	}
	var out []agent.Attachment
	for _, name := range strings.Fields(args) {
		out = append(out, i.Picture(name, 1600, 900))
	}
	return out, nil
}

// AttachFile attaches the one file.
func (i *Intake) AttachFile(ctx context.Context, name string) (agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return agent.Attachment{}, err
	}
	return i.Picture(name, 1600, 900), nil
}

// AtFiles attaches every @word that ends like a picture's name and takes the others for files.
func (i *Intake) AtFiles(ctx context.Context, text string) ([]message.Text, []agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return nil, nil, err
	}
	texts := []message.Text{{Text: text, Origin: message.OriginTyped}}
	var pictures []agent.Attachment
	for _, word := range strings.Fields(text) {
		name, ok := strings.CutPrefix(word, "@")
		switch {
		case ok && strings.HasSuffix(name, ".png"):
			pictures = append(pictures, i.Picture(name, 800, 600))
		case ok:
			texts = append(texts, message.Text{Text: name + ":\ncontents", Origin: message.OriginFile})
		}
	}
	return texts, pictures, nil
}

// Redetail changes the detail and halves or doubles the size.
func (i *Intake) Redetail(ctx context.Context, a agent.Attachment, detail media.Detail) (agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return agent.Attachment{}, err
	}
	a.Record.Detail = string(detail)
	side := map[media.Detail]int{media.DetailLow: 1024, media.DetailAuto: 2048}[detail]
	if side == 0 {
		side = 4096
	}
	a.Image.Width = min(a.Record.Width, side)
	a.Image.Height = a.Record.Height * a.Image.Width / max(a.Record.Width, 1)
	a.Image.Ref += "-" + string(detail)
	return a, nil
}

// Recut notes what was cut and hidden. A hidden picture has another name and no original.
func (i *Intake) Recut(ctx context.Context, a agent.Attachment, crop *message.Rect, redact []message.Rect) (agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return a, err
	}
	a.Record.Crop = crop
	if crop != nil {
		a.Image.Width, a.Image.Height = crop.Width, crop.Height
	}
	if a.Record.Redacted = append(a.Record.Redacted, redact...); len(a.Record.Redacted) > 0 {
		a.Record.Original = ""
	}
	a.Image.Ref += fmt.Sprintf("-cut%d", len(a.Record.Redacted))
	return a, nil
}

// Discard keeps what was discarded.
func (i *Intake) Discard(a agent.Attachment) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.discarded = append(i.discarded, a)
}

// Discarded returns what was discarded.
func (i *Intake) Discarded() []agent.Attachment {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]agent.Attachment(nil), i.discarded...)
}

// Complete returns the Paths that begin with the prefix.
func (i *Intake) Complete(_ context.Context, prefix string, most int) []string {
	var out []string
	for _, p := range i.Paths {
		if strings.HasPrefix(p, prefix) && len(out) < most {
			out = append(out, p)
		}
	}
	return out
}

// SaveDraft and LoadDraft keep the state in memory.
func (i *Intake) SaveDraft(state []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.draft = state
}

// LoadDraft returns what SaveDraft kept.
func (i *Intake) LoadDraft() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.draft
}

// Adopt leaves out the pictures named "gone.png".
func (i *Intake) Adopt(all []agent.Attachment) ([]agent.Attachment, error) {
	var kept []agent.Attachment
	var err error
	for _, a := range all {
		if a.Record.Name == "gone.png" {
			err = errors.New("gone.png is gone from the draft")
			continue
		}
		kept = append(kept, a)
	}
	return kept, err
}

// Picture makes an attachment with the next number.
func (i *Intake) Picture(name string, w, h int) agent.Attachment {
	i.mu.Lock()
	i.number++
	number := i.number
	i.mu.Unlock()
	base := strings.TrimSpace(name[strings.LastIndexByte(name, '/')+1:])
	ref := fmt.Sprintf("blobs/%012x.png", 0xabc000+number)
	return agent.Attachment{
		Image:  message.Image{Ref: ref, MediaType: "image/png", Width: w, Height: h},
		Record: message.PictureRecord{Ref: ref, Original: fmt.Sprintf("blobs/%012x0.png", 0xdef000+number), Number: number, Name: base, Source: strings.TrimSpace(name), Detail: "auto", Width: 2 * w, Height: 2 * h, MediaType: "image/png"},
		Receipt: media.Receipt{
			Source:  media.SourceFacts{Format: "png", Width: 2 * w, Height: 2 * h, Bytes: 1234567, Frames: 1, Orientation: 1},
			Sent:    media.SentFacts{MediaType: "image/png", Width: w, Height: h, Bytes: 345678, Base64Bytes: 460904},
			Scale:   0.5,
			Encoder: []string{"scaled by area", "png, 8-bit"},
		},
	}
}

// Recall makes a picture for each image, except of a session called "gone".
func (i *Intake) Recall(ctx context.Context, session string, images []message.Image) ([]agent.Attachment, error) {
	if err := i.wait(ctx); err != nil {
		return nil, err
	}
	if session == "gone" {
		return nil, errors.New("the session of that message is gone")
	}
	var back []agent.Attachment
	for _, image := range images {
		a := i.Picture("recalled.png", image.Width, image.Height)
		a.Image.Ref = image.Ref
		back = append(back, a)
	}
	return back, nil
}
