//go:build unix

package ui

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience is how long a test waits for what must come. It is no measure of speed.
const patience = 30 * time.Second

// demoDir is where the demonstration is built, once and only if a test needs it.
var demoDir string

var demoProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(demoDir, "demo")
	out, err := exec.Command("go", "build", "-o", path, "./testdata/demo").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "espy-ui-demo-")
	if err != nil {
		panic(err)
	}
	demoDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// terminal is a real terminal with the demonstration in it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File // held open, so that the line settings can be read after the program has gone
	cmd    *exec.Cmd
	exited chan error
	before unix.Termios

	mu     sync.Mutex
	raw    bytes.Buffer
	screen *vt.Emulator
}

func startDemo(t *testing.T, env ...string) *terminal {
	t.Helper()
	path, err := demoProgram()
	if err != nil {
		t.Fatal(err)
	}
	return startProgram(t, exec.Command(path), env...)
}

func startProgram(t *testing.T, cmd *exec.Cmd, env ...string) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, slave: slave, cmd: cmd, exited: make(chan error, 1), screen: vt.NewEmulator(80, 24)}
	x.before = x.settings()
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "THEME=dark"}, env...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(x.look)
	running.Go(x.reply)
	running.Go(func() { x.exited <- cmd.Wait() })
	t.Cleanup(func() {
		cmd.Process.Kill()
		slave.Close()
		master.Close()
		x.screen.InputPipe().(io.Closer).Close() // ends reply; Close itself races with Read
		running.Wait()
	})
	return x
}

// look reads what the program writes.
func (x *terminal) look() {
	buf := make([]byte, 4096)
	for {
		n, err := x.master.Read(buf)
		x.mu.Lock()
		x.raw.Write(buf[:n])
		x.screen.Write(buf[:n])
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// reply sends what the emulated terminal answers.
func (x *terminal) reply() {
	buf := make([]byte, 256)
	for {
		n, err := x.screen.Read(buf)
		if err != nil {
			return
		}
		x.master.Write(buf[:n])
	}
}

func (x *terminal) types(s string) {
	x.t.Helper()
	if _, err := x.master.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// text is what the screen shows; written is every byte so far.
func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

func (x *terminal) until(what string, holds func() bool) {
	x.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			x.t.Fatalf("waited in vain until %s; the screen was\n%s", what, x.text())
		}
	}
}

func (x *terminal) shows(text string) {
	x.t.Helper()
	x.until("the screen shows "+text, func() bool { return strings.Contains(x.text(), text) })
}

func (x *terminal) gone() error {
	x.t.Helper()
	select {
	case err := <-x.exited:
		return err
	case <-time.After(patience):
		x.t.Fatal("the program did not end")
		return nil
	}
}

func (x *terminal) settings() unix.Termios {
	x.t.Helper()
	s, err := unix.IoctlGetTermios(int(x.slave.Fd()), ioctlGetTermios)
	if err != nil {
		x.t.Fatal(err)
	}
	return *s
}

var (
	privateMode = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)
	keyboardPop = regexp.MustCompile(`\x1b\[<[0-9]*u`)
	keyboardSet = regexp.MustCompile(`\x1b\[>[0-9]+u`)
)

// restored checks that every mode that was set is undone: screen, pastes, mouse, focus, wrapping, cursor,
// keyboard and line settings.
func (x *terminal) restored() {
	x.t.Helper()
	x.until("the last bytes came", func() bool {
		all := x.written()
		return strings.LastIndex(all, "\x1b[?1049l") >= strings.LastIndex(all, "\x1b[?1049h")
	})
	all := x.written()
	state := map[string]string{}
	for _, m := range privateMode.FindAllStringSubmatch(all, -1) {
		for _, mode := range strings.Split(m[1], ";") {
			state[mode] = m[2]
		}
	}
	want := map[string]string{"7": "h", "25": "h"}
	for mode, last := range state {
		if w := want[mode]; w == "" && last == "h" || w != "" && last != w {
			x.t.Errorf("mode %s was left %q", mode, last)
		}
	}
	if set, pop := len(keyboardSet.FindAllString(all, -1)), len(keyboardPop.FindAllString(all, -1)); set != pop {
		x.t.Errorf("the keyboard protocol was set %d times and undone %d times", set, pop)
	}
	if now := x.settings(); now != x.before {
		x.t.Errorf("the line settings are not what they were")
	}
}

func TestEverySignalThatEndsTheProgramLeavesTheTerminalAsItWas(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			x := startDemo(t)
			x.shows("ask for something")
			if err := x.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := x.gone(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			x.until("the last byte came", func() bool { return strings.Contains(x.written(), "\x1b[?1049l") })
			x.restored()
		})
	}
}

func TestCtrlCTwiceQuitsAndRestoresTheTerminal(t *testing.T) {
	x := startDemo(t)
	x.shows("ask for something")
	x.types("hello")
	x.shows("hello")
	x.types("\x03")
	x.shows("cleared")
	x.types("\x03")
	if err := x.gone(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	x.until("the last byte came", func() bool { return strings.Contains(x.written(), "\x1b[?1049l") })
	x.restored()
}

func TestAFaultRestoresTheTerminalAndNamesItsReport(t *testing.T) {
	for fault, keys := range map[string]string{"draw": "\x16", "command": ""} {
		t.Run(fault, func(t *testing.T) {
			report := filepath.Join(t.TempDir(), "report.txt")
			x := startDemo(t, "DEMO_FAULT="+fault, "DEMO_REPORT="+report)
			if keys != "" {
				x.shows("ask for something")
				x.types(keys)
			}
			if err := x.gone(); err == nil {
				t.Error("a fault ended the program as if nothing had happened")
			}
			x.until("the report is named", func() bool { return strings.Contains(x.written(), report) })
			x.restored()
			text, err := os.ReadFile(report)
			if err != nil || !strings.Contains(string(text), "a fault") || !strings.Contains(string(text), "main.go") {
				t.Errorf("the report says %q (%v)", text, err)
			}
		})
	}
}

func TestAProgramWhoseTerminalIsGoneEnds(t *testing.T) {
	x := startDemo(t)
	x.shows("ask for something")
	x.slave.Close()
	x.master.Close()
	// The read that is under way keeps the terminal alive until something is written.
	if err := x.cmd.Process.Signal(syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	x.gone()
}

func TestAnIdleProgramWritesNothing(t *testing.T) {
	x := startDemo(t, "DEMO_TURNS=20")
	x.shows("ask for something")
	x.types("a draft")
	x.shows("a draft")
	quiet := func() bool {
		before := len(x.written())
		time.Sleep(time.Second) // silence can only be seen by letting time pass
		return len(x.written()) == before
	}
	x.until("a second passes without a byte", quiet)
	if !quiet() {
		t.Error("after a silent second it wrote again though nothing happened")
	}
}

func TestAMessageGoesThroughAWholeTurnInARealTerminal(t *testing.T) {
	x := startDemo(t)
	x.shows("ask for something")
	x.types("\x1b[200~\x1b[201~") // an empty paste: a picture is on the clipboard
	x.shows("1 clipboard 2048x1152")
	x.types("what is wrong?")
	x.shows("what is wrong?")
	x.types("\r")
	x.shows("allow once")
	x.until("it can be answered", func() bool { return strings.Contains(x.text(), "espy waits for your answer") })
	x.types("y")
	x.shows("1280")
	x.shows("ask for something")
}

func TestSuspendingGivesTheTerminalToTheShellAndComesBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to suspend into")
	}
	path, err := demoProgram()
	if err != nil {
		t.Fatal(err)
	}
	x := startProgram(t, exec.Command(bash, "--norc", "--noprofile", "-i"), "PS1=shell> ")
	x.shows("shell>")
	x.types(path + "\r")
	x.shows("ask for something")
	x.types("\x1a")
	x.shows("Stopped")
	left := x.written()
	if strings.LastIndex(left, "\x1b[?1049l") < strings.LastIndex(left, "\x1b[?1049h") || !strings.Contains(left, "\x1b[<u") {
		t.Error("the shell got the terminal with modes of the program on")
	}
	x.types("fg\r")
	x.shows("ask for something")
	if all := x.written()[len(left):]; !strings.Contains(all, "\x1b[?7l") || !strings.Contains(all, "\x1b[>5u") {
		t.Error("back in the foreground the terminal was not set up again")
	}
	x.types("\x04")
	x.until("the shell is back", func() bool {
		return strings.Count(x.text(), "shell>") >= 1 && !strings.Contains(x.text(), "ask for something")
	})
	x.types("exit\r")
	x.gone()
	x.until("the shell's last bytes came", func() bool {
		all := x.written()
		return strings.LastIndex(all, "\x1b[?2004l") >= strings.LastIndex(all, "\x1b[?2004h")
	})
	x.restored()
}

func TestSuspendingWhereNoShellWatchesComesBackByItself(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to run a script")
	}
	path, err := demoProgram()
	if err != nil {
		t.Fatal(err)
	}
	x := startProgram(t, exec.Command(bash, "--norc", "--noprofile", "-c", path+"; exit $?"))
	x.shows("ask for something")
	x.types("\x1a")
	x.until("the screen was handed over and taken back", func() bool { return strings.Count(x.written(), "\x1b[?1049h") >= 2 })
	x.types("still here")
	x.shows("still here")
	x.types("\x03\x03")
	if err := x.gone(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	x.restored()
}

func TestTheEditorHasTheTerminalAndItsCtrlCToItself(t *testing.T) {
	editor := filepath.Join(t.TempDir(), "editor")
	script := "#!/bin/sh\ntrap '' INT\nkill -INT 0\nprintf 'from the editor\\n' >> \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x := startDemo(t, "VISUAL="+editor)
	x.shows("ask for something")
	x.types("begun ")
	x.shows("begun")
	x.types("\x07") // ctrl+g
	x.shows("begun from the editor")
	x.types(" and here")
	x.shows("begun from the editor and here")
	x.types("\x03\x03")
	if err := x.gone(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
