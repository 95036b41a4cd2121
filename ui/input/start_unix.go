//go:build unix

package input

// Start readies the terminal and returns what undoes it. On Unix there is nothing to do: Bubble Tea sets raw mode.
func (r *Reader) Start() (stop func(), err error) { return func() {}, nil }
