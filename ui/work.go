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

	mu    sync.Mutex
	count int           // commands under way
	done  chan struct{} // closed when the last one ends, once the program is ending; nil before
}

func newWorks(ctx context.Context) *works {
	ctx, cancel := context.WithCancel(ctx)
	return &works{ctx: ctx, cancel: cancel}
}

// enter counts a command in, unless the program is ending.
func (w *works) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done != nil {
		return false
	}
	w.count++
	return true
}

func (w *works) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count--
	if w.done != nil && w.count == 0 {
		close(w.done)
	}
}

// crashed brings a fault of a command to Update.
type crashed struct{ report string }

func crashReport(fault any) string { return fmt.Sprintf("%v\n\n%s", fault, debug.Stack()) }

// do makes a command of a function; its context ends with the program.
func (w *works) do(run func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		if !w.enter() {
			return nil
		}
		defer w.leave()
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
	w.mu.Lock()
	if w.done == nil {
		w.done = make(chan struct{})
		if w.count == 0 {
			close(w.done)
		}
	}
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(farewell):
	}
}
