//go:build unix

package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// answered is an answer with a wrapped paragraph and a code block, as it was written.
const (
	code     = "func main() {\n\tfmt.Println(\"a line that is much longer than the window is wide, so that it is broken on the screen and must not be broken in what is copied\")\n}\n"
	answered = "Here it is, in a paragraph that is long enough to be wrapped at the width of a small window:\n\n```go\n" + code + "```\n"
)

// overSSH is what a login over SSH leaves in the environment.
var overSSH = []string{"SSH_CONNECTION=10.0.0.1 50000 10.0.0.2 22", "SSH_TTY=/dev/pts/9", "DISPLAY=", "WAYLAND_DISPLAY="}

// answering is a world whose model answers with the text above.
func answering(t *testing.T) *world {
	w := newWorld(t)
	w.script("[[answer]]\nsteps = [ { text = '''" + answered + "''' } ]\n")
	return w.with(overSSH...)
}

// copyCode has the code block of the newest answer copied.
func copyCode(term *terminal.Terminal) {
	send(term, "show me")
	term.WaitFor("Println")
	term.Until("the turn has ended", func(s terminal.Screen) bool { return s.Contains(ready) })
	term.Send("\x14c") // ctrl+t, then the code block
	term.WaitFor("copied to")
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestOverSSHACodeBlockIsCopiedThroughTheTerminalAsItWasWritten(t *testing.T) {
	w := answering(t)
	term := w.opened("--model", "played/one")
	term.Resize(60, 30)
	copyCode(term)
	term.UntilOutput("\x1b]52;c;" + encoded(code))
	term.Send("q") // back to the text
	quit(t, term)
}

func TestInsideTmuxOverSSHCopiedTextReachesTheTerminalTmuxIsShownIn(t *testing.T) {
	desktop.Need(t, "tmux")
	w := answering(t)
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's name must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := w.program("--model", "played/one")
	p.Args = append([]string{"tmux", "-S", filepath.Join(dir, "s"), "-f", "/dev/null", "new-session", "--"}, p.Args...)
	term := terminal.Start(t, p) // tmux itself is what the terminal shows
	term.Until("the composer of an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
	copyCode(term)
	term.UntilOutput("\x1b]52;;" + encoded(code)) // tmux names no selection
	term.Send("q")                                // back to the text
	term.Send(terminal.CtrlC)
	term.WaitFor("again")
	term.Send(terminal.CtrlC)
	term.Wait()
}
