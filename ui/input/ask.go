package input

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
)

// Told is what a terminal answered when it was asked outside the program.
type Told struct {
	Caps
	Graphics   bool // it answers kitty's graphics question with OK
	PasteMarks bool // it says that it can mark pastes (mode 2004)
	Answered   bool // it answered at all
}

// askPause is how long one wait for an answer is, between two looks at the context.
const askPause = 50 * time.Millisecond

// ErrCannotAsk says that the terminal's answers cannot be read here.
var ErrCannotAsk = errors.New("the terminal cannot be asked here")

// Ask asks a terminal what it can do, outside the full-screen program, and waits until it has answered everything or ctx
// ends. The terminal is in raw mode meanwhile, so that answers are neither shown nor left for a shell to read.
func Ask(ctx context.Context, in, out *os.File) (Told, error) {
	question := questions(os.Getenv)
	if question == "" || !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) || !waits() {
		return Told{}, ErrCannotAsk
	}
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		return Told{}, err
	}
	defer func() { _ = term.Restore(in.Fd(), state) }()
	if _, err := out.WriteString(question); err != nil {
		return Told{}, err
	}
	return listen(ctx, newFile(in)), nil
}

// questions are those of [Query], and before them those that only a diagnosis asks.
func questions(getenv func(string) string) string {
	all := query(getenv)
	if !strings.Contains(all, "$p") { // it prints some questions instead of answering them
		return all
	}
	return "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" + "\x1b[?2004$p" + all
}

// listen takes answers in until the last one.
func listen(ctx context.Context, f file) Told {
	var told Told
	dec := decoder{emit: func(msg tea.Msg) {
		if r, ok := msg.(ReplyMsg); ok {
			told.take(r)
		}
	}}
	buf := make([]byte, readSize)
	for ctx.Err() == nil && !told.Done {
		if !f.ready(askPause) {
			continue
		}
		n, err := f.Read(buf)
		if err != nil || n <= 0 {
			break
		}
		dec.feed(buf[:n])
	}
	return told
}

func (t *Told) take(r ReplyMsg) {
	t.Answered = true
	t.Caps = t.Caps.With(r)
	switch {
	case r.Kind == Graphics:
		t.Graphics = strings.HasSuffix(r.Data, ";OK")
	case r.Kind == Mode && strings.HasPrefix(r.Data, "2004;"):
		state := strings.TrimPrefix(r.Data, "2004;")
		t.PasteMarks = state == "1" || state == "2" || state == "3"
	}
}
