package headless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"espy/agent/guard/sandbox"
	"espy/media/clipboard"
	"espy/providers"
	"espy/providers/discover"
	"espy/ui/input"
	"espy/ui/screen"
)

// Check is one line of `espy doctor`.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, note, bad
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// DoctorFacts are what was found out before: Doctor words it.
type DoctorFacts struct {
	State    string // the state folder
	Problems []string
	Route    providers.Route
	Why      string // how the route was chosen
	Servers  []providers.Server
	Getenv   func(string) string
	Sandbox  string // permissions.sandbox
	Network  string // permissions.network
	Colours  string // how many colours the screen uses here: "16 million"

	Terminal  input.Told // what the terminal answered
	Unasked   error      // why it was not asked; nil where it was
	Columns   int        // of the terminal the diagnosis is printed on; 0 where it is none
	Pictures  bool       // the tmux espy runs in passes pictures on
	Tmux      string     // its set-clipboard: "external", "on", "off"; "" where it is not known
	Clipboard []clipboard.Reached
	Remote    bool // the clipboard is on the other side of an SSH connection
	WSL       bool

	Asked  []discover.Answer
	Silent bool // no server was asked, because the person wants it so

	MCP []MCPServer
}

// Doctor says what works on this machine and terminal, and how to mend what does not. The error, where something keeps
// espy from working well, says how much.
func Doctor(ctx context.Context, f DoctorFacts, out Output) error {
	bad := 0
	for _, c := range checks(ctx, f) {
		mark := map[string]string{"ok": "ok  ", "note": "note", "bad": "BAD "}[c.State]
		printHung(out, fmt.Sprintf("%s  %-14s", mark, c.Name), oneLine(c.Found), f.Columns)
		if c.Remedy != "" {
			printHung(out, fmt.Sprintf("      %-14s →", ""), oneLine(c.Remedy), f.Columns)
		}
		if c.State == "bad" {
			bad++
		}
	}
	switch bad {
	case 0:
		return nil
	case 1:
		return errors.New("one of these keeps espy from working well")
	}
	return fmt.Errorf("%d of these keep espy from working well", bad)
}

func checks(ctx context.Context, f DoctorFacts) []Check {
	list := []Check{{"system", "ok", runtime.GOOS + "/" + runtime.GOARCH, ""}}
	list = append(list, terminalChecks(f)...)
	list = append(list, clipboardChecks(f)...)
	list = append(list,
		programCheck(ctx, "git", "the file list honours .gitignore through it, and commands can be rewound", "install git; without it ignored files are guessed, and what commands change cannot be rewound"),
		programCheck(ctx, "bash", "the shell tool runs it", "install bash; without it commands are judged and run as POSIX sh"),
		stateCheck(f.State),
		sandboxCheck(f.Sandbox, f.Network),
		modelCheck(f),
		keysCheck(f.Servers))
	list = append(list, serverChecks(f)...)
	for _, s := range f.MCP {
		list = append(list, s.check())
	}
	for _, p := range f.Problems {
		list = append(list, Check{"configuration", "bad", p, "mend the file; what is valid in it is used meanwhile"})
	}
	if len(f.Problems) == 0 {
		list = append(list, Check{"configuration", "ok", "no faults", ""})
	}
	return list
}

// printHung prints a text behind its head; further lines stand under the first.
func printHung(out Output, head, text string, columns int) {
	indent := screen.Width(head) + 1
	lines := []string{text}
	if room := columns - indent - 1; columns > 0 && room >= 20 {
		lines = screen.Wrap(text, room)
	}
	fmt.Fprintln(out.Out, head, lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintln(out.Out, strings.Repeat(" ", indent)+line)
	}
}

func modelCheck(f DoctorFacts) Check {
	c := Check{"model", "ok", f.Route.Name() + " (" + f.Why + ")", ""}
	if f.Route.Server.Protocol == "fake" {
		c.State, c.Remedy = "note", "set a provider's key, or add a [providers] table to the configuration; until then the offline model answers"
	}
	return c
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
	var box sandbox.Box
	defer box.Close()
	features := box.Features()
	found := "commands write only to the workspace, temporary folders and tool caches, read no credential folders"
	if features.Files {
		found += " and no untracked .env files, change no git hooks or settings"
	}
	switch {
	case network == "allow":
		found += "; the network is open (permissions.network)"
	case features.Loopback:
		found += ", and have a network of their own that leads nowhere"
	default:
		found += ", and have no network, not even to this machine"
	}
	if features.Why != "" {
		lacking := "servers of tests cannot listen"
		if !features.Files {
			lacking += ", and git hooks and .env files in the workspace are open"
		}
		found += " (" + lacking + ": " + features.Why + ")"
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
