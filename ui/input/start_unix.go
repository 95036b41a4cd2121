//go:build unix

package input

import "os"

// Start readies the terminal and returns what undoes it. On Unix there is nothing to do: Bubble Tea sets raw mode.
func (r *Reader) Start() (stop func(), err error) { return func() {}, nil }

// pause gives the terminal to another program and returns what takes it back.
func (r *Reader) pause() (resume func()) { return func() {} }

func (r *Reader) terminal() *os.File { return r.File }
