// Package config reads espy's settings: the user's config.toml, then a project's (restricted), then the
// environment, then flags. Every unknown key, wrong type and bad value is a Problem with file, line, column
// and the nearest valid spelling; what is valid is used all the same.
//
// The package imports nothing of espy. The owners of actions, rules, cost rules and modes hand it their
// validators, and main wires them.
package config

// Config is the merged settings.
type Config struct {
	Model       string
	Mode        string
	Providers   map[string]Provider
	Models      []Model
	Tools       Tools
	History     History
	Permissions Permissions
	UI          UI
	Keys        map[string][]string // action name -> keys
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
	Quirks        map[string]any     // column of providers.Quirks in snake case -> value
}

// Tools is the [tools] table.
type Tools struct{ AlwaysLoad []string }

// History is the [history] table.
type History struct {
	MaxImages int // 5
	EvictStep int // 5
}

// Permissions is the [permissions] table.
type Permissions struct{ Allow, Ask, Deny []string }

// UI is the [ui] table.
type UI struct {
	Theme    string // auto, dark, light, high-contrast, none
	Previews string // auto, kitty, blocks, off
	Mouse    bool   // true
	Vim      bool
}

// Problem is one fault of a settings file.
type Problem struct {
	File         string
	Line, Column int
	Key          string
	Sentence     string // what was found, what was expected, the nearest spelling
}

func (p Problem) Error() string { panic("placeholder") }
