package start

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// tmuxAnswer is how long tmux may take to answer.
const tmuxAnswer = time.Second

// tmuxPictures asks tmux whether it passes pictures on and whether its terminal draws them.
func tmuxPictures(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, tmuxAnswer)
	defer cancel()
	passes, err := exec.CommandContext(ctx, "tmux", "show", "-gv", "allow-passthrough").Output()
	if err != nil || !passesOn(string(passes)) {
		return false
	}
	name, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{client_termname}").Output()
	return err == nil && drawsPictures(string(name))
}

// tmuxSetting is an option of the tmux espy runs in, "" where it does not say.
func tmuxSetting(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, tmuxAnswer)
	defer cancel()
	value, err := exec.CommandContext(ctx, "tmux", "show", "-gv", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(value))
}

func passesOn(said string) bool {
	said = strings.TrimSpace(said)
	return said == "on" || said == "all"
}

// drawsPictures goes by the name of the terminal: these know kitty's placeholder cells.
func drawsPictures(name string) bool {
	return strings.Contains(name, "kitty") || strings.Contains(name, "ghostty")
}
