// Package guard decides what may happen. Every tool call passes Guard.Decide, and every file a tool reads or
// writes is opened through Roots, which holds os.Root handles: containment is the operating system's, not a
// string check. Nothing a repository, a web page or a tool's output contains can widen what is allowed.
//
// The package defines effects, modes, rules and roots and knows no tool: a tool describes what a call would
// do as an Effect. It must not know a model, a picture or a screen.
package guard

import (
	"slices"
	"sync"

	"espy/agent/guard/sandbox"
)

// Mode is how much runs unasked.
type Mode string

const (
	ModePlan Mode = "plan" // reads only
	ModeAsk  Mode = "ask"  // reads run, everything else asks; the default
	ModeAuto Mode = "auto" // edits inside the workspace and allowed commands run
	ModeFull Mode = "full" // nothing asks; deny rules still hold
)

// Modes lists the modes from the narrowest to the widest.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeAuto, ModeFull} }

// WiderThan reports whether a mode lets more run unasked than another. Unknown modes are the widest, so that
// comparing with them never widens.
func (m Mode) WiderThan(other Mode) bool {
	width := func(m Mode) int {
		if i := slices.Index(Modes(), m); i >= 0 {
			return i
		}
		return len(Modes())
	}
	return width(m) > width(other)
}

// Kind is what sort of effect a call has.
type Kind string

const (
	KindRead  Kind = "read"  // looks at files
	KindWrite Kind = "write" // changes files
	KindExec  Kind = "exec"  // runs a command, or has a program that runs already do something
	KindNet   Kind = "net"   // talks to a host
	KindNone  Kind = "none"  // touches nothing outside espy
	KindPlan  Kind = "plan"  // shows a plan, to leave plan mode
)

// Effect is what a call would do, as its tool describes it before it runs.
type Effect struct {
	Tool       string
	Kind       Kind
	Paths      []string // as the model wrote them; resolved by Roots. KindExec: the folder it runs in, if not the workspace
	Command    string   // KindExec: the exact text the shell gets; "" where a server's program is asked
	Host       string   // KindNet
	Outside    bool     // KindExec: runs outside the sandbox, where there is one
	Background bool     // KindExec: goes on while the conversation does
	Summary    string   // a few words: "write docs/plan.md"
	Preview    string   // exactly what will be done: the command, or the diff of an edit
	Diff       bool     // Preview is a unified diff
}

// Verdict is the guard's answer.
type Verdict string

const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Decision is a verdict with its reason, a sentence for the person and, when denied, for the model.
type Decision struct {
	Verdict Verdict
	Reason  string
	Rule    string   // the rule that decided, as written; "" where the mode did
	Offer   []string // rules that "always" would save, narrowest first; empty where "always" is not offered
	Opening Opening  // set where the question is whether a path outside may be opened
}

// Choice is a person's answer to a question.
type Choice string

const (
	ChoiceOnce    Choice = "once"
	ChoiceSession Choice = "session" // Offer[0] holds, or the Opening's path is open, until espy ends
	ChoiceAlways  Choice = "always"  // Offer[0] is saved in the user's configuration, or the Opening's folder is trusted
	ChoiceDeny    Choice = "deny"
)

// Options is what a Guard is made of.
type Options struct {
	Mode  Mode // "" is ModeAsk
	Roots *Roots
	Rules []SourcedRule // `allow` rules of a project are left out: a project only tightens
	Posix bool          // commands run in a POSIX sh, not in bash

	Sandboxing Sandboxing
}

// Guard decides. It is safe for use from several goroutines.
type Guard struct {
	roots      *Roots
	posix      bool
	sandboxing Sandboxing
	box        sandbox.Box

	mu    sync.RWMutex
	mode  Mode
	rules []SourcedRule
	taint string // where untrusted output came from since the person last spoke, or ""
}

// New makes a guard. From then on the deny rules for reading hold for every file its Roots open.
func New(o Options) *Guard {
	g := &Guard{roots: o.Roots, posix: o.Posix, sandboxing: o.Sandboxing, mode: o.Mode}
	if g.mode == "" {
		g.mode = ModeAsk
	}
	for _, r := range o.Rules {
		if r.Source != SourceProject || r.Verdict != Allow {
			g.rules = append(g.rules, r)
		}
	}
	g.tellRoots()
	return g
}

// Mode is the mode in force.
func (g *Guard) Mode() Mode {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.mode
}

// SetMode changes the mode from the next decision on. Unknown modes become ModeAsk.
func (g *Guard) SetMode(m Mode) {
	if !slices.Contains(Modes(), m) {
		m = ModeAsk
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode = m
}

// Add puts a rule in force; one that is there already is not doubled. Allow rules of a project are ignored.
func (g *Guard) Add(r SourcedRule) {
	if r.Source == SourceProject && r.Verdict == Allow {
		return
	}
	g.mu.Lock()
	if !slices.Contains(g.rules, r) {
		g.rules = append(g.rules, r)
	}
	g.mu.Unlock()
	g.tellRoots()
}

// AddSession allows what a rule matches until espy ends.
func (g *Guard) AddSession(r Rule) {
	g.Add(SourcedRule{Rule: r, Verdict: Allow, Source: SourceSession})
}

// Reset puts these rules in the place of all but those that hold for the session, and reports whether that changed any.
func (g *Guard) Reset(rules []SourcedRule) (changed bool) {
	g.mu.Lock()
	var now []SourcedRule
	for _, r := range rules {
		if (r.Source != SourceProject || r.Verdict != Allow) && !slices.Contains(now, r) {
			now = append(now, r)
		}
	}
	for _, r := range g.rules {
		if r.Source == SourceSession && !slices.Contains(now, r) {
			now = append(now, r)
		}
	}
	missing := func(from, in []SourcedRule) bool {
		return slices.ContainsFunc(from, func(r SourcedRule) bool { return !slices.Contains(in, r) })
	}
	changed = missing(now, g.rules) || missing(g.rules, now)
	g.rules = now
	g.mu.Unlock()
	g.tellRoots()
	return changed
}

// Remove takes a rule back and reports whether it was there.
func (g *Guard) Remove(r SourcedRule) bool {
	g.mu.Lock()
	before := len(g.rules)
	g.rules = slices.DeleteFunc(g.rules, func(x SourcedRule) bool { return x == r })
	found := len(g.rules) < before
	g.mu.Unlock()
	g.tellRoots()
	return found
}

// Rules lists the rules in force in the order they are asked: deny, ask, allow.
func (g *Guard) Rules() []SourcedRule {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var list []SourcedRule
	for _, verdict := range []Verdict{Deny, Ask, Allow} {
		for _, r := range g.rules {
			if r.Verdict == verdict {
				list = append(list, r)
			}
		}
	}
	return list
}

// tellRoots hands the deny rules for reading to the roots.
func (g *Guard) tellRoots() {
	if g.roots == nil {
		return
	}
	d := &denyReads{}
	for _, r := range g.Rules() {
		if r.Verdict == Deny && r.Rule.Tool == "read" && r.Rule.Pattern != "" {
			d.rules = append(d.rules, r.Rule)
		}
	}
	g.roots.denied.Store(d)
}

// Taint says that output nobody vouches for (a web page, an MCP server, a picture's text) reached the model.
// Until the person speaks again, commands and requests to hosts ask unless an allow rule covers them.
func (g *Guard) Taint(source string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taint = source
}

// Untaint is called when a message is sent that the person typed after the output was shown.
func (g *Guard) Untaint() { g.Taint("") }

// Tainted names the untrusted source, or is "".
func (g *Guard) Tainted() string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.taint
}
