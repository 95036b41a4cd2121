package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Dirs are espy's own folders of this user, absolute.
type Dirs struct {
	Config string // config.toml, permissions.toml, tools, skills, extensions, commands
	State  string // sessions, trust, prompt history, logs
}

// FindDirs follows the XDG base directories, also on macOS: $XDG_CONFIG_HOME/espy and $XDG_STATE_HOME/espy, else
// ~/.config/espy and ~/.local/state/espy; on Windows, where those are not set, %AppData%\espy and
// %LocalAppData%\espy. A relative value is an error: it would put sessions and keys into whatever folder espy was
// started in, and passing it over would put them where nobody looks. Nothing is made.
func FindDirs(env func(string) (string, bool)) (Dirs, error) {
	if env == nil {
		env = os.LookupEnv
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if dir, ok := env(name); ok && dir != "" && !filepath.IsAbs(dir) && (name != "HOME" || runtime.GOOS != "windows") {
			return Dirs{}, fmt.Errorf("%s is %q, which is no absolute path; espy keeps its settings and sessions there, so set it to a whole path", name, dir)
		}
	}
	home, homeErr := os.UserHomeDir()
	if set, ok := env("HOME"); ok && filepath.IsAbs(set) {
		home, homeErr = set, nil
	}
	pick := func(xdg, windows string, below ...string) string {
		for _, name := range []string{xdg, windows} {
			if dir, ok := env(name); ok && name != "" && filepath.IsAbs(dir) {
				return filepath.Join(dir, "espy")
			}
		}
		return filepath.Join(append(append([]string{home}, below...), "espy")...)
	}
	appData, localAppData := "", ""
	if runtime.GOOS == "windows" {
		appData, localAppData = "AppData", "LocalAppData"
	}
	dirs := Dirs{
		Config: pick("XDG_CONFIG_HOME", appData, ".config"),
		State:  pick("XDG_STATE_HOME", localAppData, ".local", "state"),
	}
	if homeErr != nil && !(filepath.IsAbs(dirs.Config) && filepath.IsAbs(dirs.State)) {
		return Dirs{}, homeErr
	}
	return dirs, nil
}

// ConfigFile is the user's settings file.
func (d Dirs) ConfigFile() string { return filepath.Join(d.Config, configName) }

// PermissionsFile holds the rules saved by answering "always". espy writes it whole; config.toml is never written.
func (d Dirs) PermissionsFile() string { return filepath.Join(d.Config, permissionsName) }

// TrustFile holds accepted workspaces and trusted paths.
func (d Dirs) TrustFile() string { return filepath.Join(d.State, trustName) }

// ProjectFile is a project's settings file, relative to the workspace.
func ProjectFile() string { return filepath.Join(projectDir, configName) }
