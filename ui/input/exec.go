package input

import (
	"io"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// Exec runs cmd in the terminal in place of the program and tells fn how it ended, as tea.ExecProcess does. That one would
// hand cmd a pipe fed from [Reader.Read], which gives nothing away; this hands it the terminal itself.
func Exec(r *Reader, w *Writer, cmd *exec.Cmd, fn tea.ExecCallback) tea.Cmd {
	if cmd.Stdin == nil {
		cmd.Stdin = r.terminal()
	}
	if cmd.Stdout == nil {
		cmd.Stdout = w.File
	}
	if cmd.Stderr == nil {
		cmd.Stderr = w.File
	}
	return tea.Exec(child{cmd, r}, fn)
}

// child is the other program, with its streams in place.
type child struct {
	cmd *exec.Cmd
	r   *Reader
}

// Run runs the program, with the terminal as it was before ours.
func (c child) Run() error {
	defer c.r.pause()()
	return c.cmd.Run()
}

func (child) SetStdin(io.Reader)  {}
func (child) SetStdout(io.Writer) {}
func (child) SetStderr(io.Writer) {}
