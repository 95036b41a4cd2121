package ui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/ui/screen"
)

// reviewFolder shows what the folder brings along, whole, and accepts it on yes only. What is accepted is what is
// shown: both were read when espy started.
func (m *model) reviewFolder() {
	var files []ReviewedFile
	if m.o.Trust.Review != nil {
		files = m.o.Trust.Review()
	}
	if len(files) == 0 {
		m.say("this folder brings nothing along that would have to be accepted", false)
		return
	}
	title := fmt.Sprintf("accept what this folder brings along? %s", amount(len(files), "file"))
	d := newPicker(title, []choice{{label: "no, leave it"}, {label: "accept it as it is now", value: true}}, func(c choice, _ string) tea.Cmd {
		if c.value != true {
			return nil
		}
		return m.report(func(context.Context) (string, error) { return m.o.Trust.Accept() })
	})
	d.filters = false
	d.body = func(width int) []string { return m.reviewLines(files, width) }
	d.extra, d.leaves = "any change asks again", "leaves it"
	m.dialog = d
}

func (m *model) reviewLines(files []ReviewedFile, width int) []string {
	lines := wrapAll([]string{"AGENTS.md and CLAUDE.md instruct the model; what lies in .espy changes settings and adds tools and commands that run programs."}, width)
	for _, f := range files {
		lines = append(lines, "")
		lines = append(lines, styled(screen.Chop(screen.Visible(f.Name), width), m.t.strong.Render)...)
		lines = append(lines, screen.Chop(strings.TrimRight(screen.Visible(f.Text), "\n"), width)...)
		if f.Truncated {
			lines = append(lines, m.t.warn.Render(cut("the rest of this file is not shown", width)))
		}
	}
	return lines
}
