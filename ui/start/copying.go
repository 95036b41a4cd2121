package start

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"

	"espy/media/clipboard"
)

// copyText puts text on the desktop's clipboard. Where there is none, as over SSH, the terminal is asked to take it: by
// tmux inside tmux, which keeps what programs say to the terminal to itself unless told otherwise, else by OSC 52, which
// terminal writes.
func copyText(ctx context.Context, text string, terminal func(sequence string)) (where string, err error) {
	err = clipboard.WriteText(ctx, clipboard.Env{}, text)
	if err == nil {
		return "the clipboard", nil
	}
	if os.Getenv("TMUX") != "" {
		if loadBuffer(ctx, text) == nil {
			return "tmux's buffer and, where the terminal allows it, its clipboard", nil
		}
		terminal(osc52.New(text).String())
		terminal(osc52.New(text).Tmux().String())
		return "the terminal's clipboard, if tmux's set-clipboard or allow-passthrough is on", nil
	}
	sequence := osc52.New(text)
	switch name := os.Getenv("TERM"); {
	case strings.HasPrefix(name, "tmux"): // on the way here
		terminal(sequence.String())
		return "the terminal's clipboard (OSC 52); a tmux on the way passes it on where its set-clipboard is on", nil
	case strings.HasPrefix(name, "screen"):
		sequence = sequence.Screen()
	}
	terminal(sequence.String())
	return "the terminal's clipboard (OSC 52), if it allows that", nil
}

// loadBuffer has tmux take the text and hand it to the clipboard of the terminal it is shown in.
func loadBuffer(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, tmuxAnswer)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Stdin = strings.NewReader(text)
	return errors.Join(cmd.Run(), ctx.Err())
}
