package start

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"espy/agent/guard"
	"espy/config"
	"espy/ui"
)

// lists are the lists of rules in the settings.
func (s *Settings) lists() map[guard.Verdict]*[]string {
	p := &s.Config.Permissions
	return map[guard.Verdict]*[]string{guard.Allow: &p.Allow, guard.Ask: &p.Ask, guard.Deny: &p.Deny}
}

// ruleSource says what kind of place a rule of the settings comes from.
func (s *Settings) ruleSource(verdict guard.Verdict, rule string) guard.Source {
	place := s.Config.Sources[config.RuleSource(string(verdict), rule)]
	switch {
	case strings.HasPrefix(place, s.Dirs.PermissionsFile()+":"):
		return guard.SourceSaved
	case strings.HasPrefix(place, s.Dirs.ConfigFile()+":"), place == "":
		return guard.SourceUser
	}
	return guard.SourceProject
}

// rules are those a session begins with.
func rules(s *Settings) []guard.SourcedRule {
	s.rules.Lock()
	defer s.rules.Unlock()
	var list []guard.SourcedRule
	for verdict, texts := range s.lists() {
		for _, text := range *texts {
			if rule, err := guard.ParseRule(text); err == nil { // checked when the settings were read
				list = append(list, guard.SourcedRule{Rule: rule, Verdict: verdict, Source: s.ruleSource(verdict, text)})
			}
		}
	}
	for _, rule := range s.Allow {
		list = append(list, guard.SourcedRule{Rule: rule, Verdict: guard.Allow, Source: guard.SourceFlag})
	}
	return list
}

// saveRule keeps a rule for later sessions, of this program and of others.
func (s *Settings) saveRule(ctx context.Context, verdict guard.Verdict, rule string) error {
	if err := config.AddRule(ctx, s.Dirs, string(verdict), rule); err != nil {
		return err
	}
	s.rules.Lock()
	defer s.rules.Unlock()
	if list := s.lists()[verdict]; !slices.Contains(*list, rule) {
		*list = append(*list, rule)
		s.Config.Sources[config.RuleSource(string(verdict), rule)] = s.Dirs.PermissionsFile() + ":"
	}
	return nil
}

func (s *Settings) dropRule(ctx context.Context, verdict guard.Verdict, rule string) error {
	if err := config.RemoveRule(ctx, s.Dirs, string(verdict), rule); err != nil {
		return err
	}
	s.rules.Lock()
	defer s.rules.Unlock()
	list := s.lists()[verdict]
	*list = slices.DeleteFunc(slices.Clone(*list), func(r string) bool { return r == rule })
	return nil
}

// rules is what /permissions shows and changes: the guard of the session that is open, and what is kept.
func (f *Screen) rules() ui.Rules {
	return ui.Rules{List: f.listRules, Add: f.addRule, Remove: f.removeRule}
}

func (f *Screen) listRules() []ui.Rule {
	s := f.inForce()
	inForce := rules(s)
	if room := f.current(); room != nil {
		inForce = room.Guard.Rules()
	}
	s.rules.Lock()
	defer s.rules.Unlock()
	list := make([]ui.Rule, len(inForce))
	for i, r := range inForce {
		list[i] = ui.Rule{SourcedRule: r, Place: strings.TrimSuffix(s.Config.Sources[config.RuleSource(string(r.Verdict), r.Rule.String())], ":")}
	}
	return list
}

func (f *Screen) addRule(verdict guard.Verdict, text string) (string, error) {
	s := f.inForce()
	rule, err := guard.ParseRule(text, s.toolNames()...)
	if err != nil {
		return "", err
	}
	if err := s.saveRule(context.Background(), verdict, rule.String()); err != nil {
		return "", err
	}
	if room := f.current(); room != nil {
		room.Guard.Add(guard.SourcedRule{Rule: rule, Verdict: verdict, Source: guard.SourceSaved})
	}
	return fmt.Sprintf("%s %s holds from now on and is kept in %s.", verdict, rule, s.Dirs.PermissionsFile()), nil
}

// removeRule takes back what was saved here or holds for the session; what a person or a project wrote into a
// file is theirs to change.
func (f *Screen) removeRule(r ui.Rule) (string, error) {
	switch r.Source {
	case guard.SourceUser, guard.SourceProject:
		return "", fmt.Errorf("%s %s is written in %s; take it out there", r.Verdict, r.Rule, r.Place)
	case guard.SourceSaved:
		if err := f.inForce().dropRule(context.Background(), r.Verdict, r.Rule.String()); err != nil {
			return "", err
		}
	}
	if room := f.current(); room != nil && !room.Guard.Remove(r.SourcedRule) {
		return "", fmt.Errorf("%s %s is not in force; /permissions shows what is", r.Verdict, r.Rule)
	}
	return fmt.Sprintf("%s %s no longer holds.", r.Verdict, r.Rule), nil
}
