//go:build unix

package terminal

import (
	"bufio"
	"bytes"
	"fmt"
	"image/color"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// childRole is how this test program is told to be the program under test.
const childRole = "TERMINAL_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

// child is a small program of each kind that the harness must handle.
func child(role string) int {
	raw(os.Stdin)
	switch role {
	case "keys": // prints what it is sent, byte for byte
		fmt.Print("\x1b[?2004hready\r\n")
		buf := make([]byte, 1<<16)
		for {
			n, err := os.Stdin.Read(buf)
			if err != nil || bytes.Contains(buf[:n], []byte(CtrlD)) {
				return 0
			}
			fmt.Printf("%q\r\n", buf[:n])
		}
	case "query": // asks the terminal for its background and who it is
		fmt.Print("\x1b]11;?\x07\x1b[c")
		return report(bufio.NewReader(os.Stdin))
	case "count": // counts a large paste
		fmt.Print("\x1b[?2004hready\r\n")
		return count(bufio.NewReader(os.Stdin))
	case "restore":
		hangup := make(chan os.Signal, 1)
		signal.Notify(hangup, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Print("\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[?7lin the alternate screen")
		<-hangup
		fmt.Print("\x1b[?7h\x1b[?25h\x1b[?2004l\x1b[?1049l")
		return 7
	case "size":
		resized := make(chan os.Signal, 1)
		signal.Notify(resized, syscall.SIGWINCH)
		for {
			ws, _ := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
			fmt.Printf("%dx%d\r\n", ws.Col, ws.Row)
			<-resized
		}
	}
	return 2
}

// raw takes the terminal out of line mode, where input lines are bounded and echoed.
func raw(f *os.File) {
	state, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return
	}
	state.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG
	state.Iflag &^= unix.ICRNL
	_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, state)
}

func report(in *bufio.Reader) int {
	answers := make(chan string, 1)
	go func() {
		answer, _ := in.ReadString('c')
		answers <- answer
	}()
	select {
	case answer := <-answers:
		fmt.Printf("answered %q\r\n", answer)
	case <-time.After(300 * time.Millisecond):
		fmt.Print("no answer\r\n")
	}
	return 0
}

func count(in *bufio.Reader) int {
	var all strings.Builder
	for !strings.HasSuffix(all.String(), "\x1b[201~") {
		b, err := in.ReadByte()
		if err != nil {
			return 1
		}
		all.WriteByte(b)
	}
	fmt.Printf("pasted %d bytes\r\n", all.Len())
	return 0
}

func start(t *testing.T, role string, p Program) *Terminal {
	t.Helper()
	p.Args = []string{os.Args[0]}
	p.Env = append(p.Env, childRole+"="+role)
	return Start(t, p)
}

func TestWhatIsTypedReachesTheProgram(t *testing.T) {
	term := Start(t, Program{Args: []string{"cat"}})
	term.Send("hello" + Enter)
	s := term.Until("the echo and the line", func(s Screen) bool { return len(s.Lines) > 1 && s.Lines[1] == "hello" })
	if s.Lines[0] != "hello" {
		t.Errorf("the echo is %q", s.Lines[0])
	}
	term.Send(CtrlD)
	if code := term.Wait(); code != 0 {
		t.Errorf("cat ended with %d", code)
	}
}

func TestKeysAndPastesArriveByteForByte(t *testing.T) {
	term := start(t, "keys", Program{})
	term.WaitFor("ready")
	for _, keys := range []string{ShiftTab, AltV, PageUp, CtrlC, "ü你"} {
		term.Send(keys)
		term.WaitFor(fmt.Sprintf("%q", keys))
	}
	term.Click(3, 4)
	term.WaitFor(`"\x1b[<0;4;5M\x1b[<0;4;5m"`)
	term.Wheel(0, 0, -2)
	term.WaitFor(`"\x1b[<65;1;1M\x1b[<65;1;1M"`)
	term.Paste("two\nlines")
	term.WaitFor(`"\x1b[200~two\nlines\x1b[201~"`)
	term.Send(CtrlD)
	if code := term.Wait(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	if left := term.Changed(); !slices.Equal(left, []string{"?2004 on"}) {
		t.Errorf("modes left behind are %q, want bracketed paste", left)
	}
}

func TestALargePasteArrivesWhole(t *testing.T) {
	term := start(t, "count", Program{})
	term.WaitFor("ready")
	text := strings.Repeat("你好 abc\n", 80_000) // 1 MB
	term.Paste(text)
	term.WaitFor(fmt.Sprintf("pasted %d bytes", len(text)+12))
}

func TestWithoutBracketedPasteTextIsTyped(t *testing.T) {
	term := Start(t, Program{Args: []string{"cat"}})
	term.Paste("a\nb\n")
	term.Until("both lines twice", func(s Screen) bool { return strings.Count(s.String(), "b") == 2 })
}

func TestTheTerminalAnswersQueriesUnlessItIsSilent(t *testing.T) {
	term := start(t, "query", Program{})
	s := term.WaitFor("answered")
	if !s.Contains("11;rgb") || !s.Contains("?6") {
		t.Errorf("the answers are\n%s", s)
	}
	start(t, "query", Program{Silent: true}).WaitFor("no answer")
}

func TestCellsCarryTheirLooks(t *testing.T) {
	term := Start(t, Program{Args: []string{"printf", "\033[1;38;2;1;2;3mbold\033[0m 你\033]2;a title\007 \033]8;;https://example.test\007link\033]8;;\007"}})
	s := term.WaitFor("link")
	cell := s.Cells[0][0]
	r, g, b, _ := color.RGBAModel.Convert(cell.Foreground).RGBA()
	if cell.Text != "b" || !cell.Bold || r>>8 != 1 || g>>8 != 2 || b>>8 != 3 {
		t.Errorf("the first cell is %+v", cell)
	}
	if wide := s.Cells[0][5]; wide.Text != "你" || wide.Width != 2 || s.Cells[0][6].Width != 0 {
		t.Errorf("the wide character is %+v and %+v", wide, s.Cells[0][6])
	}
	if s.Title != "a title" || s.Cells[0][8].Link != "https://example.test" {
		t.Errorf("title %q, link %q", s.Title, s.Cells[0][8].Link)
	}
	if s.Lines[0] != "bold 你 link" {
		t.Errorf("the line is %q", s.Lines[0])
	}
}

func TestModesAreFollowedUntilTheyAreRestored(t *testing.T) {
	term := start(t, "restore", Program{})
	s := term.WaitFor("alternate screen")
	if !s.Alternate || !s.CursorHidden || !term.Mode(ansi.ModeBracketedPaste) {
		t.Errorf("the program's modes are not seen:\n%s", s.Framed())
	}
	if set := term.Changed(); !slices.Equal(set, []string{"?1049 on", "?2004 on", "?25 off", "?7 off"}) {
		t.Errorf("modes changed: %q", set)
	}
	term.Signal(syscall.SIGTERM)
	if code := term.Wait(); code != 7 {
		t.Errorf("ended with %d, want 7", code)
	}
	if left := term.Changed(); len(left) != 0 || term.Screen().Alternate {
		t.Errorf("left behind: %q", left)
	}
	if !bytes.HasSuffix(term.Output(), []byte("\x1b[?1049l")) {
		t.Errorf("the last bytes are %q", term.Output())
	}
}

func TestAResizeIsToldToTheProgram(t *testing.T) {
	term := start(t, "size", Program{Cols: 90, Rows: 20})
	term.WaitFor("90x20")
	for _, size := range [][2]int{{40, 10}, {1, 1}, {120, 50}} {
		term.Resize(size[0], size[1])
	}
	s := term.WaitFor("120x50")
	if len(s.Lines) != 50 || len(s.Cells[0]) != 120 {
		t.Errorf("the screen is %dx%d", len(s.Cells[0]), len(s.Lines))
	}
}

func TestATerminalTakenAwayHangsTheProgramUp(t *testing.T) {
	term := start(t, "restore", Program{})
	term.WaitFor("alternate screen")
	term.Hangup()
	<-term.Exited()
}

func TestASignalShowsInTheExitCode(t *testing.T) {
	term := Start(t, Program{Args: []string{"sh", "-c", "kill -9 $$"}})
	if code := term.Wait(); code != 128+9 {
		t.Errorf("ended with %d, want %d", code, 128+9)
	}
}

func TestNothingOutlivesItsTest(t *testing.T) {
	var pid int
	t.Run("inner", func(t *testing.T) {
		term := Start(t, Program{Args: []string{"sh", "-c", "sleep 60 & echo child $!; sleep 60"}})
		s := term.WaitFor("child ")
		if _, err := fmt.Sscanf(s.Lines[s.Row("child ")], "child %d", &pid); err != nil {
			t.Fatal(err)
		}
	})
	deadline := time.Now().Add(patience)
	for alive(pid) {
		if time.Now().After(deadline) {
			t.Fatalf("the program's child %d still runs", pid)
		}
		runtime.Gosched()
	}
}

// alive says whether a process runs: not gone, and not merely waiting to be collected.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return syscall.Kill(pid, 0) == nil && (err != nil || !strings.Contains(string(stat), ") Z "))
}

// failing stands in for a test that is expected to fail.
type failing struct {
	testing.TB
	said chan string
}

func (f failing) Helper()           {}
func (f failing) Cleanup(fn func()) { f.TB.Cleanup(fn) }
func (f failing) Fatalf(format string, args ...any) {
	f.said <- fmt.Sprintf(format, args...)
	select {} // as FailNow does, it does not return; the goroutine is given up with the test
}

func TestAFailedWaitShowsTheScreen(t *testing.T) {
	f := failing{t, make(chan string, 1)}
	term := Start(f, Program{Args: []string{"echo", "something else"}, Cols: 20, Rows: 3})
	go term.WaitFor("never")
	if said := <-f.said; !strings.Contains(said, `"never"`) || !strings.Contains(said, "|something else      |") {
		t.Errorf("the failure reads:\n%s", said)
	}
}

func TestTmuxRunsAProgramAndShowsItsPane(t *testing.T) {
	m := StartTmux(t, Program{Args: []string{os.Args[0]}, Env: []string{childRole + "=keys"}, Cols: 80, Rows: 12})
	m.WaitFor("ready")
	m.SendKeys("M-v")
	m.WaitFor(`"\x1bv"`)
	m.Paste("a\nb")
	m.WaitFor(`"\x1b[200~a`)
	m.Resize(60, 8)
	m.SendKeys("C-d")
	m.Until("the program to end", func(string) bool { return m.Dead() })
}

func TestTmuxKeepsColours(t *testing.T) {
	m := StartTmux(t, Program{Args: []string{"sh", "-c", `printf '\033[31mred\033[0m'; sleep 60`}})
	m.WaitFor("red")
	if styled := m.CaptureStyled(); !strings.Contains(styled, "\x1b[31mred") {
		t.Errorf("the styled pane is %q", styled)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		term := Start(b, Program{Args: []string{"echo", "hello"}})
		term.WaitFor("hello")
		term.Close()
	}
}
