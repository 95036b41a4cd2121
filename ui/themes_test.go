package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"espy/agent"
	"espy/ui/internal/script"
)

// cells draws a frame in a virtual terminal and writes its cells down: each line as it reads and, where it is styled, a line of
// letters under it that name the styles, which are listed below.
func (d *driver) cells() string {
	d.t.Helper()
	emu := vt.NewEmulator(d.m.width, d.m.height)
	if _, err := emu.WriteString("\x1b[?7l" + strings.ReplaceAll(d.m.View(), "\n", "\r\n")); err != nil {
		d.t.Fatal(err)
	}
	names := map[string]byte{"": ' '}
	var legend, out strings.Builder
	for y := range d.m.height {
		var text, styles strings.Builder
		for x := 0; x < d.m.width; x++ {
			c := emu.CellAt(x, y)
			if c == nil || c.Width == 0 {
				continue
			}
			text.WriteString(max(c.Content, " "))
			style := styleName(c.Style)
			if _, ok := names[style]; !ok {
				names[style] = byte('a' + len(names) - 1)
				fmt.Fprintf(&legend, "%c %s\n", names[style], style)
			}
			styles.WriteString(strings.Repeat(string(names[style]), c.Width))
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
		if s := strings.TrimRight(styles.String(), " "); s != "" {
			out.WriteString("~" + s + "\n")
		}
	}
	if c := d.m.caret; c.Shown {
		fmt.Fprintf(&legend, "cursor at %d,%d\n", c.X, c.Y)
	}
	return out.String() + "\n" + legend.String()
}

func styleName(s uv.Style) string {
	var parts []string
	if s.Fg != nil {
		r, g, b, _ := s.Fg.RGBA()
		parts = append(parts, fmt.Sprintf("fg %02x%02x%02x", r>>8, g>>8, b>>8))
	}
	if s.Bg != nil {
		r, g, b, _ := s.Bg.RGBA()
		parts = append(parts, fmt.Sprintf("bg %02x%02x%02x", r>>8, g>>8, b>>8))
	}
	for _, a := range []struct {
		bit  uint8
		name string
	}{{uv.AttrBold, "bold"}, {uv.AttrFaint, "faint"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}, {uv.AttrStrikethrough, "struck"}} {
		if s.Attrs&a.bit != 0 {
			parts = append(parts, a.name)
		}
	}
	return strings.Join(parts, " ")
}

// themed is a driver in a theme.
func themed(t *testing.T, theme string, w, h int, events ...agent.Event) *driver {
	t.Helper()
	return drive(t, w, h, func(o *Options) {
		o.Theme, o.NoColor = theme, theme == "none"
		o.First.NotAccepted = []string{"AGENTS.md"}
	}, events...)
}

// views are the screens that are drawn in every theme.
func views() map[string]func(t *testing.T, theme string, w, h int) *driver {
	talked := func(t *testing.T, theme string, w, h int) *driver {
		d := themed(t, theme, w, h, conversation())
		d.until("the answer is rendered", func() bool { return allRendered(d) })
		return d
	}
	return map[string]func(t *testing.T, theme string, w, h int) *driver{
		"welcome":      func(t *testing.T, theme string, w, h int) *driver { return themed(t, theme, w, h, script.Opened()) },
		"conversation": talked,
		"picked": func(t *testing.T, theme string, w, h int) *driver {
			d := talked(t, theme, w, h)
			d.key("ctrl+t", "up", "enter")
			return d
		},
		"busy": func(t *testing.T, theme string, w, h int) *driver {
			d := talked(t, theme, w, h)
			busy(d)
			return d
		},
		"question": func(t *testing.T, theme string, w, h int) *driver {
			d := talked(t, theme, w, h)
			busy(d)
			d.push(asks("q1"))
			d.until("the question can be answered", func() bool { return d.m.dialog != nil && d.m.dialog.question.armed })
			return d
		},
		"help": func(t *testing.T, theme string, w, h int) *driver {
			d := talked(t, theme, w, h)
			d.key("f1")
			return d
		},
	}
}

func TestEveryViewInEveryThemeAndSizeIsAsItWasLookedAt(t *testing.T) { themesAndSizes(t, views()) }

func themesAndSizes(t *testing.T, views map[string]func(t *testing.T, theme string, w, h int) *driver) {
	t.Helper()
	for view, open := range views {
		for _, size := range []struct{ w, h int }{{40, 10}, {80, 24}, {120, 40}} {
			plain := ""
			for _, theme := range []string{"none", "dark", "light", "high-contrast"} {
				d := open(t, theme, size.w, size.h)
				d.still()
				compareFile(t, fmt.Sprintf("%s-%dx%d-%s", view, size.w, size.h, theme), d.cells())
				if theme == "none" {
					plain = d.screen()
				} else if got := d.screen(); got != plain {
					t.Errorf("%s at %dx%d says less without colours than in theme %s\ncolours:\n%s\nnone:\n%s", view, size.w, size.h, theme, got, plain)
				}
			}
		}
	}
}

func compareFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "cells", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the cells differ from %s (-update writes them anew)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
