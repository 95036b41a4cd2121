package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Rule is `tool(pattern)`, or `tool` alone, which matches all its calls.
//
// The pattern of a command is words: `*` as the last word matches nothing or any further words
// (`go test *` matches `go test`), elsewhere `*` matches within a word; quotes and a backslash make it
// ordinary. The pattern of a path has `**` for any folders and is relative to the workspace, or absolute, or
// begins with `~/`. The pattern of a host may hold `*`. A tool's name may end in `*`.
type Rule struct {
	Tool    string
	Pattern string // "" for a bare rule
}

// String is the rule as it is written.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// Source says where a rule comes from.
type Source string

const (
	SourceUser    Source = "user configuration"
	SourceSaved   Source = "saved" // answered "always"
	SourceProject Source = "project"
	SourceSession Source = "session"
	SourceFlag    Source = "--allow"
)

// SourcedRule is a rule with what it does and where it comes from.
type SourcedRule struct {
	Rule    Rule
	Verdict Verdict
	Source  Source
}

// serverTools begins the names of the tools of servers, which nobody knows before the servers are there.
const serverTools = "mcp__"

// ParseRule reads a rule. With tool names given, a rule for another tool is an error that names the nearest, unless
// it is a server's.
func ParseRule(text string, tools ...string) (Rule, error) {
	text = strings.TrimSpace(text)
	name, pattern, open := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	if open {
		if !strings.HasSuffix(pattern, ")") {
			return Rule{}, fmt.Errorf("rule %q lacks its closing parenthesis; write tool(pattern), for example shell(go test *)", text)
		}
		if pattern = strings.TrimSpace(strings.TrimSuffix(pattern, ")")); pattern == "" {
			return Rule{}, fmt.Errorf("rule %q has an empty pattern; write %s alone to match all its calls", text, name)
		}
	}
	if !toolName(name) {
		return Rule{}, fmt.Errorf("rule %q does not begin with a tool's name; write tool(pattern), for example shell(go test *)", text)
	}
	rule := Rule{Tool: name, Pattern: pattern}
	if err := rule.checkPattern(); err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	if len(tools) > 0 && !strings.HasPrefix(name, serverTools) && !slices.ContainsFunc(tools, rule.forTool) {
		return Rule{}, fmt.Errorf("rule %q names no tool; the nearest is %q", text, nearest(name, tools))
	}
	return rule, nil
}

func (r Rule) checkPattern() error {
	if strings.ContainsFunc(r.Pattern, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return fmt.Errorf("the pattern holds a line break or control character")
	}
	if _, err := patternWords(r.Pattern); err != nil {
		return err
	}
	return nil
}

func toolName(name string) bool {
	body := strings.TrimSuffix(name, "*")
	return name != "" && !strings.ContainsFunc(body, func(c rune) bool {
		return !(c == '_' || c == '-' || c == '.' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	})
}

func (r Rule) forTool(tool string) bool {
	if prefix, ok := strings.CutSuffix(r.Tool, "*"); ok {
		return strings.HasPrefix(tool, prefix)
	}
	return r.Tool == tool
}

// speaksOf reports whether a rule is about an effect. A rule that tightens covers every tool of its family:
// `deny read(x)` holds for grep too, `ask edit(x)` for every tool that writes, `deny shell(x)` for every
// command; a call of a server's tool is no command. One that allows covers its own tool; write and edit are one.
func (r Rule) speaksOf(e Effect, verdict Verdict) bool {
	if r.forTool(e.Tool) {
		return true
	}
	if e.Kind == KindWrite && (r.Tool == "write" || r.Tool == "edit") {
		return verdict != Allow || e.Tool == "write" || e.Tool == "edit"
	}
	if verdict == Allow {
		return false
	}
	return r.Tool == "read" && e.Kind == KindRead || r.Tool == "shell" && e.Kind == KindExec && e.Command != ""
}

// matchesPath matches an absolute name. A relative pattern is tried below the workspace, and for rules like
// `**/private/**` below any folder.
func (r Rule) matchesPath(roots *Roots, abs string) bool {
	if r.Pattern == "" {
		return true
	}
	pattern := filepath.ToSlash(roots.secrets.expandHome(r.Pattern))
	path := filepath.ToSlash(abs)
	pattern, path = fold(pattern), fold(path)
	if filepath.IsAbs(filepath.FromSlash(pattern)) {
		return globs(pattern, path)
	}
	pattern = strings.TrimPrefix(pattern, "./")
	for _, base := range []string{roots.physical, roots.workspace} {
		if rel, ok := relativeTo(base, abs); ok && globs(pattern, fold(filepath.ToSlash(rel))) {
			return true
		}
	}
	return strings.HasPrefix(pattern, "**/") && globs(pattern, strings.TrimPrefix(path, "/"))
}

func fold(name string) string {
	if foldPatterns {
		return strings.ToLower(name)
	}
	return name
}

// matchesHost matches a host name, in any case.
func (r Rule) matchesHost(host string) bool {
	return r.Pattern == "" || matchWord(wordPattern(strings.ToLower(r.Pattern)), strings.ToLower(host))
}

// nearest finds the name that takes the fewest edits.
func nearest(name string, names []string) string {
	best, least := "", len(name)+64
	for _, candidate := range names {
		if d := edits(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// edits is the Levenshtein distance, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
