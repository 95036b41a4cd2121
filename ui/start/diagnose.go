package start

import (
	"context"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"espy/media/clipboard"
	"espy/providers/discover"
	"espy/ui"
	"espy/ui/headless"
	"espy/ui/input"
)

// terminalAnswer is how long the terminal may take to answer a diagnosis: a slow SSH line takes a few tenths of a second.
const terminalAnswer = 1500 * time.Millisecond

// Diagnose finds out what `espy doctor` tells: it asks the terminal, each way to the clipboard and, unless offline is
// set, every server that a request could go to, all of them within a few seconds.
func Diagnose(ctx context.Context, s *Settings, offline bool) headless.DoctorFacts {
	route, why, err := s.Choose()
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	f := headless.DoctorFacts{State: s.Dirs.State, Problems: s.Problems, Route: route, Why: why, Servers: s.Book.Servers(), Getenv: os.Getenv,
		Sandbox: s.Config.Permissions.Sandbox, Network: s.Config.Permissions.Network, Colours: ui.ColourDepth(os.Getenv), Silent: offline, MCP: s.DoctorServers()}
	asked := make(chan []discover.Answer, 1)
	go func() {
		if offline {
			asked <- nil
			return
		}
		asked <- discover.Diagnose(ctx, s.Client, f.Servers)
	}()
	f.Terminal, f.Unasked = askTerminal(ctx)
	f.Pictures = os.Getenv("TMUX") != "" && tmuxPictures(ctx)
	if os.Getenv("TMUX") != "" {
		f.Tmux = tmuxSetting(ctx, "set-clipboard")
	}
	if columns, _, err := term.GetSize(os.Stdout.Fd()); err == nil {
		f.Columns = columns
	}
	f.Clipboard, f.Remote = clipboard.Reach(ctx, clipboard.Env{})
	f.WSL = clipboard.IsWSL(clipboard.Env{})
	f.Asked = <-asked
	return f
}

func askTerminal(ctx context.Context) (input.Told, error) {
	ctx, cancel := context.WithTimeout(ctx, terminalAnswer)
	defer cancel()
	return input.Ask(ctx, os.Stdin, os.Stdout)
}
