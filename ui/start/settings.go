// Package start puts espy together for either face: settings, the book of routes, the store, and, for one
// folder, a session with its guard, tools and loop. main adds flags and a face.
//
// Contract: nothing is contacted and nothing is written here before the person does something worth keeping.
// A folder's own files are read only to be shown until the person accepted them. The package wires; it must
// not decide what a room decides.
package start

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/tools"
	"espy/config"
	"espy/media"
	"espy/providers"
	"espy/store"
	"espy/ui"
	"espy/ui/input"
)

// Flags are what the command line said.
type Flags struct {
	Folder  string // "" is the current folder
	Model   string
	Mode    string
	Allow   []string
	Accept  bool   // accept the workspace as it is now
	Trace   string // a file that requests and answers are written to; "" writes none
	Reports bool   // nothing runs, only a report is made: faults that keep a session from starting do not stop it
}

// Settings are what holds before a session is opened.
type Settings struct {
	Version   string
	flags     Flags
	Folder    string // the workspace, absolute
	Dirs      config.Dirs
	Config    config.Config
	Problems  []string // faults of the settings, a sentence each
	Book      *providers.Book
	Store     *store.Store
	Trust     *config.Trust
	Secrets   *guard.Secrets
	Workspace guard.Workspace // what the folder brings along
	Accepted  bool            // it was accepted as it is, or brings nothing along
	Allow     []guard.Rule
	Extras    extend.Set // tools, skills, commands and hooks declared in files
	Client    *providers.Client
	Trace     *providers.Trace // nil writes none
	Gate      *media.Gate

	plain  *guard.Secrets   // Secrets without what the settings add: the workspace's own files are read with them
	files  []extend.File    // what Extras was parsed from
	holds  bool             // what the workspace's .espy declares is in force, for it was accepted as it is
	lapsed []extend.Hook    // of a workspace whose .espy was in force and changed
	faults []config.Problem // of Config, those of the environment left out

	rules sync.Mutex // guards the lists of rules in Config, which answers and /permissions change
	asker asker
}

// UsageError is bad usage or configuration: exit code 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Load reads the settings for a folder.
func Load(ctx context.Context, version string, f Flags) (*Settings, error) {
	folder, err := workspace(f.Folder)
	if err != nil {
		return nil, err
	}
	dirs, err := config.FindDirs(os.LookupEnv)
	if err != nil {
		return nil, &UsageError{err}
	}
	home, _ := os.UserHomeDir()
	s := &Settings{Version: version, flags: f, Folder: folder, Dirs: dirs, Store: store.Open(dirs.State), Trust: config.OpenTrust(dirs),
		Client: providers.NewClient(providers.Timeouts{}), Gate: media.NewGate()}
	secrets := guard.SecretOptions{Home: home, Own: []string{dirs.Config, dirs.State}, Getenv: os.Getenv}
	s.Secrets = guard.NewSecrets(secrets)
	s.plain = s.Secrets
	if err := s.readWorkspace(ctx, f.Accept); err != nil {
		return nil, err
	}
	s.readExtras() // before the settings: their rules may name declared tools
	var problems []config.Problem
	s.Config, problems = config.Load(s.configOptions())
	s.faults = problems
	for _, p := range problems {
		if p.OnCommandLine() {
			return nil, usage("%s", p.Sentence)
		}
		s.Problems = append(s.Problems, p.Error())
	}
	for _, fault := range ui.KeyFaults(s.Config.Keys) {
		s.Problems = append(s.Problems, fmt.Sprintf("%s: [keys] %s", s.Config.Sources["keys."+fault.Action], fault.Sentence))
	}
	if len(s.Config.Unsafe) > 0 && !f.Reports {
		return nil, usage("a fault in the settings may have lost a restriction, so espy does not start: %s", s.Config.Unsafe[0].Error())
	}
	secrets.Add, secrets.Exempt = s.Config.Permissions.Credentials, s.Config.Permissions.NotCredentials
	s.Secrets = guard.NewSecrets(secrets)
	for _, text := range f.Allow {
		rule, err := guard.ParseRule(text, s.toolNames()...)
		if err != nil {
			return nil, usage("--allow: %w", err)
		}
		s.Allow = append(s.Allow, rule)
	}
	s.Problems = append(s.Problems, s.strayServers()...)
	s.makeBook()
	if f.Trace != "" {
		if err := s.startTrace(f.Trace); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// configOptions say how the settings are read.
func (s *Settings) configOptions() config.Options {
	return config.Options{Dirs: s.Dirs, Workspace: s.Folder, Accepted: s.holds, Model: s.flags.Model, Mode: s.flags.Mode,
		Validators: validators(s.toolNames()), Project: s.projectSettings}
}

// projectSettings are the folder's own settings as they were shown: what was accepted is what is used.
func (s *Settings) projectSettings() ([]byte, error) {
	for _, f := range s.Workspace.Files {
		if f.Display != filepath.ToSlash(config.ProjectFile()) {
			continue
		}
		if f.Truncated {
			return nil, fmt.Errorf("it is larger than %d KiB", len(f.Data)>>10)
		}
		return f.Data, nil
	}
	return nil, nil
}

func workspace(folder string) (string, error) {
	if folder == "" {
		folder = "."
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", &UsageError{err}
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", usage("%s does not exist; name a folder to work in", folder)
	case err != nil:
		return "", &UsageError{err}
	case !info.IsDir():
		return "", usage("%s is a file; name the folder to work in, and attach pictures with --attach", folder)
	}
	return abs, nil
}

// readWorkspace reads what the folder brings along and whether the person accepted exactly that.
func (s *Settings) readWorkspace(ctx context.Context, accept bool) error {
	found, err := guard.WorkspaceFiles(ctx, s.Folder, s.Secrets)
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
		return nil
	}
	s.Workspace = found
	s.Problems = append(s.Problems, found.Problems...)
	if accept {
		if err := s.Trust.Accept(ctx, s.Folder, found.Digest); err != nil {
			return err
		}
	}
	trusted, err := s.Trust.Workspace(s.Folder)
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	s.Accepted = found.Digest == "" || err == nil && trusted.Digest == found.Digest
	s.holds = s.Accepted
	return nil
}

// readExtras reads what the person's own folder declares, and the workspace's once it was accepted: from the very
// bytes that were shown.
func (s *Settings) readExtras() {
	files, problems := extend.ReadDir(s.Dirs.Config)
	s.Problems = append(s.Problems, problems...)
	s.files = append(files, s.projectFiles()...)
	s.Extras = parsed(s.files)
	s.Problems = append(s.Problems, s.Extras.Problems...)
}

// parsed is what files declare, less the commands that espy has itself.
func parsed(files []extend.File) extend.Set {
	set := extend.Parse(files)
	set.Reserve(ui.CommandNames())
	return set
}

// projectFiles are the declaring files of the workspace, where they are in force.
func (s *Settings) projectFiles() (files []extend.File) {
	if !s.holds {
		return nil
	}
	for _, f := range s.Workspace.Files {
		if !f.Instruction && !f.Truncated && extend.Declares(f.Abs) {
			files = append(files, extend.File{Path: f.Display, Project: true, Data: f.Data})
		}
	}
	return files
}

// hooks are those of a session: what is declared, and what of a changed workspace still has calls ask.
func (s *Settings) hooks() []extend.Hook { return append(slices.Clone(s.Extras.Hooks), s.lapsed...) }

// NotAccepted names what lies in the folder and is inert until the person accepts it.
func (s *Settings) NotAccepted() []string {
	if s.Accepted {
		return nil
	}
	var names []string
	for _, f := range s.Workspace.Files {
		names = append(names, f.Display)
	}
	return names
}

func (s *Settings) makeBook() {
	opt := providers.BookOptions{Getenv: os.Getenv, Keys: s.keptKeys()}
	for name, p := range s.Config.Providers {
		opt.Servers = append(opt.Servers, providers.Server{Name: name, Protocol: p.Protocol, BaseURL: p.BaseURL, Key: p.APIKey, KeyEnv: p.KeyEnv, Headers: p.Headers, Script: p.Script})
	}
	for _, m := range s.Config.Models {
		opt.Models = append(opt.Models, providers.ModelCells{Name: m.ID, Cells: cells(m)})
	}
	book, faults := providers.NewBook(opt)
	s.Book = book
	for _, f := range faults {
		s.Problems = append(s.Problems, f.Error())
	}
}

// cells are the columns a [[models]] table sets.
func cells(m config.Model) providers.Cells {
	c := make(providers.Cells)
	put := func(name string, set bool, value func() any) {
		if set {
			c[name] = value()
		}
	}
	put("name", m.Name != nil, func() any { return *m.Name })
	put("image_input", m.ImageInput != nil, func() any { return *m.ImageInput })
	put("tools", m.Tools != nil, func() any { return *m.Tools })
	put("thinking", m.Thinking != nil, func() any { return *m.Thinking })
	put("context_window", m.ContextWindow != nil, func() any { return *m.ContextWindow })
	put("max_output", m.MaxOutput != nil, func() any { return *m.MaxOutput })
	put("image_cost", m.ImageCost != nil, func() any { return *m.ImageCost })
	put("efforts", len(m.Efforts) > 0, func() any { return m.Efforts })
	for k, v := range m.Limits {
		c["limits."+k] = v
	}
	for k, v := range m.Price {
		c["price."+k] = v
	}
	for k, v := range m.Quirks {
		c["quirks."+k] = v
	}
	return c
}

// keptKeys are the keys that were typed into espy.
func (s *Settings) keptKeys() map[string]providers.KeptKey {
	kept, err := config.Keys(s.Dirs)
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	keys := make(map[string]providers.KeptKey, len(kept))
	for name, k := range kept {
		keys[name] = providers.KeptKey{Key: k.Key, Host: k.Host}
	}
	return keys
}

// Choose is the route for a new session and how it was chosen.
func (s *Settings) Choose() (providers.Route, string, error) {
	configured, last := s.Config.Model, config.Choice(s.Dirs)
	if s.Config.Sources["model"] == "" {
		configured = "" // the last choice, which Load fills in
	}
	route, why, err := s.Book.Choose(configured, last)
	if err != nil {
		return route, why, &UsageError{err}
	}
	if name, given := config.GivenBy(s.Config.Sources["model"]); given && configured != "" {
		why = name
	}
	return route, why, nil
}

func (s *Settings) toolNames() []string {
	names := []string{guard.OutsideTool} // no tool of its own, but a name in rules
	for _, t := range s.tools() {
		names = append(names, t.Spec.Name)
	}
	return names
}

// tools are those of every session: built-in ones first, then what files declare.
func (s *Settings) tools() []tools.Tool {
	all := append(tools.Builtin(), tools.Task(taskModels(s)...), extend.Fetch(extend.FetchOptions{PrivateHosts: s.Config.Tools.PrivateHosts}))
	return append(all, s.Extras.Tools...)
}

// registry holds the tools of one session.
func (s *Settings) registry() *tools.Registry {
	r := tools.New(s.tools()...)
	r.Prefer(s.preferences())
	return r
}

// validators are the checks that the owners of names lend to the settings.
func validators(toolNames []string) map[string]config.Validator {
	var modes []string
	for _, m := range guard.Modes() {
		modes = append(modes, string(m))
	}
	return map[string]config.Validator{
		config.CheckMode:     {Names: modes},
		config.CheckTool:     {Check: toolPattern(toolNames)},
		config.CheckRule:     {Check: func(text string) error { _, err := guard.ParseRule(text, toolNames...); return err }},
		config.CheckCostRule: {Names: media.Costs().Names()},
		config.CheckAction:   {Names: ui.Actions()},
		config.CheckKey:      {Check: checkKey},
		config.CheckLimit:    {Names: columnsOf("limits.")},
		config.CheckQuirk:    {Names: columnsOf("quirks."), Value: providers.CheckQuirk},
	}
}

// checkKey judges a key of [keys].
func checkKey(text string) error {
	_, err := input.Canonical(text)
	if err == nil {
		return nil
	}
	_, how, _ := strings.Cut(err.Error(), ": ") // the sentence around it names the key
	return errors.New(how)
}

// toolPattern judges a name of [tools] by the tools that are known when the settings are read. Those of servers are
// judged when the server is there.
func toolPattern(names []string) func(string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == guard.OutsideTool })
	return func(pattern string) error {
		if strings.HasPrefix(pattern, tools.ServerTools) || slices.ContainsFunc(names, func(n string) bool { return tools.Fits(pattern, n) }) {
			return nil
		}
		if near := tools.NearestOf(pattern, names); near != "" {
			return fmt.Errorf("did you mean %q?", near)
		}
		return fmt.Errorf("there are %s", strings.Join(names, ", "))
	}
}

// columnsOf lists the columns of one table of a model row.
func columnsOf(table string) []string {
	var names []string
	for _, c := range providers.Columns() {
		if name, ok := strings.CutPrefix(c, table); ok {
			names = append(names, name)
		}
	}
	return names
}
