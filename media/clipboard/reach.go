package clipboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Reached is how one way to the clipboard answered when it was asked what is there.
type Reached struct {
	Way    string // "X11", "wl-paste"
	Holds  string // "a picture", "files", "text", "nothing that can be pasted"; "" where Err is set
	Err    error
	Remedy string // what would help, where something is known
}

// Reach asks every way that this machine and session have to the clipboard what is there, without fetching any of
// it. Each is given as long as a paste would give it. No way at all is an empty list; Remote is why that is so over
// SSH.
func Reach(ctx context.Context, env Env) (ways []Reached, remote bool) {
	env = env.withDefaults()
	if env.isRemote() {
		return nil, true
	}
	r := reader{env: env}
	for _, way := range env.ways() {
		list, err := r.list(ctx, way)
		ways = append(ways, Reached{Way: way.name(), Holds: holds(list), Err: err, Remedy: env.cure(way, err)})
		way.close()
	}
	return ways, false
}

func holds(list []offer) string {
	words := map[kind]string{kindFiles: "files", kindImage: "a picture", kindText: "text"}
	best := kind(0)
	for _, o := range list {
		if best == 0 || o.kind < best {
			best = o.kind
		}
	}
	if best == 0 {
		return "nothing that can be pasted"
	}
	return words[best]
}

// cure is what would help a way that did not answer.
func (e Env) cure(way source, err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "the program that owns the clipboard does not answer: copy something anew"
	case errors.Is(err, errNotInstalled):
		if words := strings.TrimSuffix(e.remedy([]string{way.name()}), "; "); words != "" {
			return words
		}
		return "install " + way.name()
	case way.name() == "wl-paste":
		return fmt.Sprintf("check WAYLAND_DISPLAY (%.40q) and XDG_RUNTIME_DIR (%.60q): they must name the running compositor", e.Getenv("WAYLAND_DISPLAY"), e.Getenv("XDG_RUNTIME_DIR"))
	case way.name() == "X11", way.name() == "xclip":
		return fmt.Sprintf("check DISPLAY (%.40q) and XAUTHORITY", e.Getenv("DISPLAY"))
	}
	return ""
}

// IsWSL reports whether this Linux runs inside Windows.
func IsWSL(env Env) bool { return env.withDefaults().isWSL() }
