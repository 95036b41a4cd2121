package ui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// works starts what must not hold up the screen and knows when all of it has ended. Every goroutine the
// program starts is one of these, so that a fault in any of them ends the program with the terminal put
// right instead of leaving it in pieces.
type works struct {
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
}

func newWorks(ctx context.Context) *works {
	ctx, cancel := context.WithCancel(ctx)
	return &works{ctx: ctx, cancel: cancel}
}

// crashed brings a fault of a command to Update.
type crashed struct{ report string }

func crashReport(fault any) string { return fmt.Sprintf("%v\n\n%s", fault, debug.Stack()) }

// do makes a command of a function; its context ends with the program.
func (w *works) do(run func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		if w.ctx.Err() != nil {
			return nil
		}
		w.group.Add(1)
		defer w.group.Done()
		defer func() {
			if fault := recover(); fault != nil {
				msg = crashed{crashReport(fault)}
			}
		}()
		return run(w.ctx)
	}
}

// after brings a message after a pause, unless the program ends first.
func (w *works) after(pause time.Duration, msg tea.Msg) tea.Cmd {
	return w.do(func(ctx context.Context) tea.Msg {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	})
}

// end stops the commands and waits for them, but no longer than a person would.
func (w *works) end() {
	w.cancel()
	done := make(chan struct{})
	go func() {
		w.group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(farewell):
	}
}
