package clipboard

import (
	"context"
	"slices"
	"strings"
)

// toolSource is a program that lists the flavours of the clipboard and prints one: wl-paste and xclip.
type toolSource struct {
	env   Env
	tool  string
	list  []string
	print func(flavour string) []string
	// empty are the program's complaints, by version, when the clipboard is merely empty.
	empty []string
}

func wlPaste(e Env) source {
	return &toolSource{env: e, tool: "wl-paste", list: []string{"--list-types"}, empty: []string{"Nothing is copied", "No selection"},
		print: func(flavour string) []string { return []string{"--no-newline", "--type", flavour} }}
}

// xclip stands in where the X server cannot be reached directly.
func xclip(e Env) source {
	args := []string{"-selection", "clipboard", "-o", "-t"}
	return &toolSource{env: e, tool: "xclip", list: append(args, "TARGETS"), empty: []string{"target TARGETS not available"},
		print: func(flavour string) []string { return append(args, flavour) }}
}

func (s *toolSource) name() string { return s.tool }
func (s *toolSource) close()       {}

func (s *toolSource) offers(ctx context.Context) ([]offer, error) {
	out, err := s.env.run(ctx, nil, s.tool, s.list...)
	if err != nil {
		if slices.ContainsFunc(s.empty, func(words string) bool { return strings.Contains(err.Error(), words) }) {
			return nil, nil
		}
		return nil, err
	}
	if len(out) == 0 {
		return nil, errSilent
	}
	lines := strings.Split(string(out), "\n")
	return recognise(lines[:min(len(lines), maxOffers)]), nil
}

func (s *toolSource) fetch(ctx context.Context, o offer) ([]byte, error) {
	return s.env.run(ctx, nil, s.tool, s.print(o.flavour)...)
}
