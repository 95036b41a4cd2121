package start

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"espy/agent/extend"
	"espy/agent/guard"
	"espy/agent/tools"
	"espy/config"
)

// When a change of the settings counts.
const (
	atOnce      = "" // from the next turn on, in the session that is open
	nextSession = "from the next session on"
	nextStart   = "when espy is started again"
)

// part is a part of the settings that is compared and spoken of as one.
type part struct {
	name string
	when string
	of   func(c config.Config) any
}

// parts are all of the settings but the rules, which the guard compares. docs/configuration.md says the same.
func parts() []part {
	return []part{
		{"model", nextSession, func(c config.Config) any { return c.Model }},
		{"mode", nextSession, func(c config.Config) any { return c.Mode }},
		{"providers", atOnce, func(c config.Config) any { return c.Providers }},
		{"models", atOnce, func(c config.Config) any { return c.Models }},
		{"mcp", atOnce, func(c config.Config) any { return c.MCP }},
		{"task", atOnce, func(c config.Config) any { return c.Task }},
		{"tools", atOnce, func(c config.Config) any { return c.Tools }},
		{"history", atOnce, func(c config.Config) any { return c.History }},
		{"permissions.credentials", nextSession, func(c config.Config) any {
			return [][]string{c.Permissions.Credentials, c.Permissions.NotCredentials}
		}},
		{"permissions.sandbox", nextSession, func(c config.Config) any { return []string{c.Permissions.Sandbox, c.Permissions.Network} }},
		{"ui", atOnce, func(c config.Config) any { c.UI.Mouse = false; return c.UI }},
		{"ui.mouse", nextStart, func(c config.Config) any { return c.UI.Mouse }},
		{"keys", atOnce, func(c config.Config) any { return c.Keys }},
	}
}

// changes says what is different in two settings and when it counts; nothing where that is nothing.
func changes(before, now *Settings, rules bool) (told []string) {
	by := make(map[string][]string)
	for _, p := range parts() {
		if !reflect.DeepEqual(p.of(before.Config), p.of(now.Config)) {
			by[p.when] = append(by[p.when], p.name)
		}
	}
	if rules {
		by[atOnce] = append(by[atOnce], "permissions")
	}
	if names := append(by[atOnce], declared(before.Extras, now.Extras)...); len(names) > 0 {
		told = append(told, "Read again and in force: "+strings.Join(names, ", ")+".")
	}
	for _, when := range []string{nextSession, nextStart} {
		if names := by[when]; len(names) > 0 {
			told = append(told, fmt.Sprintf("Changed and in force %s: %s.", when, strings.Join(names, ", ")))
		}
	}
	return told
}

// declared are the kinds of what files declare that are different, with the names.
func declared(before, now extend.Set) (told []string) {
	kinds := []struct {
		name string
		of   func(extend.Set) map[string][sha256.Size]byte
	}{
		{"tools", func(s extend.Set) map[string][sha256.Size]byte { return digests(s.Tools, toolName) }},
		{"skills", func(s extend.Set) map[string][sha256.Size]byte {
			return digests(s.Skills, func(k extend.Skill) string { return k.Name })
		}},
		{"commands", func(s extend.Set) map[string][sha256.Size]byte {
			return digests(s.Commands, func(c extend.Command) string { return "/" + c.Name })
		}},
	}
	for _, k := range kinds {
		names := slices.DeleteFunc(differing(k.of(before), k.of(now)), func(name string) bool { return k.name == "tools" && name == extend.SkillTool })
		if len(names) > 0 {
			told = append(told, k.name+" ("+namesOf(names)+")")
		}
	}
	if !reflect.DeepEqual(before.Hooks, now.Hooks) {
		told = append(told, "hooks")
	}
	if len(told) == 0 && before.Digest != now.Digest {
		return []string{"the declaring files"} // what a tool does changed, or a word nobody compares
	}
	return told
}

func toolName(t tools.Tool) string { return t.Spec.Name }

// digests sums up declarations by name. Functions are left out: what they do follows from the file, whose digest tells.
func digests[T any](list []T, name func(T) string) map[string][sha256.Size]byte {
	all := make(map[string][sha256.Size]byte, len(list))
	for _, one := range list {
		var text string
		switch one := any(one).(type) {
		case tools.Tool:
			text = fmt.Sprint(one.Spec, one.ReadOnly)
		default:
			text = fmt.Sprint(one)
		}
		all[name(one)] = sha256.Sum256([]byte(text))
	}
	return all
}

// adopt puts settings in force in the session that is open and reports whether the rules changed by it. Rules of a
// project that may no longer speak stay for the session: a change of its files loosens nothing.
func (r *Room) adopt(s *Settings) (rulesChanged bool) {
	before := r.settings.Swap(s)
	list := rules(s)
	if !s.holds {
		for _, kept := range r.Guard.Rules() {
			if kept.Source == guard.SourceProject && !slices.Contains(list, kept) {
				list = append(list, kept)
			}
		}
	}
	rulesChanged = r.Guard.Reset(list)
	bySource := map[string][]tools.Tool{tools.SourceBuiltin: nil, tools.SourceFiles: nil}
	for _, t := range s.tools() {
		bySource[t.Source] = append(bySource[t.Source], t)
	}
	for source, list := range bySource {
		r.tools.Replace(source, list)
	}
	r.tools.Prefer(s.preferences())
	r.servers.Configure(s.servers())
	r.Agent.SetHooks(s.hooks())
	r.Agent.SetEvictions(s.Config.History.MaxImages, s.Config.History.EvictStep)
	if s.Book != before.Book {
		r.Agent.SetEnviron(commandEnvironment(s)) // another variable may hold a key now
		if route, err := s.Book.Find(r.Agent.Route().Name()); err == nil {
			r.Agent.Reroute(route)
		}
	}
	return rulesChanged
}
