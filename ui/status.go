package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"espy/agent/guard"
)

// statusView is the last line: mode, model and folder on the left; context, cost and session on the right.
// What does not fit is left out, the least needed first.
func (s *session) statusView(width int, t *theme) string {
	if !s.opened {
		return "  " + t.dim.Render(cut("opening…", width-2))
	}
	badge, shown := s.badge(t)
	left := []string{flat(s.route.Name()), s.background(), s.confinement(), shortFolder(s.folder)}
	right := []string{s.context(), s.cost(), shortSession(s.id)}
	for {
		l := "  " + strings.Join(nonEmpty(left), "  ")
		r := strings.Join(nonEmpty(right), " · ") + " "
		room := width - cellsOf(shown) - cellsOf(l) - cellsOf(r)
		if room >= 1 {
			return badge + "  " + t.plain.Render(l[2:]) + strings.Repeat(" ", room) + t.dim.Render(r)
		}
		switch {
		case right[2] != "":
			right[2] = ""
		case len(left) > 2:
			left = left[:len(left)-1]
		case right[1] != "":
			right[1] = ""
		case right[0] != "":
			right[0] = ""
		case len(left) > 1: // what runs is told longest
			left = left[:1]
		default:
			return badge + cut(l, width-cellsOf(shown))
		}
	}
}

func (s *session) badge(t *theme) (drawn, text string) {
	text = " " + string(s.mode) + " "
	if s.onlyRead {
		text = " only read "
	}
	if s.mode == guard.ModeFull {
		return t.alarm.Render(text), text
	}
	return t.badge.Render(text), text
}

// confinement says that commands run in a sandbox; where they do not, doctor says why.
func (s *session) confinement() string {
	if s.sandbox {
		return "sandboxed"
	}
	return ""
}

// context is "12.4k/200k", with the share where it begins to matter.
func (s *session) context() string {
	m := s.meter
	if m.Window <= 0 {
		return thousands(m.Context) + " tok"
	}
	out := thousands(m.Context) + "/" + thousands(m.Window)
	if share := m.Context * 100 / m.Window; share >= 50 {
		out += fmt.Sprintf(" (%d%%)", share)
	}
	return out
}

func (s *session) cost() string {
	if s.meter.Cost == nil {
		return ""
	}
	return fmt.Sprintf("$%.2f", *s.meter.Cost)
}

// thousands is "950", "12.4k", "200k", "1M".
func thousands(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1000), ".0") + "k"
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1_000_000), ".0") + "M"
}

// shortFolder is the folder with the home folder as "~", its last two names where it is long.
func shortFolder(folder string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(folder, home); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			folder = "~" + rest
		}
	}
	folder = flat(folder)
	if cellsOf(folder) > 36 {
		folder = "…/" + filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder)
	}
	return cut(folder, 40)
}

// shortSession is the end of the id: ids sort by time, so their beginnings look alike.
func shortSession(id string) string {
	if len(id) > 6 {
		id = id[len(id)-6:]
	}
	return flat(strings.ToLower(id))
}

func nonEmpty(parts []string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}
