// Package config reads espy's settings: the user's config.toml and permissions.toml, then a project's
// config.toml (restricted), then the environment, then flags. Every unknown key, wrong type and bad value is a
// Problem with file, line, column and the nearest valid spelling; what is valid is used all the same. It also
// keeps the small files espy itself writes: remembered permissions, the last model, and trust.
//
// The package imports nothing of espy. The owners of actions, rules, cost rules and modes hand it their
// validators, and main wires them. Nothing here may quote a key or a header's value in a sentence.
package config

import (
	"fmt"
	"strings"
)

// Config is the merged settings. Its zero value is not the default; Load starts from Default.
type Config struct {
	Model       string
	Mode        string
	Providers   map[string]Provider
	Models      []Model
	MCP         map[string]MCPServer // by name
	Tools       Tools
	History     History
	Task        Task
	Permissions Permissions
	UI          UI
	Keys        map[string][]string // action name -> keys

	// Unsafe holds the problems that may have lost a restriction: a fault in mode or in an ask or deny rule.
	// With one of them espy must not start (exit 2).
	Unsafe []Problem
	// Sources says where a value came from: "model" -> "/home/u/.config/espy/config.toml:3".
	Sources map[string]string
	// Digest changes when a file that was read changes; compare it with Fingerprint's.
	Digest string
}

// Provider is a [providers.NAME] table.
type Provider struct {
	Protocol string
	BaseURL  string
	APIKey   string // "${env:NAME}" already expanded
	KeyEnv   string // the NAME it was expanded from
	Headers  map[string]string
	Script   string // protocol "fake": a file of streams to play
}

// Model is a [[models]] table: a row that overrides or adds. Nil fields say nothing.
type Model struct {
	ID            string
	Name          *string
	ImageInput    *string
	Tools         *string
	Thinking      *string
	ContextWindow *int
	MaxOutput     *int
	ImageCost     *string
	Efforts       []string
	Limits        map[string]int64   // column of providers.Limits in snake case -> value
	Price         map[string]float64 // input, output, cache_read, cache_write
	Quirks        map[string]any     // column of providers.Quirks in snake case -> string, bool, int64 or float64
}

// Tools is the [tools] table.
type Tools struct {
	AlwaysLoad   []string // names of tools that are declared from the start; a * at the end stands for anything
	Defer        []string // those that are not, in the same form; AlwaysLoad wins
	PrivateHosts []string // HOST or HOST:PORT that fetch may read although they are not on the public internet
}

// History is the [history] table.
type History struct {
	MaxImages int // 5
	EvictStep int // 5
}

// Task is the [task] table.
type Task struct {
	Model    string            // provider/model, or a name of Models; "" is the session's model
	Models   map[string]string // short name -> provider/model
	MaxTurns int               // 50
	MaxCost  float64           // US dollars; 0 is no bound
}

// Permissions is the [permissions] table.
type Permissions struct {
	Allow, Ask, Deny []string // rules
	Credentials      []string // further names or patterns of credential files
	NotCredentials   []string // names or patterns that are none, whatever the built-in ones say
	Sandbox          string   // auto or off
	Network          string   // ask or allow: whether commands in the sandbox reach a network
}

// UI is the [ui] table.
type UI struct {
	Theme    string // auto, dark, light, high-contrast, none
	Previews string // auto, kitty, blocks, off
	Mouse    bool   // true
	Vim      bool
	Title    bool   // true
	Notify   string // auto, bell, off
}

// Default is what holds where nothing is configured.
func Default() Config {
	return Config{
		Mode:      "ask",
		Providers: map[string]Provider{},
		MCP:       map[string]MCPServer{},
		History:   History{MaxImages: 5, EvictStep: 5},
		Task:      Task{MaxTurns: 50, Models: map[string]string{}},

		Permissions: Permissions{Sandbox: "auto", Network: "ask"},
		UI:          UI{Theme: "auto", Previews: "auto", Mouse: true, Title: true, Notify: "auto"},
		Keys:        map[string][]string{},
		Sources:     map[string]string{},
	}
}

// RuleSource is the key of Sources that says where a rule of a list ("allow", "ask" or "deny") comes from.
func RuleSource(list, rule string) string { return "permissions." + list + " " + rule }

// GivenBy names the flag or the variable that an entry of Sources names, as "--model"; ok is false where it is a file.
func GivenBy(source string) (name string, ok bool) {
	for _, place := range []string{commandLine, environment} {
		if name, ok = strings.CutPrefix(source, place+" "); ok {
			return name, true
		}
	}
	return "", false
}

// Problem is one fault of the settings.
type Problem struct {
	File         string // a path, "environment" or "command line"
	Line, Column int    // from 1, Column in characters; 0 where there is no line
	Key          string // "history.max_images"; "" for a fault of the text itself
	Sentence     string // what was found, what was expected, the nearest spelling
}

// Error is the problem in one line, starting with the place as compilers write it.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Sentence)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Sentence)
}

// OnCommandLine reports whether a flag is at fault, which is bad usage: nothing may run on another choice than
// the one that was asked for.
func (p Problem) OnCommandLine() bool { return p.File == commandLine }
