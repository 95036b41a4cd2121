package headless

import (
	"strings"

	"espy/ui/input"
)

// terminalChecks are of the terminal: what it is, its colours, its pictures, pastes, and the window's clipboard.
func terminalChecks(f DoctorFacts) []Check {
	return []Check{terminalCheck(f), colourCheck(f), graphicsCheck(f), pasteCheck(f), copyCheck(f)}
}

func terminalCheck(f DoctorFacts) Check {
	getenv := f.Getenv
	found := "TERM=" + getenv("TERM")
	if getenv("TERM_PROGRAM") != "" {
		found += ", " + getenv("TERM_PROGRAM")
	}
	if t := f.Terminal; t.Name != "" {
		found += ", calls itself " + strings.TrimSpace(t.Name+" "+t.Version)
	}
	for _, where := range []struct {
		is   bool
		text string
	}{{getenv("TMUX") != "", "inside tmux"}, {strings.HasPrefix(getenv("TERM"), "screen") && getenv("TMUX") == "", "inside screen"}, {overSSH(getenv), "over SSH"}, {f.WSL, "in WSL"}} {
		if where.is {
			found += ", " + where.text
		}
	}
	if t := getenv("TERM"); t == "" || t == "dumb" {
		return Check{"terminal", "bad", found, "espy's screen needs a terminal that can move its cursor; `espy run` works anywhere"}
	}
	if f.Unasked == nil && !f.Terminal.Answered {
		return Check{"terminal", "note", found + "; it answered no question", "espy goes by its name then; set ui.theme and ui.previews if it guesses wrong"}
	}
	return Check{"terminal", "ok", found, ""}
}

func overSSH(getenv func(string) string) bool {
	return getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""
}

func colourCheck(f DoctorFacts) Check {
	shade := map[input.Shade]string{input.Dark: ", on a dark background", input.Light: ", on a light background"}[f.Terminal.Shade]
	switch {
	case f.Getenv("NO_COLOR") != "":
		return Check{"colours", "note", "off, NO_COLOR is set", "unset NO_COLOR for colours"}
	case f.Colours == "16":
		return Check{"colours", "note", "16" + shade, "set COLORTERM=truecolor if the terminal shows them all"}
	}
	return Check{"colours", "ok", f.Colours + shade, ""}
}

// graphicsCheck says how pictures are shown, by what the terminal answered.
func graphicsCheck(f DoctorFacts) Check {
	t := f.Terminal
	switch {
	case f.Getenv("TMUX") != "" && f.Pictures:
		return Check{"pictures", "ok", "drawn by the terminal, through tmux", ""}
	case f.Getenv("TMUX") != "" && kittyLike(f.Getenv):
		return Check{"pictures", "note", "drawn in half blocks: tmux does not pass the terminal's own pictures on", "tmux set -g allow-passthrough on"}
	case t.Placeholders:
		return Check{"pictures", "ok", "drawn by the terminal", ""}
	case f.Getenv("NO_COLOR") != "" || f.Colours == "16":
		return Check{"pictures", "note", "not drawn: there are too few colours here; names and sizes stand instead", "a terminal with 256 colours or more shows them"}
	case t.Graphics:
		return Check{"pictures", "ok", "drawn in half blocks (the terminal knows kitty's graphics, but not the placeholder cells that let them scroll)", ""}
	case f.Unasked != nil:
		return Check{"pictures", "ok", "drawn in half blocks, unless the terminal turns out to draw them itself", ""}
	}
	return Check{"pictures", "ok", "drawn in half blocks: this terminal draws none itself", ""}
}

// kittyLike goes by the variables that kitty and ghostty leave to every program in them.
func kittyLike(getenv func(string) string) bool {
	return getenv("KITTY_WINDOW_ID") != "" || getenv("GHOSTTY_RESOURCES_DIR") != ""
}

// pasteCheck says how a paste arrives.
func pasteCheck(f DoctorFacts) Check {
	switch t := f.Terminal; {
	case t.Events:
		return Check{"paste", "ok", "marked, and pictures come through the terminal too (OSC 5522), also over SSH", ""}
	case t.PasteMarks:
		return Check{"paste", "ok", "marked (bracketed paste)", ""}
	case f.Unasked != nil:
		return Check{"paste", "note", "not asked: " + f.Unasked.Error(), "run espy doctor in the terminal that espy is used in"}
	}
	return Check{"paste", "ok", "the terminal does not say whether it marks pastes; unmarked ones are known by their speed", ""}
}

// copyCheck says where copied text goes.
func copyCheck(f DoctorFacts) Check {
	switch {
	case f.Getenv("TMUX") != "" && f.Tmux == "off":
		return Check{"copying", "note", "into tmux's buffer; it does not hand it on to the terminal's clipboard (set-clipboard is off)", "tmux set -g set-clipboard external"}
	case f.Getenv("TMUX") != "":
		return Check{"copying", "ok", "to the desktop's clipboard, else through tmux, which hands it to the terminal's", ""}
	case overSSH(f.Getenv) && f.Remote:
		return Check{"copying", "ok", "through the terminal (OSC 52), where it allows that", ""}
	}
	return Check{"copying", "ok", "to the desktop's clipboard, else through the terminal (OSC 52)", ""}
}

// clipboardChecks say what each way to the desktop's clipboard answered.
func clipboardChecks(f DoctorFacts) []Check {
	switch {
	case f.Remote && f.Terminal.Events:
		return []Check{{"clipboard", "ok", "on the other side of the SSH connection; the terminal brings it over (OSC 5522)", ""}}
	case f.Remote:
		return []Check{{"clipboard", "note", "on the other side of the SSH connection", "copy the picture here (scp) and use /attach PATH, or use a terminal that carries it (kitty 0.46 or later)"}}
	case len(f.Clipboard) == 0:
		return []Check{{"clipboard", "note", "no desktop session", "use /attach PATH, @picture.png or --attach"}}
	}
	var list []Check
	works := false
	for _, w := range f.Clipboard {
		works = works || w.Err == nil
	}
	for _, w := range f.Clipboard {
		c := Check{"clipboard", "ok", w.Way + " answers; there is " + w.Holds + " on it", ""}
		if w.Err != nil {
			c = Check{"clipboard", "bad", w.Way + ": " + w.Err.Error(), w.Remedy}
			if works {
				c.State = "note" // another way does
			}
		}
		list = append(list, c)
	}
	return list
}
