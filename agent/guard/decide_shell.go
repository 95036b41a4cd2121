package guard

import (
	"slices"
	"strings"
)

// command decides a shell command: every simple command of the line has to be allowed, and one that is
// denied denies the line.
func (c *judging) command() Decision {
	if c.outside() {
		c.effect.Tool = OutsideTool
	}
	if d, refused := c.resolve(); refused {
		return d
	}
	folders := make([]string, len(c.paths))
	for i, p := range c.paths {
		folders[i] = p.Abs
	}
	j := c.guard.JudgeShell(c.effect.Command, folders...)
	if d, found := c.shellTightened(j, Deny); found {
		return d
	}
	if c.mode == ModePlan {
		if j.ReadOnly {
			return Decision{Verdict: Allow, Reason: "the command only reads"}
		}
		return Decision{Verdict: Deny, Reason: "plan mode only reads; " + c.notReading(j) + ", so it has to wait until the user leaves it; exit_plan shows them the plan"}
	}
	if c.closed != "" {
		return c.opening()
	}
	if c.mode == ModeFull {
		return c.shellFull(j)
	}
	if d, found := c.shellTightened(j, Ask); found {
		return d
	}
	if len(j.Touches) > 0 {
		return Decision{Verdict: Ask, Reason: sentence(j.Touches[0])}
	}
	return c.shellAllowed(j)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (c *judging) notReading(j Judgement) string {
	switch {
	case len(j.Faults) > 0:
		return j.Faults[0]
	case len(j.Touches) > 0:
		return j.Touches[0]
	}
	return "the command is not known to only read"
}

// shellFull allows everything no deny rule names; where deny rules exist and the line hides what it runs,
// nobody can tell, so it asks even here.
func (c *judging) shellFull(j Judgement) Decision {
	if len(j.Faults) > 0 {
		for _, r := range c.rules {
			if r.Verdict == Deny && (r.Rule.speaksOf(c.effect, Deny) || slices.Contains([]string{"read", "write", "edit"}, r.Rule.Tool)) {
				return Decision{Verdict: Ask, Reason: "Whether the rule deny " + r.Rule.String() + " holds cannot be told: " + j.Faults[0]}
			}
		}
	}
	return Decision{Verdict: Allow, Reason: "full mode runs everything no deny rule names"}
}

// shellTightened finds the first deny or ask rule about a command of the line or a file it names.
func (c *judging) shellTightened(j Judgement, verdict Verdict) (Decision, bool) {
	for _, r := range c.rules {
		if r.Verdict != verdict {
			continue
		}
		if r.Rule.speaksOf(c.effect, verdict) && (r.Rule.Pattern == "" || slices.ContainsFunc(j.Commands, func(s Simple) bool { return tightens(r.Rule, s) })) {
			return c.byRule(r, "the command"), true
		}
		if r.Rule.Pattern != "" && c.namesFile(r.Rule, j) {
			return c.byRule(r, "a file the command names"), true
		}
	}
	return Decision{}, false
}

// tightens matches a command under every spelling: with its variables, and without its folder.
func tightens(r Rule, s Simple) bool {
	if r.matchesWords(s.Words) || r.matchesWords(append(slices.Clone(s.Sets), s.Words...)) {
		return true
	}
	short := append([]string{base(s.Words[0])}, s.Words[1:]...)
	return r.matchesWords(short)
}

func (c *judging) namesFile(r Rule, j Judgement) bool {
	names := func(list []string) bool {
		return slices.ContainsFunc(list, func(abs string) bool { return r.matchesPath(c.guard.roots, abs) })
	}
	switch r.Tool {
	case "read":
		return names(j.looks)
	case "write", "edit":
		return names(j.changes)
	}
	return false
}

// shellAllowed looks for rules that cover the whole line, then for what the mode runs.
func (c *judging) shellAllowed(j Judgement) Decision {
	if r, ok := c.bareAllow(); ok {
		return c.byRule(r, "the command")
	}
	var open []Simple // covered by nothing
	var by SourcedRule
	explicit := true
	for _, s := range j.Commands {
		switch r, ok := c.coveredBy(s); {
		case s.Carrier:
		case ok:
			by = r
		case s.ReadOnly:
			explicit = false
		default:
			open = append(open, s)
			explicit = false
		}
	}
	unwritten := slices.ContainsFunc(j.Writes, func(p Path) bool { return !c.mayWrite(p) })
	switch {
	case len(j.Faults) > 0:
		return Decision{Verdict: Ask, Reason: sentence(j.Faults[0])}
	case unwritten:
		return Decision{Verdict: Ask, Reason: "The command writes " + Printable(j.Writes[0].Display)}
	case c.outside() && !(explicit && by.Verdict != ""):
		return Decision{Verdict: Ask, Reason: "The command would run outside the sandbox, which holds the others", Offer: c.shellOffer(open)}
	case c.taint != "" && !(explicit && by.Verdict != ""):
		return Decision{Verdict: Ask, Reason: c.tainted(), Offer: c.shellOffer(open)}
	case len(open) > 0:
		return Decision{Verdict: Ask, Reason: "No rule allows " + Printable(strings.Join(open[0].Words, " ")), Offer: c.shellOffer(open)}
	case by.Verdict != "":
		return c.byRule(by, "the command")
	}
	return Decision{Verdict: Allow, Reason: "the command only reads"}
}

// OutsideTool is the name in rules that let commands run outside the sandbox. Rules for the shell tighten such
// commands as well, but do not let them out.
const OutsideTool = "shell_outside"

// outside reports whether a command would leave the sandbox that holds the others.
func (c *judging) outside() bool { return c.effect.Outside && c.guard.Sandboxed() }

func (c *judging) bareAllow() (SourcedRule, bool) {
	for _, r := range c.rules {
		if r.Verdict == Allow && r.Rule.Pattern == "" && r.Rule.forTool(c.effect.Tool) {
			return r, true
		}
	}
	return SourcedRule{}, false
}

// coveredBy finds the allow rule for one command. Variables set for a command are part of what is allowed.
func (c *judging) coveredBy(s Simple) (SourcedRule, bool) {
	words := append(slices.Clone(s.Sets), s.Words...)
	for _, r := range c.rules {
		if r.Verdict == Allow && r.Rule.speaksOf(c.effect, Allow) && r.Rule.matchesWords(words) {
			return r, true
		}
	}
	return SourcedRule{}, false
}

// mayWrite reports whether a file that a redirection writes may be written without asking.
func (c *judging) mayWrite(p Path) bool {
	if c.mode == ModeAuto && c.taint == "" && c.guard.roots.InWorkspace(p.Abs) {
		return true
	}
	write := Effect{Tool: "write", Kind: KindWrite}
	return slices.ContainsFunc(c.rules, func(r SourcedRule) bool {
		return r.Verdict == Allow && r.Rule.speaksOf(write, Allow) && r.Rule.matchesPath(c.guard.roots, p.Abs)
	})
}

// steadyCommands are first words, or first and second, after which any arguments mean the same kind of thing.
var steadyCommands = []string{
	"go test", "go build", "go vet", "go fmt", "go list", "go doc", "gofmt", "golangci-lint run", "staticcheck",
	"cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt", "npm test", "npm run", "pnpm test", "pnpm run", "yarn test", "yarn run",
	"pytest", "ruff check", "ruff format", "mypy", "tsc", "eslint", "jest", "vitest", "prettier", "git add", "git fetch", "mvn test", "gradle test",
	"dotnet test", "dotnet build", "mkdir", "touch",
}

// shellOffer proposes a rule where exactly one command of the line is not covered: a prefix where that is
// safe, else the command itself.
func (c *judging) shellOffer(open []Simple) []string {
	if len(open) != 1 || !open[0].Known || len(open[0].Sets) > 0 {
		return nil
	}
	words := open[0].Words
	for n := 1; n <= 2 && n <= len(words); n++ {
		prefix := strings.Join(words[:n], " ")
		if !slices.Contains(steadyCommands, prefix) {
			continue
		}
		if strings.HasSuffix(prefix, " run") && words[0] != "golangci-lint" {
			if len(words) < 3 || strings.HasPrefix(words[2], "-") || quotePattern(words[2]) != words[2] {
				break
			}
			prefix += " " + words[2]
		}
		return []string{Rule{c.effect.Tool, prefix + " *"}.String()}
	}
	if exact, ok := exactPattern(words); ok && !strings.HasSuffix(exact, ")") {
		return []string{Rule{c.effect.Tool, exact}.String()}
	}
	return nil
}
