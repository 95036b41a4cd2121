package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
)

// runContext draws what the next request would carry, by kind.
func (m *model) runContext(string) tea.Cmd {
	d := &dialog{title: "context", extra: "/compact shrinks it · /images and /expand show what left"}
	d.body = func(width int) []string { return m.contextLines(width) }
	m.dialog = d
	return nil
}

func (m *model) contextLines(width int) []string {
	meter := m.talk.meter
	if meter.Context == 0 {
		return wrap("nothing has been sent yet; the first request carries the system text and the tools", width)
	}
	of := meter.Window
	if of <= 0 {
		of = meter.Context
	}
	row := m.rowTokens()
	kinds := []struct {
		name   string
		tokens int
	}{
		{"system text", meter.Size.System},
		{"tools", meter.Size.Tools},
		{"text", meter.Size.Text},
		{"pictures", meter.Size.Pictures},
		{"on the row, not sent yet", row},
	}
	lines := []string{cut(contextTotal(meter), width), ""}
	for _, k := range kinds {
		lines = append(lines, m.contextBar(k.name, k.tokens, of, width))
	}
	if meter.Window > 0 {
		lines = append(lines, m.contextBar("free", max(meter.Window-meter.Context-row, 0), of, width))
	}
	return append(append(lines, ""), wrapAll([]string{usedSoFar(meter)}, width)...)
}

// usedSoFar is what the session has taken: tokens read, with the prompt cache's part of them, tokens answered, and
// the cost where every price is known.
func usedSoFar(meter agent.Meter) string {
	cache := ""
	if meter.Cached+meter.Written > 0 {
		cache = fmt.Sprintf(" (%s of them from the prompt cache, %s written to it)", grouped(meter.Cached), grouped(meter.Written))
	}
	used := fmt.Sprintf("this session has sent %s tokens%s and received %s", grouped(meter.Input), cache, grouped(meter.Output))
	switch {
	case meter.Cost != nil:
		return used + fmt.Sprintf("; it cost $%.4f", *meter.Cost)
	case meter.Input > 0:
		return used + "; what it cost is not known, because a price is missing"
	}
	return used
}

// rowTokens is what the pictures on the row would add.
func (m *model) rowTokens() (sum int) {
	for _, a := range m.row.pictures {
		sum += m.row.tokens(m.talk.route, a.Image.Width, a.Image.Height)
	}
	return sum
}

func contextTotal(meter agent.Meter) string {
	if meter.Window <= 0 {
		return fmt.Sprintf("about %s tokens; the model's window is not known", grouped(meter.Context))
	}
	return fmt.Sprintf("about %s of %s tokens, %d%%", grouped(meter.Context), grouped(meter.Window), 100*meter.Context/meter.Window)
}

// barCells is how wide a full bar of the context panel is.
const barCells = 30

func (m *model) contextBar(name string, tokens, of, width int) string {
	full := 0
	if of > 0 {
		full = min(barCells*tokens/of, barCells)
	}
	if tokens > 0 && full == 0 {
		full = 1
	}
	label := fmt.Sprintf("%-25s%10s  ", name, grouped(tokens))
	return cut(label+m.t.accent.Render(strings.Repeat("█", full))+m.t.dim.Render(strings.Repeat("·", barCells-full)), width)
}
