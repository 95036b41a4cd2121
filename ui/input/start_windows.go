package input

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Start sets the console to raw mode with keys as sequences, and returns what sets it back. Call it before the program runs
// and stop it after; around a program run with tea.Exec the console needs both again.
func (r *Reader) Start() (stop func(), err error) {
	console := windows.Handle(r.in.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return func() {}, fmt.Errorf("standard input is not a console: %w; run espy in a terminal, or use espy run", err)
	}
	raw := mode&^(windows.ENABLE_ECHO_INPUT|windows.ENABLE_PROCESSED_INPUT|windows.ENABLE_LINE_INPUT) |
		windows.ENABLE_VIRTUAL_TERMINAL_INPUT
	if err := windows.SetConsoleMode(console, raw); err != nil {
		return func() {}, fmt.Errorf("the console cannot send keys as sequences: %w; Windows 10 or later is needed", err)
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }, nil
}
