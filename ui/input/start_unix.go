//go:build unix

package input

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// Start makes the terminal hand over each key as it is pressed (raw mode), and returns what sets it back. What is no
// terminal is left as it is.
func (r *Reader) Start() (stop func(), err error) {
	if err := r.raw(); err != nil {
		return func() {}, err
	}
	return r.cooked, nil
}

// raw keeps how the terminal was and sets raw mode.
func (r *Reader) raw() error {
	if !term.IsTerminal(r.Fd()) {
		return nil
	}
	before, err := term.MakeRaw(r.Fd())
	if err != nil {
		return fmt.Errorf("the terminal cannot be set to hand over single keys: %w", err)
	}
	r.before = before
	return nil
}

// cooked sets the terminal as it was.
func (r *Reader) cooked() {
	if r.before != nil {
		_ = term.Restore(r.Fd(), r.before) // a terminal that is gone needs nothing
		r.before = nil
	}
}

// pause gives the terminal to another program and returns what takes it back.
func (r *Reader) pause() (resume func() error) {
	r.cooked()
	return r.raw
}

// WatchSize calls changed whenever the window may have another size, until stop is called; stop waits for it.
func (w *Writer) WatchSize(changed func()) (stop func()) {
	signals := make(chan os.Signal, 1) // one is enough: the size is asked for afterwards
	signal.Notify(signals, syscall.SIGWINCH)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-signals:
				changed()
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
