package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/input"
	"espy/ui/paint"
)

// Run shows the full-screen program until the person leaves, a signal ends it, the terminal goes or ctx
// ends. The terminal is put right in every case, and what was unsent is saved. The error says why the
// program ended, where that was not the person's wish.
func Run(ctx context.Context, o Options) error {
	o.fill()
	work := newWorks(ctx)
	out := input.NewWriter(o.Output)
	profile := profileOf(os.Getenv)
	m := newModel(o, newTheme(o.Theme, o.Dark, o.NoColor, profile), work)
	m.out, m.profile = out, profile
	out.SetMouse(o.Mouse)
	m.gallery.profile, m.gallery.tmux = profile, os.Getenv("TMUX") != ""

	var program *tea.Program
	m.keysIn = input.New(o.Input, func(msg tea.Msg) { program.Send(msg) })
	leave, err := m.takeTerminal(func(report string) { program.Send(crashed{report}) })
	if err != nil {
		return err
	}
	width, height, err := out.Size()
	if err != nil {
		leave()
		return fmt.Errorf("the terminal has no size: %w", err)
	}
	guarded := guardedReader{m.keysIn, func(report string) { program.Send(crashed{report}) }}
	program = tea.NewProgram(painted{m, width, height}, tea.WithContext(work.ctx), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithInput(guarded), tea.WithOutput(out))
	unwatch := watchSignals(program, &m.away)
	unsize := out.WatchSize(func() { sendSize(program, out) })
	_, err = program.Run()
	unsize()
	unwatch()
	leave()
	work.end()
	return m.farewell(err)
}

// takeTerminal makes the terminal the program's, with a painter for it, and returns what gives it back. Nothing is left of
// the program in it then: where it takes nothing any more it is not waited for.
func (m *model) takeTerminal(fault func(report string)) (leave func(), err error) {
	stop, err := m.keysIn.Start()
	if err != nil {
		return nil, fmt.Errorf("the terminal cannot be read: %w", err)
	}
	if err := m.out.Enter(); err != nil {
		stop()
		return nil, fmt.Errorf("the terminal cannot be written to: %w", err)
	}
	m.painter = paint.New(m.out, func(f any) { fault(crashReport(f)) })
	m.painter.Resume()
	return func() {
		if m.painter.Close() {
			_ = m.out.Leave() // a terminal that is gone needs nothing
		}
		stop()
	}, nil
}

// sendSize tells the program the size of the window.
func sendSize(program *tea.Program, out *input.Writer) {
	if width, height, err := out.Size(); err == nil {
		program.Send(tea.WindowSizeMsg{Width: width, Height: height})
	}
}

// guardedReader keeps a fault in reading the terminal from ending the program with the terminal in pieces:
// Bubble Tea reads on a goroutine of its own that nothing guards.
type guardedReader struct {
	*input.Reader
	fault func(report string)
}

func (g guardedReader) Read(p []byte) (n int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			g.fault(crashReport(fault))
			n, err = 0, io.EOF
		}
	}()
	return g.Reader.Read(p)
}

// watchSignals ends the program in order on every signal that asks a program to end. Bubble Tea knows two of
// them; for the others it would leave the terminal as it is. While the program is on the screen these signals
// are its own, whoever listened before: ctrl+c in an editor reaches every program of the terminal, and must
// end the editor's command only.
func watchSignals(p *tea.Program, away *atomic.Bool) (stop func()) {
	all := []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGINT}
	signal.Reset(all...)
	signals := make(chan os.Signal, len(all))
	signal.Notify(signals, all...)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case s := <-signals:
				if away.Load() && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
					continue
				}
				p.Quit()
				return
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}

// farewell saves the draft and turns how the program ended into an error.
func (m *model) farewell(err error) error {
	m.saveLast()
	if m.fault != "" {
		return m.writeFault()
	}
	if errors.Is(err, tea.ErrProgramKilled) && m.work.ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return err
}

// saveLast saves the draft. After a fault the state may be in pieces, which must not hide the report.
func (m *model) saveLast() {
	defer func() {
		if fault := recover(); fault != nil && m.fault == "" {
			m.fault = crashReport(fault)
		}
	}()
	if m.draft.loaded {
		m.conv.Intake.SaveDraft(m.draftState().encode())
	}
}

// writeFault keeps the report of a fault of espy itself and says where.
func (m *model) writeFault() error {
	if m.o.Crash == nil {
		return fmt.Errorf("espy stopped because of a fault of its own: %s", m.fault)
	}
	w, name, err := m.o.Crash()
	if err != nil {
		return fmt.Errorf("espy stopped because of a fault of its own: %s", m.fault)
	}
	_, err = w.Write([]byte(m.fault))
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("espy stopped because of a fault of its own, and the report could not be written: %w", err)
	}
	return fmt.Errorf("espy stopped because of a fault of its own; the session is kept and the report is in %s", name)
}
