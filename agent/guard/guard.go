// Package guard decides what may happen. Every tool call passes Guard.Decide, and every file a tool reads or
// writes is opened through Roots, which holds os.Root handles: containment is the operating system's, not a
// string check. Nothing a repository, a web page or a tool's output contains can widen what is allowed.
//
// The package defines effects, modes, rules and roots and knows no tool: a tool describes what a call would
// do as an Effect. It must not know a model, a picture or a screen.
package guard

// Mode is how much runs unasked.
type Mode string

const (
	ModePlan Mode = "plan" // reads only
	ModeAsk  Mode = "ask"  // reads run, everything else asks; the default
	ModeAuto Mode = "auto" // edits inside the workspace and allowed commands run
	ModeFull Mode = "full" // nothing asks; deny rules still hold
)

// Kind is what sort of effect a call has.
type Kind string

const (
	KindRead  Kind = "read"  // looks at files
	KindWrite Kind = "write" // changes files
	KindExec  Kind = "exec"  // runs a command
	KindNet   Kind = "net"   // talks to a host
	KindNone  Kind = "none"  // touches nothing outside espy
)

// Effect is what a call would do, as its tool describes it before it runs.
type Effect struct {
	Tool    string
	Kind    Kind
	Paths   []string // as the model wrote them; resolved by Roots
	Command string   // KindExec: the exact text the shell gets
	Host    string   // KindNet
	Summary string   // a few words: "write docs/plan.md"
	Preview string   // exactly what will be done: the command, or the diff of an edit
	Diff    bool     // Preview is a unified diff
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
}

// Choice is a person's answer to a question.
type Choice string

const (
	ChoiceOnce    Choice = "once"
	ChoiceSession Choice = "session" // Offer[0] holds until espy ends
	ChoiceAlways  Choice = "always"  // Offer[0] is saved in the user's configuration
	ChoiceDeny    Choice = "deny"
)
