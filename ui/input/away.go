package input

import (
	"errors"
	"io"
)

// Away is what Bubble Tea runs while it does not read the terminal (tea.Exec): run has the terminal as it was before the
// program took it, and afterwards the program has it again.
type Away struct {
	Reader *Reader
	Writer *Writer
	Do     func() error
}

// Run gives the terminal away and takes it back, also where Do fails.
func (a Away) Run() (err error) {
	if err := a.Writer.Leave(); err != nil {
		return errors.Join(err, a.Writer.Enter())
	}
	retake := a.Reader.pause()
	defer func() { err = errors.Join(err, retake(), a.Writer.Enter()) }()
	return a.Do()
}

// SetStdin, SetStdout and SetStderr are Bubble Tea's; Do has streams of its own.
func (Away) SetStdin(io.Reader)  {}
func (Away) SetStdout(io.Writer) {}
func (Away) SetStderr(io.Writer) {}
