//go:build unix

// Package terminal runs a program in a real pseudo-terminal under a terminal emulator, for end-to-end tests:
// send keys and pastes, wait for what the screen must show, and look at every byte the program wrote.
//
//	term := terminal.Start(t, terminal.Program{Args: []string{binary, dir}})
//	term.WaitFor("Ask anything")
//	term.Send("hello" + terminal.Enter)
//	term.Paste("/tmp/shot.png")
//	screen := term.Until("the picture on the row", func(s terminal.Screen) bool { return s.Contains("shot.png") })
//	term.Send(terminal.CtrlC + terminal.CtrlC)
//	if code := term.Wait(); code != 0 { … }
//	if set := term.Changed(); len(set) > 0 { … } // modes it left behind
//
// The emulator answers queries as a terminal does (OSC 10 and 11, cursor position, device attributes, mode
// reports); with Program.Silent it answers nothing, as some terminals and bare pipes do. Nothing here sleeps:
// every wait is for a condition, ends at a deadline, and then fails the test with the screen as it was.
//
// Tmux runs a program inside tmux, a terminal of its own kind, by send-keys and capture-pane.
//
// The processes end with their test. The package is for tests only and must not be imported by the program;
// it knows nothing of espy.
package terminal

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

const (
	// patience is how long a wait may take before it fails the test: far longer than anything it waits for,
	// for machines that are busy with other things.
	patience = time.Minute
	// closePatience is how long a program may take to go once it is killed.
	closePatience = 5 * time.Second
	// defaultCols and defaultRows are the size of a terminal nobody said one for.
	defaultCols, defaultRows = 100, 30
	// readSize is how much is read from the program at a time.
	readSize = 32 << 10
	// maxLog bounds the bytes kept of what a program writes; more fails the test.
	maxLog = 256 << 20
)

// Keys, as a terminal sends them.
const (
	Enter     = "\r"
	Esc       = "\x1b"
	Tab       = "\t"
	ShiftTab  = "\x1b[Z"
	Backspace = "\x7f"
	Up        = "\x1b[A"
	Down      = "\x1b[B"
	Right     = "\x1b[C"
	Left      = "\x1b[D"
	Home      = "\x1b[H"
	End       = "\x1b[F"
	PageUp    = "\x1b[5~"
	PageDown  = "\x1b[6~"
	Delete    = "\x1b[3~"
	CtrlC     = "\x03"
	CtrlD     = "\x04"
	CtrlV     = "\x16"
	AltV      = "\x1bv"
)

// Program is what to run. Only Args is needed.
type Program struct {
	Args       []string
	Env        []string // added to this process's environment, which gets a full-featured TERM
	Dir        string
	Cols, Rows int
	Silent     bool // the terminal answers no query
}

// Terminal is a running program and the screen it draws on. Its methods are safe for use from several
// goroutines; those that wait end the test, and so belong in the test's own.
type Terminal struct {
	t       testing.TB
	cmd     *exec.Cmd
	master  *os.File
	silent  bool
	exited  chan struct{} // closed once the program is waited for
	drained chan struct{} // closed once everything it wrote is on the screen
	replied chan struct{} // closed once no answer can come any more

	frozen sync.Mutex // held while nothing more is read

	mu      sync.Mutex
	emu     *vt.Emulator
	log     []byte
	modes   map[ansi.Mode]bool
	initial map[ansi.Mode]bool
	title   string
	changed chan struct{} // closed and replaced whenever the screen may have changed
}

// Start runs the program; it is killed when the test ends.
func Start(t testing.TB, p Program) *Terminal {
	t.Helper()
	if p.Cols == 0 || p.Rows == 0 {
		p.Cols, p.Rows = defaultCols, defaultRows
	}
	term := &Terminal{t: t, silent: p.Silent, emu: vt.NewEmulator(p.Cols, p.Rows), modes: map[ansi.Mode]bool{}, initial: map[ansi.Mode]bool{},
		exited: make(chan struct{}), drained: make(chan struct{}), replied: make(chan struct{}), changed: make(chan struct{})}
	term.emu.SetCallbacks(term.callbacks())
	term.cmd = exec.Command(p.Args[0], p.Args[1:]...)
	term.cmd.Dir = p.Dir
	term.cmd.Env = append(append(os.Environ(), fullFeatured()...), p.Env...)
	master, err := pty.StartWithSize(term.cmd, &pty.Winsize{Cols: uint16(p.Cols), Rows: uint16(p.Rows)})
	if err != nil {
		t.Fatalf("%s does not start in a terminal: %v", p.Args[0], err)
	}
	if term.master, err = pollable(master); err != nil {
		t.Fatal(err)
	}
	go term.read()
	go term.answer()
	go func() {
		defer close(term.exited)
		_ = term.cmd.Wait()
	}()
	t.Cleanup(term.Close)
	return term
}

// fullFeatured makes a program believe in its terminal, also where the tests run without one: libraries take
// CI and NO_COLOR for a sign that there is none.
func fullFeatured() []string {
	return []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TMUX=", "CI=", "NO_COLOR="}
}

// pollable makes a terminal's file one whose reads end when it is closed.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), nil
}

// callbacks keep what the emulator does not show. They run with mu held.
func (term *Terminal) callbacks() vt.Callbacks {
	set := func(on bool) func(ansi.Mode) {
		return func(mode ansi.Mode) {
			if _, known := term.initial[mode]; !known {
				term.initial[mode] = term.defaultOf(mode)
			}
			term.modes[mode] = on
		}
	}
	return vt.Callbacks{EnableMode: set(true), DisableMode: set(false), Title: func(s string) { term.title = s }}
}

// defaultOf is how a terminal starts: everything off but autowrap and the cursor.
func (term *Terminal) defaultOf(mode ansi.Mode) bool {
	return mode == ansi.ModeAutoWrap || mode == ansi.ModeTextCursorEnable
}

// read puts what the program writes on the screen, until its end of the terminal is closed.
func (term *Terminal) read() {
	defer close(term.drained)
	buf := make([]byte, readSize)
	for {
		n, err := term.master.Read(buf)
		term.frozen.Lock()
		term.show(buf[:n])
		term.frozen.Unlock()
		if err != nil {
			return
		}
	}
}

func (term *Terminal) show(p []byte) {
	term.mu.Lock()
	defer term.mu.Unlock()
	if len(term.log)+len(p) <= maxLog {
		term.log = append(term.log, p...)
		_, _ = term.emu.Write(p)
	}
	close(term.changed)
	term.changed = make(chan struct{})
}

// answer carries the emulator's answers to the program, or nowhere.
func (term *Terminal) answer() {
	defer close(term.replied)
	buf := make([]byte, 4096)
	for {
		n, err := term.emu.Read(buf)
		if err != nil {
			return
		}
		if !term.silent {
			_ = term.master.SetWriteDeadline(time.Now().Add(patience))
			_, _ = term.master.Write(buf[:n])
		}
	}
}

// Send types keys, byte for byte.
func (term *Terminal) Send(keys string) {
	term.t.Helper()
	_ = term.master.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(term.master, keys); err != nil {
		term.fail("the program takes no input: " + err.Error())
	}
}

// Paste pastes as a terminal does: between markers if the program asked for them, else as if typed, each line
// ended by a carriage return.
func (term *Terminal) Paste(text string) {
	term.t.Helper()
	if term.Mode(ansi.ModeBracketedPaste) {
		term.Send("\x1b[200~" + text + "\x1b[201~")
		return
	}
	typed := []byte(text)
	for i, b := range typed {
		if b == '\n' {
			typed[i] = '\r'
		}
	}
	term.Send(string(typed))
}

// Click presses and releases the left button over a cell, for programs that asked for the mouse in SGR form.
func (term *Terminal) Click(x, y int) {
	term.t.Helper()
	term.Send(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Wheel turns the wheel over a cell, up for positive steps and down for negative ones.
func (term *Terminal) Wheel(x, y, steps int) {
	term.t.Helper()
	button := 64
	if steps < 0 {
		button, steps = 65, -steps
	}
	term.Send(strings.Repeat(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1), steps))
}

// Resize changes the window's size; the program is told as by a window manager.
func (term *Terminal) Resize(cols, rows int) {
	term.t.Helper()
	term.mu.Lock()
	term.emu.Resize(cols, rows)
	term.mu.Unlock()
	if err := setSize(term.master, cols, rows); err != nil {
		term.fail(fmt.Sprintf("the terminal cannot be made %dx%d: %v", cols, rows, err))
	}
}

// Freeze makes the terminal take next to nothing from the program until thaw is called: a slow line, a stopped multiplexer.
// What the system holds on the way, a few dozen kilobytes, the program still gets rid of.
func (term *Terminal) Freeze() (thaw func()) {
	term.t.Helper()
	term.frozen.Lock()
	return term.frozen.Unlock
}

// Signal sends a signal to the program itself.
func (term *Terminal) Signal(sig os.Signal) {
	term.t.Helper()
	if err := term.cmd.Process.Signal(sig); err != nil {
		term.fail("the program cannot be signalled: " + err.Error())
	}
}

// Pid is the program's process.
func (term *Terminal) Pid() int { return term.cmd.Process.Pid }

// Wait waits for the program to end by itself and for the last of its output, and returns its exit code: 128
// and the signal's number where a signal ended it.
func (term *Terminal) Wait() int {
	term.t.Helper()
	for _, done := range []chan struct{}{term.exited, term.drained} {
		select {
		case <-done:
		case <-time.After(patience):
			term.fail("the program was to end and did not")
		}
	}
	if status, ok := term.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return term.cmd.ProcessState.ExitCode()
}

// Hangup takes the terminal away, as when its window is closed. The program is left to notice.
func (term *Terminal) Hangup() {
	_ = term.master.Close()
	<-term.drained
}

// Exited is closed once the program has ended.
func (term *Terminal) Exited() <-chan struct{} { return term.exited }

// Close kills what still runs in the terminal and waits until all is gone. Tests need not call it.
func (term *Terminal) Close() {
	_ = syscall.Kill(-term.cmd.Process.Pid, syscall.SIGKILL)
	_ = term.master.Close()
	<-term.drained
	if pipe, ok := term.emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
	<-term.replied
	select {
	case <-term.exited:
	case <-time.After(closePatience):
		term.t.Error("the program outlived being killed")
	}
}

func (term *Terminal) fail(what string) {
	term.t.Helper()
	term.t.Fatalf("%s\n%s", what, term.Screen().Framed())
}
