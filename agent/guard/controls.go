package guard

import (
	"path/filepath"
	"slices"
	"strings"
)

// controlVariables name the socket by which a program speaks to the terminal or multiplexer it runs in. Who may connect
// can type into it, also the answer to a question of espy's own.
var controlVariables = []string{"TMUX", "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET", "ALACRITTY_SOCKET"}

// terminalControls are those sockets, as far as the environment names them: a path, "unix:path", or, of tmux, "path,number,number".
func terminalControls(lookup func(name string) string) []string {
	var sockets []string
	for _, variable := range controlVariables {
		path, _, _ := strings.Cut(strings.TrimPrefix(lookup(variable), "unix:"), ",")
		if !filepath.IsAbs(path) {
			continue // none, or an abstract name, which namespaces close
		}
		if physical, err := filepath.EvalSymlinks(path); err == nil && !slices.Contains(sockets, physical) {
			sockets = append(sockets, physical)
		}
	}
	return sockets
}
