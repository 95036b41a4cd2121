package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/input"
	"espy/ui/paint"
)

// painted is the model in front of a terminal: what it draws goes to the painter. Bubble Tea has no renderer here, it
// only runs the model.
type painted struct {
	*model
	width, height int // of the terminal at the start
}

// Init draws the first frame at once: nobody needs to tell the size of the window.
func (p painted) Init() tea.Cmd {
	_, sized := p.model.Update(tea.WindowSizeMsg{Width: p.width, Height: p.height})
	return tea.Batch(p.model.Init(), sized)
}

// Update takes a message in.
func (p painted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, resized := msg.(tea.WindowSizeMsg); resized { // a terminal may have lost what it showed, even at the same size
		p.painter.Repaint()
	}
	_, cmd := p.model.Update(msg)
	return p, cmd
}

// View hands the frame to the painter. It is called after every message.
func (p painted) View() string {
	if p.model.stale {
		lines, caret := p.model.frameNow()
		p.painter.Show(paint.Frame{Lines: lines, Width: p.model.width, Height: p.model.height, Caret: caret})
	}
	return ""
}

// afterFrame brings a message a pause after the frame that this update leads to was written to the terminal. What a key
// must not answer before a person can have seen it waits for such a message.
func (m *model) afterFrame(pause time.Duration, msg tea.Msg) tea.Cmd {
	if m.painter == nil {
		return m.work.after(pause, msg)
	}
	number := m.painter.Next()
	later := m.work.after(pause, msg)
	return m.work.do(func(ctx context.Context) tea.Msg {
		if m.painter.Wait(ctx, number) != nil {
			return nil // nobody sees it any more
		}
		return later()
	})
}

// repaint paints the whole screen again.
func (m *model) repaint() tea.Cmd {
	if m.painter != nil {
		m.painter.Repaint()
	}
	return nil
}

// caretMark stands in drawn text where the cursor belongs. It is a sequence no terminal knows, takes no column, and never
// comes from outside: what does has no sequences.
const caretMark = "\x1b[7777z"

// takeCaret finds the caret in lines and takes its mark out.
func takeCaret(lines []string, shape paint.Shape) paint.Caret {
	var caret paint.Caret
	for y, line := range lines {
		before, after, found := strings.Cut(line, caretMark)
		if !found {
			continue
		}
		lines[y] = before + strings.ReplaceAll(after, caretMark, "")
		caret = paint.Caret{X: cellsOf(before), Y: y, Shown: true, Shape: shape}
	}
	return caret
}

// caretShape tells vim's modes apart; without them the cursor looks as the person set it.
func (m *model) caretShape() paint.Shape {
	switch {
	case !m.comp.vim.on:
		return paint.Usual
	case m.comp.vim.commands:
		return paint.Block
	}
	return paint.Bar
}

// errStuck says why another program cannot have the terminal.
var errStuck = errors.New("the terminal takes nothing")

// handOver gives the terminal to something else while run runs, and takes it back.
func (m *model) handOver(run func() error, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(handover{input.Away{Reader: m.keysIn, Writer: m.out, Do: run}, m.painter}, done)
}

// handover is what Bubble Tea runs while it does not read the terminal.
type handover struct {
	input.Away
	painter *paint.Painter
}

// Run runs what was handed over to. A painter that is stuck in a terminal that takes nothing leaves nothing to hand over.
func (h handover) Run() error {
	defer h.painter.Resume()
	if !h.painter.Pause() {
		return errStuck
	}
	return h.Away.Run()
}

// tellMouse tells the terminal whether the mouse is the program's.
func (m *model) tellMouse() tea.Cmd {
	out := m.out
	if out == nil {
		return nil
	}
	out.SetMouse(m.mouse)
	return m.work.do(func(context.Context) tea.Msg {
		out.TellMouse()
		return nil
	})
}
