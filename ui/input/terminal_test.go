//go:build unix

package input

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"
)

// patience is how long a test waits for what must come. It is no measure of speed.
const patience = 30 * time.Second

// terminal is a real terminal with a real Bubble Tea program in it. The test is the person and the screen.
type terminal struct {
	t       *testing.T
	person  *os.File // the side that types and sees
	program *tea.Program
	reader  *Reader
	slave   *os.File
	msgs    chan tea.Msg
	done    chan error

	mu      sync.Mutex
	changed *sync.Cond // on mu: more was written
	out     bytes.Buffer
	lost    bool // nothing more can be written
}

// recorder is a model that passes on every message it gets.
type recorder struct {
	msgs chan tea.Msg
	exec func(*exec.Cmd) tea.Cmd
	out  *Writer
}

type startedMsg struct{}

func (r recorder) Init() tea.Cmd { return func() tea.Msg { return startedMsg{} } }
func (r recorder) View() string {
	_, _ = r.out.WriteString("ready")
	return ""
}
func (r recorder) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	r.msgs <- m
	if run, ok := m.(runMsg); ok {
		return r, r.exec(run.cmd)
	}
	return r, nil
}

type (
	runMsg struct{ cmd *exec.Cmd }
	ranMsg struct{ err error }
)

func startTerminal(t *testing.T) *terminal {
	t.Helper()
	person, slave, err := pty.Open()
	if err != nil {
		t.Fatalf("opening a terminal: %v", err)
	}
	term := &terminal{t: t, person: person, slave: slave, msgs: make(chan tea.Msg, 1<<16), done: make(chan error, 1)}
	term.changed = sync.NewCond(&term.mu)
	term.reader = New(slave, func(m tea.Msg) { term.program.Send(m) })
	writer := NewWriter(slave)
	writer.SetMouse(true)
	run := func(cmd *exec.Cmd) tea.Cmd {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		return tea.Exec(Away{term.reader, writer, cmd.Run}, func(err error) tea.Msg { return ranMsg{err} })
	}
	term.program = tea.NewProgram(recorder{term.msgs, run, writer}, tea.WithInput(term.reader), tea.WithoutRenderer(), tea.WithoutSignalHandler())
	stop, err := term.reader.Start()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Enter(); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(term.look)
	running.Go(func() {
		_, err := term.program.Run()
		_ = writer.Leave() // one that is gone is given back to nobody
		stop()
		term.done <- err
	})
	t.Cleanup(func() {
		term.program.Quit() // a kill would not wait for the reader
		<-term.done
		slave.Close()
		person.Close()
		running.Wait()
	})
	term.wait("the start", func(m tea.Msg) bool { _, ok := m.(startedMsg); return ok })
	return term
}

// look reads what the program writes until the terminal is closed.
func (x *terminal) look() {
	buf := make([]byte, 4096)
	for {
		n, err := x.person.Read(buf)
		x.mu.Lock()
		x.out.Write(buf[:n])
		x.changed.Broadcast()
		x.lost = err != nil
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// seen waits until all parts were written, in this order.
func (x *terminal) seen(parts ...string) {
	x.t.Helper()
	late := time.AfterFunc(patience, func() { // closing the terminal would not wake its reader
		x.mu.Lock()
		defer x.mu.Unlock()
		x.lost = true
		x.changed.Broadcast()
	})
	defer late.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	for !inOrder(x.out.String(), parts) {
		if x.lost {
			x.t.Fatalf("%q was never written in this order; what was is %q", parts, x.out.String())
		}
		x.changed.Wait()
	}
}

func (x *terminal) typed(s string) {
	x.t.Helper()
	if _, err := x.person.WriteString(s); err != nil {
		x.t.Fatalf("typing: %v", err)
	}
}

// wait returns the messages up to the first that is wanted.
func (x *terminal) wait(what string, wanted func(tea.Msg) bool) []tea.Msg {
	x.t.Helper()
	var got []tea.Msg
	late := time.After(patience)
	for {
		select {
		case m := <-x.msgs:
			if _, ok := m.(tea.WindowSizeMsg); ok {
				continue
			}
			got = append(got, m)
			if wanted(m) {
				return got
			}
		case <-late:
			x.t.Fatalf("%s never came; what came was %s", what, show(got))
		}
	}
}

// until waits for a key by name.
func (x *terminal) until(name string) []tea.Msg {
	x.t.Helper()
	return x.wait("the key "+name, func(m tea.Msg) bool { got, ok := Name(m); return ok && got == name })
}

func TestAMegabytePastedIntoATerminalIsOneMessageAndEnterFollows(t *testing.T) {
	x := startTerminal(t)
	text := strings.Repeat("日本語 mixed with words, and a fake end \x1b[201\r", 20000)
	go func() { x.person.WriteString(pasteStart + text + pasteEnd + "\r") }()
	got := x.until("enter")
	if len(got) != 2 {
		t.Fatalf("expected a paste and enter, got %d messages", len(got))
	}
	if p := got[0].(PasteMsg); p.Text != strings.ReplaceAll(text, "\r", "\n") {
		t.Errorf("%d bytes were pasted and %d arrived, or they differ", len(text), len(p.Text))
	}
}

func TestAPasteThatTricklesInByBytesIsOneMessage(t *testing.T) {
	x := startTerminal(t)
	text := strings.Repeat("日本 ", 300)
	for _, c := range []byte(pasteStart + text + pasteEnd + "q") {
		x.typed(string([]byte{c}))
	}
	if got := show(x.until("q")); got != show([]tea.Msg{PasteMsg{Text: text}})+" q" {
		t.Errorf("got %s", got)
	}
}

func TestAnAltChordInTwoWritesIsOneKey(t *testing.T) {
	x := startTerminal(t)
	x.reader.mu.Lock() // no Read is decoding yet
	x.reader.chordWait = patience
	x.reader.mu.Unlock()
	x.typed("\x1b")
	x.typed("v")
	if got := show(x.until("alt+v")); got != "alt+v" {
		t.Errorf("got %s", got)
	}
}

func TestEscapeAloneArrives(t *testing.T) {
	x := startTerminal(t)
	x.typed("\x1b")
	if got := show(x.until("esc")); got != "esc" {
		t.Errorf("got %s", got)
	}
}

func TestLateAnswersOfTheTerminalAreNotTyped(t *testing.T) {
	x := startTerminal(t)
	x.typed("a\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;4c\x1b_Gi=1;OK\x1b\\b")
	if got, want := show(x.until("b")), `a reply(1 "rgb:1e1e/1e1e/2e2e") reply(6 "62;4") reply(4 "i=1;OK") b`; got != want {
		t.Errorf("got\n %s\nwant\n %s", got, want)
	}
}

func TestAPasteWithoutMarksIsRecognisedByItsSize(t *testing.T) {
	x := startTerminal(t)
	line := strings.Repeat("words without end ", 20)
	x.typed(line + "\r")
	if got, want := show(x.until("enter")), show([]tea.Msg{PasteMsg{Text: line}})+" enter"; got != want {
		t.Errorf("one line and enter: got %s", got)
	}
	lines := strings.Repeat("a line of a file\r", 20)
	x.typed(lines)
	paste := x.wait("the paste", func(m tea.Msg) bool { _, ok := m.(PasteMsg); return ok })
	if got := paste[len(paste)-1].(PasteMsg); got.Text != strings.ReplaceAll(lines, "\r", "\n") {
		t.Errorf("several lines must not press enter: got %q", got.Text)
	}
	x.typed("ok\r")
	if got := show(x.until("enter")); got != "o k enter" {
		t.Errorf("what is typed stays typed: got %s", got)
	}
}

func TestTheTerminalIsSetUpAndLeftAsItWas(t *testing.T) {
	x := startTerminal(t)
	x.seen(enterScreen+wholeScreen+Setup+mouseOn, "ready") // before the first frame there would be none to see
	x.program.Quit()
	if err := <-x.done; err != nil {
		t.Fatalf("the program ended with %v", err)
	}
	x.done <- nil
	x.seen(enterScreen+wholeScreen+Setup+mouseOn, "ready", Teardown+popTitle+leaveScreen+showCursor)
}

func TestTeardownUndoesEveryModeThatMayBeSet(t *testing.T) {
	for _, off := range []string{
		"\x1b[?2026l", "\x1b[<u", "\x1b[>4;0m", "\x1b[?5522l", "\x1b[?2004l", "\x1b[?1000l", "\x1b[?1002l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?1004l", "\x1b[?7h",
	} {
		if !strings.Contains(Teardown, off) {
			t.Errorf("Teardown lacks %q", off)
		}
	}
}

func TestNothingIsWrittenToATerminalThatIsAnothers(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := NewWriter(file)
	w.SetFarewell("farewell")
	before := func() int { got, _ := os.ReadFile(file.Name()); return len(got) }
	for range 2 {
		w.Graphics([]byte("a picture"))
		w.TellMouse()
		if _, err := w.WriteString("a frame"); err == nil {
			t.Error("a frame that was not written is said to be")
		}
		if err := w.Leave(); err != nil || before() != 0 {
			t.Fatalf("%d bytes were written to a terminal that was never taken (%v)", before(), err)
		}
	}
	if err := errors.Join(w.Enter(), w.Enter()); err != nil {
		t.Fatal(err)
	}
	w.SetMouse(true)
	w.TellMouse()
	w.TellMouse()
	if err := errors.Join(w.Leave(), w.Leave()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file.Name())
	if want := pushTitle + enterScreen + wholeScreen + Setup + mouseOn + Teardown + popTitle + "farewell" + leaveScreen + showCursor; string(got) != want || err != nil {
		t.Errorf("written was %q, want %q", got, want)
	}
}

func TestAnotherProgramGetsTheTerminalAndGivesItBack(t *testing.T) {
	x := startTerminal(t)
	cmd := exec.Command("sh", "-c", `printf 'child? '; read answer; printf 'got:%s\n' "$answer"`)
	x.program.Send(runMsg{cmd})
	x.seen("child? ")
	x.typed("hello\r")
	got := x.wait("the end of the other program", func(m tea.Msg) bool { _, ok := m.(ranMsg); return ok })
	if err := got[len(got)-1].(ranMsg).err; err != nil {
		t.Fatalf("the other program failed: %v", err)
	}
	x.typed("z")
	if keys := show(x.until("z")); strings.Contains(keys, "h e l l o") {
		t.Errorf("what was typed into the other program reached ours: %s", keys)
	}
	x.seen(enterScreen+wholeScreen+Setup+mouseOn, Teardown+popTitle+leaveScreen, "child? ", "got:hello", enterScreen+wholeScreen+Setup+mouseOn)
}

func TestALostTerminalIsReported(t *testing.T) {
	x := startTerminal(t)
	x.person.Close()
	x.program.Send(startedMsg{}) // the read that is under way keeps the terminal alive until something is written
	x.wait("the notice", func(m tea.Msg) bool { c, ok := m.(ClosedMsg); return ok && c.Err != nil })
}

// inOrder reports whether the parts follow each other in s.
func inOrder(s string, parts []string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(s, part)
		if !found {
			return false
		}
		s = after
	}
	return true
}

// BenchmarkPaste shows that a paste costs time linear in its size.
func BenchmarkPaste(b *testing.B) {
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20, 10 << 20} {
		stream := []byte(pasteStart + strings.Repeat("text of a paste \x1b[20\n", size/20) + pasteEnd)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				d := decoder{emit: func(tea.Msg) {}}
				for rest := stream; len(rest) > 0; {
					n := min(4095, len(rest)) // what a terminal's buffer holds
					d.feed(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}
