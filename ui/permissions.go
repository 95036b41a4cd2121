package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent/guard"
)

func permissionWords(*model) []string { return []string{"allow", "ask", "deny", "remove"} }

// runPermissions shows the rules, or changes one.
func (m *model) runPermissions(args string) tea.Cmd {
	if m.o.Rules.List == nil {
		return m.missing()
	}
	verb, rule, _ := strings.Cut(args, " ")
	rule = strings.TrimSpace(rule)
	switch {
	case verb == "":
		m.showRules()
		return nil
	case !slices.Contains(permissionWords(m), verb):
		m.say(fmt.Sprintf("/permissions takes allow, ask, deny or remove with a rule, not %q", flat(verb)), true)
		return nil
	case rule == "":
		m.say(fmt.Sprintf("/permissions %s needs a rule, for example shell(go test *)", verb), true)
		return nil
	case verb == "remove":
		return m.removeNamed(rule)
	}
	return m.report(func(context.Context) (string, error) { return m.o.Rules.Add(guard.Verdict(verb), rule) })
}

// removeNamed removes the rules that read as written, wherever they come from.
func (m *model) removeNamed(text string) tea.Cmd {
	var found []Rule
	for _, r := range m.o.Rules.List() {
		if r.Rule.String() == text {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		m.say(fmt.Sprintf("there is no rule %s; /permissions shows those there are", flat(text)), true)
		return nil
	}
	return m.report(func(context.Context) (string, error) {
		var said []string
		for _, r := range found {
			sentence, err := m.o.Rules.Remove(r)
			if err != nil {
				return "", err
			}
			said = append(said, sentence)
		}
		return strings.Join(said, " "), nil
	})
}

// showRules lists the rules in the order they are asked, and takes one away or adds one.
func (m *model) showRules() {
	choices := []choice{{label: "add a rule…", about: "deny beats ask beats allow"}}
	for _, r := range m.o.Rules.List() {
		where := string(r.Source)
		if r.Place != "" {
			where += ", " + shortFolder(r.Place)
		}
		choices = append(choices, choice{label: fmt.Sprintf("%s %s", r.Verdict, r.Rule), about: where, value: r})
	}
	m.dialog = newPicker(fmt.Sprintf("permission rules; mode %s", m.talk.mode), choices, func(c choice, _ string) tea.Cmd {
		if r, ok := c.value.(Rule); ok {
			return m.offerRemoval(r)
		}
		m.askRule()
		return nil
	})
	m.dialog.takes = "removes or adds"
}

// offerRemoval asks before a rule goes; one that is written in a file says where.
func (m *model) offerRemoval(r Rule) tea.Cmd {
	if r.Source == guard.SourceUser || r.Source == guard.SourceProject {
		return m.report(func(context.Context) (string, error) { return m.o.Rules.Remove(r) })
	}
	words := []string{fmt.Sprintf("%s %s", r.Verdict, r.Rule), "It comes from: " + string(r.Source) + "."}
	m.dialog = newPicker("remove this rule?", []choice{{label: "no, leave it"}, {label: "remove it", value: true}}, func(c choice, _ string) tea.Cmd {
		if c.value != true {
			return nil
		}
		return m.report(func(context.Context) (string, error) { return m.o.Rules.Remove(r) })
	})
	m.dialog.filters = false
	m.dialog.body = func(width int) []string { return wrapAll(words, width) }
	return nil
}

// askRule has a rule written.
func (m *model) askRule() {
	d := &dialog{title: "add a permission rule", asks: "rule", filter: newBuffer(), takes: "adds it for this and later sessions", leaves: "leaves"}
	d.body = func(width int) []string {
		return wrapAll([]string{"allow, ask or deny, then tool(pattern): allow shell(go test *) · deny read(**/private/**) · ask write(docs/**)"}, width)
	}
	d.choose = func(_ choice, line string) tea.Cmd {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		return m.runPermissions(strings.TrimSpace(line))
	}
	m.dialog = d
}
