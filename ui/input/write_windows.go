package input

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// sizePause is how often the console's size is looked at: Windows tells nobody who reads keys as sequences.
const sizePause = 300 * time.Millisecond

// console is the mode the console was in before it was taken.
type console struct {
	before uint32
	taken  bool
}

// take makes the console understand sequences.
func (c *console) take(f *os.File) error {
	handle := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(handle, &c.before); err != nil {
		return fmt.Errorf("standard output is not a console: %w; run espy in a terminal, or use espy run", err)
	}
	if err := windows.SetConsoleMode(handle, c.before|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING); err != nil {
		return fmt.Errorf("the console does not understand sequences: %w; Windows 10 or later is needed", err)
	}
	c.taken = true
	return nil
}

// give sets the mode back.
func (c *console) give(f *os.File) error {
	if !c.taken {
		return nil
	}
	c.taken = false
	return windows.SetConsoleMode(windows.Handle(f.Fd()), c.before)
}

// writeAll writes all of b.
func writeAll(f *os.File, b []byte) error {
	_, err := f.Write(b)
	return err
}

// WatchSize calls changed whenever the window has another size, until stop is called; stop waits for it.
func (w *Writer) WatchSize(changed func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(sizePause)
		defer tick.Stop()
		width, height, _ := w.Size()
		for {
			select {
			case <-tick.C:
				if x, y, err := w.Size(); err == nil && (x != width || y != height) {
					width, height = x, y
					changed()
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
