package input

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Start sets the console to raw mode with keys as sequences, and returns what sets it back. Call it before the program runs
// and stop after it.
func (r *Reader) Start() (stop func(), err error) {
	console := windows.Handle(r.in.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return func() {}, fmt.Errorf("standard input is not a console: %w; run espy in a terminal, or use espy run", err)
	}
	if err := windows.SetConsoleMode(console, rawMode(mode)); err != nil {
		return func() {}, fmt.Errorf("the console cannot send keys as sequences: %w; Windows 10 or later is needed", err)
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }, nil
}

func rawMode(mode uint32) uint32 {
	return mode&^(windows.ENABLE_ECHO_INPUT|windows.ENABLE_PROCESSED_INPUT|windows.ENABLE_LINE_INPUT) |
		windows.ENABLE_VIRTUAL_TERMINAL_INPUT
}

// pause gives the console to another program, in the mode programs expect, and returns what takes it back.
func (r *Reader) pause() (resume func() error) {
	console := windows.Handle(r.in.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return func() error { return nil }
	}
	cooked := mode&^windows.ENABLE_VIRTUAL_TERMINAL_INPUT |
		windows.ENABLE_ECHO_INPUT | windows.ENABLE_PROCESSED_INPUT | windows.ENABLE_LINE_INPUT
	_ = windows.SetConsoleMode(console, cooked)
	return func() error { return windows.SetConsoleMode(console, mode) }
}
