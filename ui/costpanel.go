package ui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// runCost shows what the session has taken so far, by model.
func (m *model) runCost(string) tea.Cmd {
	spending := m.conv.Spending
	if spending == nil {
		return m.missing()
	}
	return m.work.do(func(context.Context) tea.Msg {
		spent := spending()
		if len(spent) == 0 {
			return sentence{"nothing has been sent in this session yet", false}
		}
		d := &dialog{title: "what this session took", footer: "/context shows what the next request carries · esc closes"}
		d.body = func(width int) []string { return costLines(spent, width, m.t) }
		return panelReady{d}
	})
}

func costLines(spent []agent.Spent, width int, t *theme) []string {
	total := agent.Spent{Cost: new(float64)}
	for _, s := range spent {
		total = addSpent(total, s)
	}
	var lines []string
	if len(spent) > 1 {
		lines = append(lines, t.strong.Render(cut("all together", width)))
		lines = append(append(lines, spentLines(total, width, t)...), "")
	}
	for _, s := range spent {
		lines = append(lines, t.strong.Render(cut(flat(s.Provider+"/"+s.Model), width)))
		lines = append(append(lines, spentLines(s, width, t)...), "")
	}
	return lines[:len(lines)-1]
}

func addSpent(a, b agent.Spent) agent.Spent {
	a.Requests, a.Tasks, a.Input, a.Cached = a.Requests+b.Requests, a.Tasks+b.Tasks, a.Input+b.Input, a.Cached+b.Cached
	a.Written, a.Output, a.Pictures = a.Written+b.Written, a.Output+b.Output, a.Pictures+b.Pictures
	if a.Cost == nil || b.Cost == nil {
		a.Cost = nil
		return a
	}
	sum := *a.Cost + *b.Cost
	a.Cost = &sum
	return a
}

// spentLines are one model's figures, a kind a line.
func spentLines(s agent.Spent, width int, t *theme) []string {
	var lines []string
	fact := func(name, text string) {
		pad := strings.Repeat(" ", max(costColumn-len(name), 1))
		for i, line := range wrap(text, max(width-costColumn, 1)) {
			if i > 0 {
				name = ""
				pad = strings.Repeat(" ", costColumn)
			}
			lines = append(lines, t.dim.Render(name+pad)+line)
		}
	}
	requests := grouped(s.Requests)
	if s.Tasks > 0 {
		requests += fmt.Sprintf(", %s of them by tasks", grouped(s.Tasks))
	}
	fact("requests", requests)
	fact("tokens in", grouped(s.Input)+cacheShare(s))
	if s.Pictures > 0 {
		fact("pictures", fmt.Sprintf("about %s of them, %s", grouped(s.Pictures), share(s.Pictures, s.Input)))
	}
	fact("tokens out", grouped(s.Output))
	if s.Cost != nil {
		fact("cost", fmt.Sprintf("$%.4f", *s.Cost))
	} else {
		fact("cost", "not known, because a price is missing")
	}
	return lines
}

// costColumn is how wide the names of the figures are.
const costColumn = 12

func cacheShare(s agent.Spent) string {
	var parts []string
	if s.Cached > 0 {
		parts = append(parts, fmt.Sprintf("%s from the prompt cache, %s", grouped(s.Cached), share(s.Cached, s.Input)))
	}
	if s.Written > 0 {
		parts = append(parts, grouped(s.Written)+" written to it")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// share is "12%", never 0% of something.
func share(part, of int) string {
	if of <= 0 {
		return "0%"
	}
	percent := 100 * part / of
	if percent == 0 && part > 0 {
		return "under 1%"
	}
	return fmt.Sprintf("%d%%", percent)
}
