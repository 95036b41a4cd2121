package headless

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"espy/agent/guard/sandbox"
	"espy/providers"
	"espy/providers/discover"
)

// Check is one line of `espy doctor`.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, note, bad
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// DoctorFacts are what only main knows.
type DoctorFacts struct {
	State    string // the state folder
	Problems []string
	Route    providers.Route
	Why      string // how the route was chosen
	Servers  []providers.Server
	Getenv   func(string) string
	Sandbox  string // permissions.sandbox
	Network  string // permissions.network
	Asked    []discover.Answer
}

// Doctor says what works on this machine and terminal, and how to mend what does not. It contacts nobody: servers
// are asked before, where the person wants that.
func Doctor(ctx context.Context, f DoctorFacts, out Output) error {
	bad := 0
	for _, c := range checks(ctx, f) {
		mark := map[string]string{"ok": "ok  ", "note": "note", "bad": "BAD "}[c.State]
		fmt.Fprintf(out.Out, "%s  %-18s %s\n", mark, c.Name, oneLine(c.Found))
		if c.Remedy != "" {
			fmt.Fprintf(out.Out, "      %-18s → %s\n", "", oneLine(c.Remedy))
		}
		if c.State == "bad" {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of these keep espy from working well", bad)
	}
	return nil
}

func checks(ctx context.Context, f DoctorFacts) []Check {
	list := []Check{
		{"system", "ok", runtime.GOOS + "/" + runtime.GOARCH, ""},
		terminalCheck(f.Getenv),
		colourCheck(f.Getenv),
		clipboardCheck(f.Getenv),
		programCheck(ctx, "git", "the file list honours .gitignore through it", "install git; without it ignored files are guessed"),
		programCheck(ctx, "bash", "the shell tool runs it", "install bash; without it commands are judged and run as POSIX sh"),
		stateCheck(f.State),
		sandboxCheck(f.Sandbox, f.Network),
		{"model", "ok", f.Route.Name() + " (" + f.Why + ")", ""},
		keysCheck(f.Servers),
	}
	if f.Route.Server.Protocol == "fake" {
		list[8].State, list[8].Remedy = "note", "set a provider's key, or add a [providers] table to the configuration; until then the offline model answers"
	}
	for _, a := range f.Asked {
		if a.Err != nil {
			list = append(list, Check{"server", "note", answerSentence(a), "start it, or correct its base_url, if it is meant to be there"})
			continue
		}
		list = append(list, Check{"server", "ok", answerSentence(a) + seeing(a), ""})
	}
	for _, p := range f.Problems {
		list = append(list, Check{"configuration", "bad", p, "mend the file; what is valid in it is used meanwhile"})
	}
	return list
}

// seeing counts the models of an answer that see pictures, where the server says so.
func seeing(a discover.Answer) string {
	sees, said := 0, 0
	for _, m := range a.Models {
		switch m.Cells["image_input"] {
		case string(providers.Supported):
			sees, said = sees+1, said+1
		case string(providers.Unsupported):
			said++
		}
	}
	if said == 0 {
		return "; it does not say which of them see pictures"
	}
	return fmt.Sprintf("; %d of them see pictures", sees)
}

func terminalCheck(getenv func(string) string) Check {
	found := "TERM=" + getenv("TERM")
	if getenv("TERM_PROGRAM") != "" {
		found += ", " + getenv("TERM_PROGRAM")
	}
	if getenv("TMUX") != "" {
		found += ", inside tmux"
	}
	if getenv("SSH_CONNECTION") != "" {
		found += ", over SSH"
	}
	if t := getenv("TERM"); t == "" || t == "dumb" {
		return Check{"terminal", "bad", found, "espy's screen needs a terminal that can move its cursor; `espy run` works anywhere"}
	}
	return Check{"terminal", "ok", found, ""}
}

func colourCheck(getenv func(string) string) Check {
	switch {
	case getenv("NO_COLOR") != "":
		return Check{"colours", "note", "off, NO_COLOR is set", "unset NO_COLOR for colours"}
	case strings.Contains(getenv("COLORTERM"), "truecolor"), strings.Contains(getenv("COLORTERM"), "24bit"):
		return Check{"colours", "ok", "16 million", ""}
	case strings.Contains(getenv("TERM"), "256color"):
		return Check{"colours", "ok", "256", ""}
	}
	return Check{"colours", "note", "16 or unknown", "set COLORTERM=truecolor if the terminal shows them all"}
}

// clipboardCheck says which way a paste of a picture takes here.
func clipboardCheck(getenv func(string) string) Check {
	has := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	switch {
	case getenv("WSL_DISTRO_NAME") != "":
		return Check{"clipboard", "ok", "Windows, through powershell.exe", ""}
	case runtime.GOOS == "darwin":
		return Check{"clipboard", "ok", "macOS pasteboard", ""}
	case runtime.GOOS == "windows":
		return Check{"clipboard", "ok", "Windows", ""}
	case getenv("WAYLAND_DISPLAY") != "" && has("wl-paste"):
		return Check{"clipboard", "ok", "Wayland, through wl-paste", ""}
	case getenv("WAYLAND_DISPLAY") != "" && getenv("DISPLAY") == "":
		return Check{"clipboard", "bad", "Wayland, but wl-paste is missing", "install the package wl-clipboard"}
	case getenv("DISPLAY") != "":
		return Check{"clipboard", "ok", "X11, directly", ""}
	case getenv("SSH_CONNECTION") != "":
		return Check{"clipboard", "note", "on the other side of the SSH connection", "copy the picture here and use /attach PATH, or drop its path"}
	}
	return Check{"clipboard", "note", "no desktop session", "use /attach PATH, @picture.png or --attach"}
}

func programCheck(ctx context.Context, name, use, remedy string) Check {
	path, err := exec.LookPath(name)
	if err != nil || ctx.Err() != nil {
		return Check{name, "note", "not found", remedy}
	}
	return Check{name, "ok", path + "; " + use, ""}
}

// stateCheck proves that sessions can be written, by writing.
func stateCheck(dir string) Check {
	probe := filepath.Join(dir, "sessions")
	err := os.MkdirAll(probe, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(probe, ".probe-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return Check{"sessions", "bad", err.Error(), "make the folder writable, or set XDG_STATE_HOME to one that is"}
	}
	return Check{"sessions", "ok", probe, ""}
}

// sandboxCheck says what holds the model's commands, and what does not.
func sandboxCheck(setting, network string) Check {
	missing := sandbox.Missing()
	switch {
	case missing != "":
		return Check{"sandbox", "note", "none: " + missing, "commands run with all your rights; allow fewer of them unasked, or run espy in a container"}
	case setting == "off":
		return Check{"sandbox", "note", "switched off by permissions.sandbox; commands run with all your rights", "set permissions.sandbox to auto"}
	}
	found := "commands write only to the workspace, temporary folders and tool caches, read no credential folders"
	if network == "allow" {
		found += "; the network is open (permissions.network)"
	} else {
		found += ", and have no network"
	}
	return Check{"sandbox", "ok", found + "; not in full mode, and not what docs/security.md lists", ""}
}

func keysCheck(servers []providers.Server) Check {
	var set []string
	for _, s := range servers {
		switch s.KeyFrom {
		case providers.KeyVariable:
			set = append(set, s.KeyEnv)
		case providers.KeyTyped:
			set = append(set, s.Name+" (typed with /key)")
		case providers.KeyConfigured:
			set = append(set, s.Name+" (configuration)")
		}
	}
	if len(set) == 0 {
		return Check{"keys", "note", "none found", "export a provider's key, for example OPENROUTER_API_KEY, or type one with /key"}
	}
	return Check{"keys", "ok", strings.Join(set, ", "), ""}
}
