package input

import (
	"os"
	"strings"
)

// Query is what the terminal is asked once at the start, in one write and without waiting: its background (OSC 11), its name
// (XTVERSION), whether it takes whole frames (mode 2026) and clipboard events (mode 5522), kitty's keyboard flags, and last
// its class (DA1), which every terminal answers: when [Caps.Done] is set, nothing more will come. Questions that a terminal is
// known to print instead of answering are left out.
func Query() string { return query(os.Getenv) }

func query(getenv func(string) string) string {
	const (
		background = "\x1b]11;?\x1b\\"
		version    = "\x1b[>q"
		frames     = "\x1b[?2026$p"
		clipboard  = "\x1b[?5522$p"
		keyboard   = "\x1b[?u"
		class      = "\x1b[c"
	)
	switch {
	case getenv("TERM") == "dumb":
		return ""
	case getenv("TERM") == "linux": // its console knows OSC only for palettes
		return class
	case getenv("TERM_PROGRAM") == "Apple_Terminal": // prints the "p" of a question about a mode
		return background + class
	}
	return strings.Join([]string{background, version, frames, clipboard, keyboard, class}, "")
}
