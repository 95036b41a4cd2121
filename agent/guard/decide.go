package guard

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Decide judges what a call would do. The order is fixed: what no rule can open (outside, credentials), deny
// rules, plan mode, full mode, ask rules, protected names, allow rules, and last the mode.
func (g *Guard) Decide(e Effect) Decision {
	c := judging{guard: g, effect: e, mode: g.Mode(), rules: g.Rules(), taint: g.Tainted()}
	if e.Kind == KindExec && e.Command != "" {
		return c.command()
	}
	return c.call()
}

// judging is one decision under way, over a snapshot of the guard.
type judging struct {
	guard  *Guard
	effect Effect
	mode   Mode
	rules  []SourcedRule
	taint  string
	paths  []Path  // of the effect, resolved, one for each
	open   Opening // of the first path outside
	closed string  // why that path has to be opened first
	lost   bool    // a path could not be resolved and stands as it was written
}

// call decides everything but commands.
func (c *judging) call() Decision {
	if d, refused := c.resolve(); refused {
		return d
	}
	if d, found := c.tightened(Deny); found {
		return d
	}
	if c.effect.Kind == KindPlan {
		return c.plan()
	}
	reads := c.effect.Kind == KindRead || c.effect.Kind == KindNone
	if c.mode == ModePlan && !reads {
		return Decision{Verdict: Deny, Reason: "plan mode only reads; " + c.what() + " has to wait until the user leaves it; exit_plan shows them the plan"}
	}
	if c.closed != "" {
		return c.opening()
	}
	if c.mode == ModeFull {
		return Decision{Verdict: Allow, Reason: "full mode runs everything no deny rule names"}
	}
	if d, found := c.tightened(Ask); found {
		return d
	}
	if name := c.protected(); name != "" {
		return Decision{Verdict: Ask, Reason: fmt.Sprintf("%s touches %s, which decides what runs or is believed later; that always asks", c.what(), name)}
	}
	if d, found := c.allowed(); found {
		return d
	}
	return c.byMode(reads)
}

// plan asks for a plan to be approved where plan mode is on; elsewhere there is nothing to leave.
func (c *judging) plan() Decision {
	if c.mode != ModePlan {
		return Decision{Verdict: Allow, Reason: "no plan mode is on"}
	}
	return Decision{Verdict: Ask, Reason: "approving the plan ends plan mode"}
}

// byMode decides where no rule speaks.
func (c *judging) byMode(reads bool) Decision {
	if reads {
		return Decision{Verdict: Allow, Reason: "reading runs in every mode"}
	}
	if c.taint != "" && (c.effect.Kind == KindNet || c.effect.Kind == KindExec) {
		return Decision{Verdict: Ask, Reason: c.tainted(), Offer: c.offer()}
	}
	if c.mode == ModeAuto && c.effect.Kind == KindWrite && len(c.paths) > 0 && c.inWorkspace() {
		return Decision{Verdict: Allow, Reason: "auto mode edits inside the workspace"}
	}
	return Decision{Verdict: Ask, Reason: c.what() + " asks in " + string(c.mode) + " mode", Offer: c.offer()}
}

func (c *judging) tainted() string {
	return "the model has since read output nobody vouches for (" + Printable(c.taint) + "), so " + c.what() + " asks"
}

func (c *judging) what() string {
	if c.effect.Summary != "" {
		return c.effect.Summary
	}
	return c.effect.Tool
}

// opening asks whether a path outside may be opened, in every mode: only the person widens what files tools see.
func (c *judging) opening() Decision {
	return Decision{Verdict: Ask, Reason: c.closed, Opening: c.open}
}

// resolve finds where the paths lead. What is a credential is refused whatever the rules say, and so is what
// lies outside, unless it is something the person may be asked to open; other faults are the tool's to tell.
func (c *judging) resolve() (Decision, bool) {
	for _, name := range c.effect.Paths {
		p, err := c.guard.roots.Resolve(name)
		var fault *PathError
		if errors.As(err, &fault) && fault.Kind == FaultOutside && fault.at != "" {
			open, refusal := c.guard.roots.opening(fault)
			if refusal != nil {
				return Decision{Verdict: Deny, Reason: refusal.Sentence}, true
			}
			if c.closed == "" {
				c.open, c.closed = open, fault.Sentence
			}
		} else if errors.As(err, &fault) && (fault.Kind == FaultOutside || fault.Kind == FaultCredential || fault.Kind == FaultSpecial) {
			return Decision{Verdict: Deny, Reason: fault.Sentence}, true
		}
		if err != nil {
			c.lost = true
			abs := filepath.Clean(c.guard.roots.absolute(name))
			p = Path{Abs: abs, Display: c.guard.roots.display(abs)}
		}
		c.paths = append(c.paths, p)
	}
	return Decision{}, false
}

// tightened finds the first deny or ask rule that matches any part of the effect.
func (c *judging) tightened(verdict Verdict) (Decision, bool) {
	for _, r := range c.rules {
		if r.Verdict != verdict || !r.Rule.speaksOf(c.effect, verdict) || !c.matchesAny(r.Rule) {
			continue
		}
		return c.byRule(r, c.what()), true
	}
	return Decision{}, false
}

func (c *judging) byRule(r SourcedRule, what string) Decision {
	verb := map[Verdict]string{Deny: "is refused by", Ask: "asks because of", Allow: "is allowed by"}[r.Verdict]
	return Decision{Verdict: r.Verdict, Rule: r.Rule.String(),
		Reason: fmt.Sprintf("%s %s the rule %s %s (%s)", what, verb, r.Verdict, r.Rule, r.Source)}
}

// matchesAny reports whether a rule that tightens is about any part of the effect. A pattern for everything is about
// calls too that have nothing a pattern could match: `deny task(*)` does not mean tasks on other hosts only.
func (c *judging) matchesAny(r Rule) bool {
	if r.Pattern == "" {
		return true
	}
	if c.effect.Host == "" && len(c.effect.Paths) == 0 {
		return r.Pattern == "*" || r.Pattern == "**"
	}
	if c.effect.Host != "" && r.matchesHost(c.effect.Host) {
		return true
	}
	for i, name := range c.effect.Paths {
		if r.matchesPath(c.guard.roots, filepath.Clean(c.guard.roots.absolute(name))) {
			return true
		}
		if r.matchesPath(c.guard.roots, c.paths[i].Abs) {
			return true
		}
	}
	return false
}

// allowed reports whether allow rules cover the whole effect: each path by some rule, the host by one.
func (c *judging) allowed() (Decision, bool) {
	var last SourcedRule
	covers := func(match func(Rule) bool) bool {
		for _, r := range c.rules {
			if r.Verdict == Allow && r.Rule.speaksOf(c.effect, Allow) && match(r.Rule) {
				last = r
				return true
			}
		}
		return false
	}
	bare := func(r Rule) bool { return r.Pattern == "" }
	if c.effect.Host == "" && len(c.paths) == 0 && !covers(bare) {
		return Decision{}, false
	}
	if c.effect.Host != "" && !covers(func(r Rule) bool { return r.matchesHost(c.effect.Host) }) {
		return Decision{}, false
	}
	if c.lost && !covers(bare) {
		return Decision{}, false
	}
	for _, p := range c.paths {
		if !covers(func(r Rule) bool { return r.matchesPath(c.guard.roots, p.Abs) }) {
			return Decision{}, false
		}
	}
	return c.byRule(last, c.what()), true
}

// protected names the first protected thing that the effect writes.
func (c *judging) protected() string {
	if c.effect.Kind == KindRead || c.effect.Kind == KindNone {
		return ""
	}
	for i, name := range c.effect.Paths {
		if found := c.guard.roots.protected(filepath.Clean(c.guard.roots.absolute(name))); found != "" {
			return found
		}
		if found := c.guard.roots.protected(c.paths[i].Abs); found != "" {
			return found
		}
	}
	return ""
}

func (c *judging) inWorkspace() bool {
	if c.lost {
		return false
	}
	for _, p := range c.paths {
		if !c.guard.roots.InWorkspace(p.Abs) {
			return false
		}
	}
	return true
}

// offer proposes narrow rules that would have allowed the effect.
func (c *judging) offer() []string {
	switch {
	case c.effect.Host != "":
		return []string{Rule{c.effect.Tool, c.effect.Host}.String()}
	case len(c.effect.Paths) == 0:
		return []string{c.effect.Tool}
	case len(c.paths) != 1 || c.lost || c.effect.Kind != KindWrite:
		return nil
	}
	shown := filepath.ToSlash(c.paths[0].Display)
	if strings.ContainsAny(shown, "*?[]{}()\\\"'") || Printable(shown) != shown {
		return nil
	}
	outside := !c.guard.roots.InWorkspace(c.paths[0].Abs) // there the file's neighbours are not the project's
	if dir := path.Dir(shown); !outside && dir != "." && dir != "/" {
		return []string{Rule{c.effect.Tool, dir + "/**"}.String()}
	}
	return []string{Rule{c.effect.Tool, shown}.String()}
}
