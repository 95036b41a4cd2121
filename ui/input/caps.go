package input

import (
	"slices"
	"strconv"
	"strings"
)

// Shade is what is known of the terminal's background.
type Shade int

// Shades of a background.
const (
	UnknownShade Shade = iota
	Dark
	Light
)

// Caps is what the terminal has told of itself. The zero value knows nothing; each answer adds to it.
type Caps struct {
	Shade        Shade
	Name         string // lower case, for example "kitty", "xterm", "ghostty", "tmux"; "" while unknown
	Version      string // as the terminal writes it, for example "0.46.2"
	Placeholders bool   // draws pictures in Unicode placeholder cells
	Frames       bool   // takes whole frames (mode 2026)
	Events       bool   // sends clipboard events (mode 5522)
	Sixel        bool
	KittyKeys    bool // speaks kitty's keyboard protocol
	Done         bool // every question was answered
}

// With returns c with what reply tells added. Answers that tell nothing leave it as it is.
func (c Caps) With(reply ReplyMsg) Caps {
	switch reply.Kind {
	case Background:
		c.Shade = shade(reply.Data)
	case Version:
		c.Name, c.Version = nameVersion(reply.Data)
		c.Placeholders = placeholders(c.Name, c.Version)
	case Mode:
		c = c.withMode(reply.Data)
	case Keyboard:
		c.KittyKeys = true
	case Device:
		c.Sixel = slices.Contains(strings.Split(reply.Data, ";"), "4")
		c.Done = true
	}
	return c
}

// withMode reads "mode;state". State 1 is set, 2 can be set, 3 and 4 are fixed, 0 is unknown.
func (c Caps) withMode(data string) Caps {
	mode, state, _ := strings.Cut(data, ";")
	can := state == "1" || state == "2"
	switch mode {
	case "2026":
		c.Frames = can
	case "5522":
		c.Events = can
	}
	return c
}

// nameVersion splits "kitty(0.46.2)", "XTerm(379)", "tmux 3.3a", "ghostty 1.2.0" and the like.
func nameVersion(s string) (name, version string) {
	name, version, _ = strings.Cut(s, "(")
	if version == "" {
		name, version, _ = strings.Cut(strings.TrimSpace(s), " ")
	}
	version, _, _ = strings.Cut(version, ")")
	return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(version)
}

// placeholders goes by name: a terminal that answers the graphics question alone may not draw them (konsole answers OK).
// kitty does since 0.28, ghostty since its first release.
func placeholders(name, version string) bool {
	switch name {
	case "kitty":
		parts := strings.SplitN(version+"..", ".", 3)
		major, _ := strconv.Atoi(parts[0])
		minor, _ := strconv.Atoi(parts[1])
		return major > 0 || minor >= 28
	case "ghostty":
		return true
	}
	return false
}

// shade judges "rgb:RRRR/GGGG/BBBB", "rgba:…" or "#RRGGBB" by how bright people see it (ITU-R BT.601 weights).
func shade(s string) Shade {
	parts := strings.Split(hexTriple(s), "/")
	if len(parts) < 3 {
		return UnknownShade
	}
	bright := 0.0
	for i, weight := range [...]float64{0.299, 0.587, 0.114} {
		p := parts[i]
		v, err := strconv.ParseUint(p, 16, 32)
		if err != nil || len(p) > 4 {
			return UnknownShade
		}
		bright += weight * float64(v) / float64(uint64(1)<<(4*len(p))-1)
	}
	if bright > 0.5 {
		return Light
	}
	return Dark
}

func hexTriple(s string) string {
	if rest, ok := strings.CutPrefix(s, "#"); ok && len(rest)%3 == 0 && rest != "" {
		n := len(rest) / 3
		return rest[:n] + "/" + rest[n:2*n] + "/" + rest[2*n:]
	}
	if _, rest, ok := strings.Cut(s, ":"); ok && strings.HasPrefix(s, "rgb") {
		return rest
	}
	return ""
}
