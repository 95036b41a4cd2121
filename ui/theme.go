package ui

import (
	"fmt"
	"image/color"
	"io"
	"strconv"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"espy/ui/markdown"
)

// theme is every style of the screen. A region takes its looks from here and nowhere else.
type theme struct {
	name     string // dark, light, high-contrast or none
	markdown markdown.Theme

	plain  lipgloss.Style
	strong lipgloss.Style
	dim    lipgloss.Style // what is read second: summaries, hints
	faint  lipgloss.Style // what is hardly read: rules, separators
	accent lipgloss.Style // names of things that run, the cursor's neighbours
	person lipgloss.Style // the bar beside what the person wrote
	ok     lipgloss.Style
	warn   lipgloss.Style
	bad    lipgloss.Style

	chip     lipgloss.Style // a picture on the row, a folded paste
	selected lipgloss.Style // what the keys act on
	match    lipgloss.Style // letters a filter found
	found    lipgloss.Style // words a search found
	alarm    lipgloss.Style // mode full
	badge    lipgloss.Style // the other modes
}

// palette is the colours of a theme; an empty one stays the terminal's own.
type palette struct {
	dim, faint, accent, person, ok, warn, bad, back, on string
}

func palettes(name string) palette {
	switch name {
	case "light":
		return palette{dim: "#5f6773", faint: "#aab1bd", accent: "#1f6f8b", person: "#8a5a00", ok: "#3a7a2a",
			warn: "#8a5a00", bad: "#b3243b", back: "#dfe5ee", on: "#1b1f26"}
	case "high-contrast":
		return palette{dim: "7", faint: "7", accent: "14", person: "11", ok: "10", warn: "11", bad: "9", back: "", on: ""}
	case "none":
		return palette{}
	}
	return palette{dim: "#8b93a1", faint: "#4f5765", accent: "#7fb4ca", person: "#e0b675", ok: "#98bb6c",
		warn: "#e0b675", bad: "#e8707f", back: "#2f3643", on: "#eef1f6"}
}

// sixteen are the colours of a terminal that has no more: the nearest of them to a grey may be a dark blue. What is read
// second is faint there.
var sixteen = palette{accent: "6", person: "3", ok: "2", warn: "3", bad: "1"}

// in256 are the nearest of a terminal's 256 colours, by their numbers. They are looked for here because termenv, which
// weighs hues, takes a black for both reds.
func (p palette) in256() palette {
	for _, c := range []*string{&p.dim, &p.faint, &p.accent, &p.person, &p.ok, &p.warn, &p.bad, &p.back, &p.on} {
		var red, green, blue uint8
		if n, _ := fmt.Sscanf(*c, "#%02x%02x%02x", &red, &green, &blue); n == 3 {
			*c = strconv.Itoa(nearest256(color.RGBA{R: red, G: green, B: blue}))
		}
	}
	return p
}

// newTheme makes the styles. Theme "none" keeps bold, faint and reverse: they carry what colour would.
func newTheme(name string, dark, noColor bool, profile termenv.Profile) *theme {
	switch {
	case noColor:
		name = "none"
	case name == "auto" || name == "":
		name = "light"
		if dark {
			name = "dark"
		}
	}
	if name == "none" || profile == termenv.Ascii {
		name, profile = "none", termenv.ANSI
	}
	colours := palettes(name)
	if profile == termenv.ANSI && (name == "dark" || name == "light") {
		colours = sixteen
	}
	if profile == termenv.ANSI256 {
		colours = colours.in256()
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(name != "light")
	t := themeFrom(name, colours, r.NewStyle)
	if colours == sixteen {
		t.markdown = markdown.Sixteen()
	}
	return t
}

func themeFrom(name string, p palette, style func() lipgloss.Style) *theme {
	colour := func(c string) lipgloss.Style {
		if c == "" {
			return style()
		}
		return style().Foreground(lipgloss.Color(c))
	}
	t := &theme{name: name, markdown: markdownTheme(name), plain: style(), strong: style().Bold(true),
		dim: colour(p.dim), faint: colour(p.faint), accent: colour(p.accent), person: colour(p.person),
		ok: colour(p.ok), warn: colour(p.warn), bad: colour(p.bad),
		chip: colour(p.accent), match: colour(p.accent).Bold(true),
		found: colour(p.warn).Reverse(true).Bold(true), alarm: colour(p.bad).Bold(true).Reverse(true), badge: colour(p.accent).Reverse(true)}
	t.selected = style().Reverse(true)
	if p.back != "" {
		t.selected = style().Background(lipgloss.Color(p.back)).Foreground(lipgloss.Color(p.on)).Bold(true)
	}
	if p.dim == "" {
		t.dim, t.faint = style().Faint(true), style().Faint(true)
	}
	if name == "none" {
		t.bad, t.warn = style().Bold(true), style().Bold(true)
	}
	return t
}

func markdownTheme(name string) markdown.Theme {
	switch name {
	case "light":
		return markdown.Light()
	case "high-contrast":
		return markdown.HighContrast()
	case "none":
		return markdown.None()
	}
	return markdown.Dark()
}
