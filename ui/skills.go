package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent/message"
)

// runSkills lists the skills. The chosen one goes into the composer, where words can follow it.
func (m *model) runSkills(string) tea.Cmd {
	if len(m.o.Skills) == 0 {
		m.say("there are no skills; one is a file skills/NAME/SKILL.md in espy's configuration folder or in .espy", false)
		return nil
	}
	choices := make([]choice, len(m.o.Skills))
	for i, s := range m.o.Skills {
		about := flat(oneLine(s.About))
		if s.Project {
			about += " (this project's)"
		}
		choices[i] = choice{label: flat(s.Name), about: about, value: s}
	}
	m.dialog = newPicker("skills", choices, func(c choice, _ string) tea.Cmd {
		if s, ok := c.value.(Skill); ok {
			m.comp.show("/skill " + s.Name + " ")
		}
		return nil
	})
	return nil
}

// runSkill sends a skill's text as the person's choice, with what they say to it.
func (m *model) runSkill(args string) tea.Cmd {
	name, words, _ := strings.Cut(args, " ")
	if name == "" {
		return m.runSkills("")
	}
	i := slices.IndexFunc(m.o.Skills, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		m.say(m.noSkill(name), true)
		return nil
	}
	if m.onlyRead() {
		return nil
	}
	text := "Work by the skill " + name + "."
	if words = strings.TrimSpace(words); words != "" {
		text += " " + words
	}
	skill := m.o.Skills[i]
	return m.start("reading the skill…", nil, func(context.Context) func(*model) tea.Cmd {
		body := message.Text{Origin: message.OriginFile, Text: fmt.Sprintf("Skill %s, from %s:\n\n%s", name, flat(skill.Place), skill.Read())}
		return func(m *model) tea.Cmd {
			return m.post(parcel{text: text, typed: text, pictures: m.row.take(), with: []message.Text{body}})
		}
	})
}

func (m *model) noSkill(name string) string {
	sentence, best, distance := fmt.Sprintf("there is no skill %q", flat(name)), "", 3
	for _, s := range m.o.Skills {
		if d := editDistance(name, s.Name); d < distance {
			best, distance = s.Name, d
		}
	}
	if best != "" {
		return sentence + fmt.Sprintf("; did you mean %s?", flat(best))
	}
	return sentence + "; /skills lists them"
}

func skillNames(m *model) []string {
	names := make([]string, len(m.o.Skills))
	for i, s := range m.o.Skills {
		names[i] = s.Name
	}
	return names
}
