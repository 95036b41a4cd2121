package ui

import (
	"fmt"
	"strings"

	"espy/agent/tools"
)

// The task list is what the newest call of the tool along the path set. The transcript shows that call whole and the
// earlier ones as a line; above the composer stands its present item, or all of it.

// listTodos takes over what a call of the tool set. The call before it folds.
func (s *session) listTodos(c *call, i int) {
	if c.call.Name != tools.TodoTool || c.state != callDone {
		return
	}
	items, err := tools.Todos(c.call.Args)
	if err != nil {
		return
	}
	if s.listed >= 0 {
		s.list.slots[s.listed].entry.(*call).latest = false
		s.list.changed(s.listed)
	}
	s.todos, s.listed, c.todos, c.latest = items, i, items, true
}

// unfinished counts the items that are not done.
func (s *session) unfinished() (n int) {
	for _, item := range s.todos {
		if item.State != tools.TodoDone {
			n++
		}
	}
	return n
}

// cutLine is a text on one line, where wrap would take several.
func cutLine(text string, width int) []string { return []string{cut(text, width)} }

// todoLines draws the list; fit lays the words of an item out.
func todoLines(items []tools.Todo, width int, t *theme, fit func(string, int) []string) []string {
	var lines []string
	for _, item := range items {
		mark, style := "○ ", t.plain
		switch item.State {
		case tools.TodoDone:
			mark, style = "✓ ", t.dim
		case tools.TodoAtWork:
			mark, style = "▸ ", t.strong
		}
		lines = append(lines, styled(hang(mark, fit(flat(item.Text), max(width-2, 1))), style.Render)...)
	}
	return lines
}

// todoCount is "2 of 5 done".
func todoCount(items []tools.Todo) string {
	done := 0
	for _, item := range items {
		if item.State == tools.TodoDone {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(items))
}

// present is the item that is worked on, else the first that waits.
func present(items []tools.Todo) (tools.Todo, bool) {
	var next tools.Todo
	found := false
	for _, item := range items {
		if item.State == tools.TodoAtWork {
			return item, true
		}
		if item.State == tools.TodoPending && !found {
			next, found = item, true
		}
	}
	return next, found
}

// todoView is the list above the composer: its present item while a turn runs, all of it where that was asked for.
// A list without an unfinished item takes no line.
func (m *model) todoView(width, most int) []string {
	items := m.talk.todos
	item, found := present(items)
	if !found || most < 1 || !m.allTodos && !m.talk.busy {
		return nil
	}
	if !m.allTodos || most < 3 {
		return []string{m.todoLine(item, width)}
	}
	head := "  " + m.t.strong.Render("tasks") + m.t.dim.Render(cut("  "+todoCount(items)+" · "+m.keys.key(actTodos)+" folds", width-7))
	lines := []string{head}
	for _, item := range aroundPresent(items, most-1) {
		lines = append(lines, "  "+todoLines([]tools.Todo{item}, width-4, m.t, cutLine)[0])
	}
	return lines
}

// todoLine is the present item on one line.
func (m *model) todoLine(item tools.Todo, width int) string {
	mark := "○ "
	if item.State == tools.TodoAtWork {
		mark = "▸ "
	}
	tail := "  " + todoCount(m.talk.todos)
	if hint := " · " + m.keys.key(actTodos) + " shows all"; width >= narrowWidth {
		tail += hint
	}
	text := cut("  "+mark+flat(item.Text), width-cellsOf(tail)-2)
	return text + m.t.dim.Render(cut(tail, width-cellsOf(text)))
}

// aroundPresent is the part of a list that fits, the present item in it.
func aroundPresent(items []tools.Todo, most int) []tools.Todo {
	if len(items) <= most {
		return items
	}
	at := 0
	for i, item := range items {
		if item.State != tools.TodoDone {
			at = i
			break
		}
	}
	from := min(max(at-1, 0), len(items)-most)
	return items[from : from+most]
}

// toggleTodos shows the whole list or folds it.
func (m *model) toggleTodos() {
	if m.allTodos = !m.allTodos; m.allTodos && m.talk.unfinished() == 0 {
		m.allTodos = false
		m.say("there is no task list with anything left to do", false)
	}
}

// listHeadline is a call of the tool on a line.
func (c *call) listHeadline() string {
	if len(c.todos) == 0 {
		return "tasks  the list is taken away"
	}
	text := "tasks  " + todoCount(c.todos)
	if item, found := present(c.todos); found && !c.latest {
		text += " · " + flat(item.Text)
	}
	return text
}

// drawList is a call of the tool: the newest one whole, an older one as a line.
func (c *call) drawList(width int, l look) []string {
	lines := []string{l.t.ok.Render("● ") + cut(c.listHeadline(), width-2)}
	if c.latest == l.open { // unfolding shows an older one, folding hides the newest
		return lines
	}
	return append(lines, indent(todoLines(c.todos, width-2, l.t, wrap))...)
}

func (c *call) plainList() string {
	return strings.TrimSpace(c.listHeadline() + "\n" + tools.TodoText(c.todos))
}
