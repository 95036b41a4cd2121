package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"
)

// complete keeps the list above the composer in step with the word at the cursor. Commands are listed at
// once; paths are asked for in a command.
func (m *model) complete() tea.Cmd {
	if m.row.focused || m.list.picked >= 0 || m.dialog != nil {
		m.hints.items = nil
		return nil
	}
	want := wantedAt(&m.comp.buf)
	if want == m.hints.want && (want.kind == completePath || want.kind == completeAttach || m.hints.open()) {
		return nil
	}
	if want != m.hints.want {
		m.hints.selected, m.hints.moved = 0, false
	}
	fresh := want.kind != m.hints.want.kind || want.start != m.hints.want.start
	m.hints.want = want
	if fresh {
		m.hints.items = nil
	}
	if want == m.hints.closed && want.kind != completeNothing {
		m.hints.items = nil
		return nil
	}
	switch want.kind {
	case completeCommand:
		m.hints.show(m.commandHints(want.query))
	case completeArg:
		m.hints.show(m.argHints(want))
	case completePath, completeAttach:
		in := m.conv.Intake
		return m.work.do(func(ctx context.Context) tea.Msg { return findPaths(ctx, in, want) })
	default:
		m.hints.items, m.hints.closed = nil, wanted{}
	}
	return nil
}

// onFound shows paths, unless the word has changed since they were asked for.
func (m *model) onFound(f found) {
	if f.want == m.hints.want && f.want != m.hints.closed {
		m.hints.selected = 0
		m.hints.show(f.items)
	}
}

// commandHints lists the command that is the query, then those that begin with it, then those that hold it, then those that have its
// letters in order. Enter does not take the last kind by itself: what runs would be a guess.
func (m *model) commandHints(query string) []suggestion {
	table := m.slashes()
	names := make([]string, len(table))
	for i, s := range table {
		names[i] = s.name
	}
	var whole, begins, holds, loose []suggestion
	suggest := func(i int, marks []int) suggestion {
		return suggestion{insert: table[i].name, hint: table[i].hint, about: table[i].about, marks: marks}
	}
	lower := strings.ToLower(query)
	for i, name := range names {
		switch at := strings.Index(name, lower); {
		case name == lower: // enter takes the first, which must be what was typed
			whole = append(whole, suggest(i, stretch(0, len(lower))))
		case at == 0:
			begins = append(begins, suggest(i, stretch(0, len(lower))))
		case at > 0:
			holds = append(holds, suggest(i, stretch(at, len(lower))))
		}
	}
	for _, match := range fuzzy.Find(query, names) {
		if !strings.Contains(match.Str, lower) {
			s := suggest(match.Index, match.MatchedIndexes)
			s.loose = true
			loose = append(loose, s)
		}
	}
	return slices.Concat(whole, begins, holds, loose)
}

// stretch is the numbers from one on.
func stretch(from, count int) []int {
	var out []int
	for i := range count {
		out = append(out, from+i)
	}
	return out
}

// argHints lists what the first argument of a command can be.
func (m *model) argHints(want wanted) []suggestion {
	for _, s := range m.slashes() {
		if s.name != want.command || s.args == nil || want.start.col != len([]rune("/"+s.name))+1 {
			continue
		}
		return ranked(want.query, matching(want.query, s.args(m)))
	}
	return nil
}

// matching keeps the names that hold the query as it stands. Enter takes the first of them, so letters scattered
// over a name are not enough: they would put another model in place of one that was typed in full.
func matching(query string, names []string) []string {
	var out []string
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), strings.ToLower(query)) {
			out = append(out, name)
		}
	}
	return out
}
