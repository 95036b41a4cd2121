//go:build unix

package e2e

import (
	"strings"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// diagnosed is what `espy doctor` prints in a terminal, on lines joined, and its exit code.
func diagnosed(t *testing.T, w *world) (string, int) {
	t.Helper()
	term := terminal.Start(t, w.program("doctor"))
	code := term.Wait()
	if left := term.Changed(); len(left) > 0 {
		t.Errorf("doctor left the terminal with %v", left)
	}
	return strings.Join(strings.Fields(term.Screen().String()), " "), code
}

func TestDoctorAsksTheTerminalAndTheDisplay(t *testing.T) {
	w := newWorld(t).with("DISPLAY="+desktop.X11(t), "WAYLAND_DISPLAY=", "SSH_CONNECTION=", "SSH_TTY=", "TMUX=", "WSL_DISTRO_NAME=")
	got, code := diagnosed(t, w)
	for _, want := range []string{"ok clipboard X11 answers; there is nothing that can be pasted on it", "ok terminal", "none answers at the usual address of"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if code != 0 || strings.Contains(got, "answered no question") {
		t.Errorf("doctor ended with %d and says\n%s", code, got)
	}
}

func TestDoctorTellsADisplayThatIsOnlyNamed(t *testing.T) {
	w := newWorld(t).with("DISPLAY=:9731", "WAYLAND_DISPLAY=", "SSH_CONNECTION=", "SSH_TTY=", "TMUX=", "WSL_DISTRO_NAME=")
	got, code := diagnosed(t, w)
	if code != 1 || !strings.Contains(got, "BAD clipboard") || !strings.Contains(got, `check DISPLAY`) {
		t.Errorf("doctor ended with %d and says\n%s", code, got)
	}
}
