//go:build unix

package early_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	_ "espy/ui/early"
)

// probe is what the test binary prints when it is run as the program under test. By then every init has run.
const probe = "probe 1.0"

func TestMain(m *testing.M) {
	if os.Getenv("EARLY_PROBE") != "" {
		fmt.Println(probe, tea.WindowSizeMsg{}.Width)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// onSilentTerminal runs the program in a terminal that never answers and returns all it wrote.
func onSilentTerminal(t *testing.T, name string, env ...string) []byte {
	t.Helper()
	cmd := exec.Command(name)
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); key != "CI" && key != "TERM" && !strings.HasPrefix(key, "TMUX") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, append(env, "TERM=xterm-256color")...)
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatalf("starting %s in a terminal: %v", name, err)
	}
	defer tty.Close()
	out, _ := io.ReadAll(tty) // ends with EIO when the program has gone
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%s failed: %v; it wrote %q", name, err, out)
	}
	return out
}

func TestTheFirstBytesOnASilentTerminalAreTheProgramsOwn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := onSilentTerminal(t, self, "EARLY_PROBE=1")
	if !bytes.HasPrefix(out, []byte(probe)) {
		t.Errorf("expected %q first, and no question to the terminal before it; got %q", probe, out)
	}
	if bytes.ContainsRune(out, '\x1b') {
		t.Errorf("expected no escape sequence at all, got %q", out)
	}
}

// The same program without this package does ask, so the test above can fail.
func TestWithoutThisPackageBubbleTeaAsksTheTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and waits out the five seconds it stalls")
	}
	late := filepath.Join(t.TempDir(), "late")
	if out, err := exec.Command("go", "build", "-o", late, "./testdata/late").CombinedOutput(); err != nil {
		t.Fatalf("building the program without ui/early: %v\n%s", err, out)
	}
	if out := onSilentTerminal(t, late); !bytes.Contains(out, []byte("\x1b]11;?")) {
		t.Errorf("expected Bubble Tea to ask for the background by itself; it wrote %q: is this package still needed?", out)
	}
}
