package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/ui/internal/script"
)

// ruleBook keeps rules as the program would.
type ruleBook struct{ rules []Rule }

func (b *ruleBook) options() Rules {
	return Rules{
		List: func() []Rule { return slices.Clone(b.rules) },
		Add: func(v guard.Verdict, text string) (string, error) {
			rule, err := guard.ParseRule(text)
			if err == nil {
				b.rules = append(b.rules, Rule{SourcedRule: guard.SourcedRule{Rule: rule, Verdict: v, Source: guard.SourceSaved}})
			}
			return "added", err
		},
		Remove: func(r Rule) (string, error) {
			if r.Source == guard.SourceUser {
				return "", errors.New("it is written in " + r.Place)
			}
			b.rules = slices.DeleteFunc(b.rules, func(x Rule) bool { return x == r })
			return "removed", nil
		},
	}
}

func TestPermissionsShowsRulesWithWhereTheyComeFromAndChangesThem(t *testing.T) {
	book := &ruleBook{rules: []Rule{
		{guard.SourcedRule{Rule: guard.Rule{Tool: "read", Pattern: "**/private/**"}, Verdict: guard.Deny, Source: guard.SourceUser}, "/c/config.toml:12"},
		{guard.SourcedRule{Rule: guard.Rule{Tool: "shell", Pattern: "go test *"}, Verdict: guard.Allow, Source: guard.SourceSession}, ""},
	}}
	d := drive(t, 100, 24, func(o *Options) { o.Rules = book.options() }, script.Opened())
	d.types("/permissions")
	d.key("enter")
	d.until("the rules show", func() bool { return d.m.dialog != nil })
	screen := strings.Join(d.m.dialog.view(100, 24, d.m.t), "\n")
	for _, words := range []string{"deny read(**/private/**)", "user configuration, /c/config.toml:12", "allow shell(go test *)", "session", "add a rule"} {
		if !strings.Contains(screen, words) {
			t.Errorf("the rules lack %q:\n%s", words, screen)
		}
	}
	d.key("down", "down", "enter", "down", "enter")
	d.shows("removed")
	if len(book.rules) != 1 {
		t.Errorf("the session's rule stayed: %v", book.rules)
	}
	d.types("/permissions deny shell(rm *)")
	d.key("enter")
	d.shows("added")
	if len(book.rules) != 2 || book.rules[1].Verdict != guard.Deny {
		t.Errorf("the rules are %v", book.rules)
	}
	d.types("/permissions remove read(**/private/**)")
	d.key("enter")
	d.shows("config.toml:12")
	if len(book.rules) != 2 {
		t.Errorf("the rules are %v", book.rules)
	}
}
