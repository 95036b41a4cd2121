//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tmuxPause is the pause between two looks at a pane: tmux tells nobody when one changes.
const tmuxPause = 20 * time.Millisecond

// Tmux is a program in a pane of a tmux server of its own. The pane stays when the program ends, but tmux may
// lose what was written in the last moment before.
type Tmux struct {
	t      testing.TB
	socket string
	env    []string
}

// StartTmux runs the program in tmux. A missing tmux skips the test, and fails it under CI=true.
func StartTmux(t testing.TB, p Program) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tmux is not installed, and under CI nothing may be skipped")
		}
		t.Skip("tmux is not installed")
	}
	if p.Cols == 0 || p.Rows == 0 {
		p.Cols, p.Rows = defaultCols, defaultRows
	}
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's name must be
	if err != nil {
		t.Fatal(err)
	}
	m := &Tmux{t: t, socket: filepath.Join(dir, "s"), env: append(os.Environ(), fullFeatured()...)}
	config := filepath.Join(dir, "conf")
	// The pane stays when its program ends, so that what it left on the screen can be looked at.
	lines := "set -g remain-on-exit on\nset -g remain-on-exit-format ''\nset -g status off\nset -sg escape-time 0\nset -g default-terminal tmux-256color\n"
	if err := os.WriteFile(config, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-f", config, "new-session", "-d", "-x", strconv.Itoa(p.Cols), "-y", strconv.Itoa(p.Rows)}
	if p.Dir != "" {
		args = append(args, "-c", p.Dir)
	}
	for _, pair := range p.Env {
		args = append(args, "-e", pair)
	}
	m.do("", append(append(args, "--"), p.Args...)...)
	t.Cleanup(func() {
		_ = m.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	return m
}

func (m *Tmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Env = m.env
	return cmd
}

func (m *Tmux) do(input string, args ...string) string {
	m.t.Helper()
	cmd := m.command(args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// SendKeys presses keys by tmux's names for them ("Enter", "C-c", "M-v"), or types text.
func (m *Tmux) SendKeys(keys ...string) {
	m.t.Helper()
	m.do("", append([]string{"send-keys", "--"}, keys...)...)
}

// Paste pastes text, between markers if the program asked for them.
func (m *Tmux) Paste(text string) {
	m.t.Helper()
	m.do(text, "load-buffer", "-")
	m.do("", "paste-buffer", "-p", "-d")
}

// Resize changes the window's size.
func (m *Tmux) Resize(cols, rows int) {
	m.t.Helper()
	m.do("", "resize-window", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows))
}

// Capture is the pane's text.
func (m *Tmux) Capture() string {
	m.t.Helper()
	return m.do("", "capture-pane", "-p")
}

// CaptureStyled is the pane's text with the sequences that colour it.
func (m *Tmux) CaptureStyled() string {
	m.t.Helper()
	return m.do("", "capture-pane", "-p", "-e", "-N")
}

// Dead says that the program has ended.
func (m *Tmux) Dead() bool {
	m.t.Helper()
	return strings.TrimSpace(m.do("", "display-message", "-p", "#{pane_dead}")) == "1"
}

// WaitFor waits until the pane shows text and returns what it shows.
func (m *Tmux) WaitFor(text string) string {
	m.t.Helper()
	return m.Until(strconv.Quote(text), func(pane string) bool { return strings.Contains(pane, text) })
}

// Until waits for a condition of the pane's text.
func (m *Tmux) Until(what string, ready func(pane string) bool) string {
	m.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		pane := m.Capture()
		if ready(pane) {
			return pane
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("waited for %s in vain\n%s", what, pane)
		}
		time.Sleep(tmuxPause)
	}
}
