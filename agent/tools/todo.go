package tools

import (
	"context"
	"fmt"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

// Todo is an item of the task list.
type Todo struct {
	ID    string    `json:"id,omitempty"`
	Text  string    `json:"text"`
	State TodoState `json:"state"`
}

// TodoState is how far an item is.
type TodoState string

const (
	TodoPending TodoState = "pending"
	TodoAtWork  TodoState = "in_progress"
	TodoDone    TodoState = "done"
)

// TodoTool is the tool's name; a face draws its calls as the list they set.
const TodoTool = "todo"

type todoArgs struct {
	Items []Todo `json:"items"`
}

func todoParams() params {
	return params{{name: "items", kind: "array", required: true, about: "The whole list, in order; it replaces the one before. An empty list takes it away.", fields: params{
		{name: "id", kind: "string", about: "A short name that stays the same while the text may change."},
		{name: "text", kind: "string", required: true, about: "What is to be done, in a few words."},
		{name: "state", kind: "string", required: true, enum: []string{string(TodoPending), string(TodoAtWork), string(TodoDone)}, about: "Exactly one item is in_progress while you work."},
	}}}
}

// todoTool replaces the task list. The list is nowhere but in the log: the newest call along the path is the list, so
// that a resume, a rewind and a fork have the right one.
func todoTool() Tool {
	return declaration[todoArgs]{
		name:   TodoTool,
		params: todoParams(),
		effect: func(_ *Env, a todoArgs) (guard.Effect, error) {
			return guard.Effect{Kind: guard.KindNone, Summary: "the task list"}, checkTodos(a.Items)
		},
		run: func(_ context.Context, _ *Env, _ message.ToolCall, a todoArgs) (Outcome, error) {
			if err := checkTodos(a.Items); err != nil {
				return Outcome{}, err
			}
			if len(a.Items) == 0 {
				return answer("The list is empty now.", message.MetaSummary, "the task list is taken away", message.MetaKept, "(the task list is empty)"), nil
			}
			done := countTodos(a.Items, TodoDone)
			text := fmt.Sprintf("The list is kept: %d of %d done.", done, len(a.Items))
			return answer(text, message.MetaSummary, todoSummary(a.Items), message.MetaKept, "The task list as it was set last (todo replaces it):\n"+TodoText(a.Items)), nil
		},
	}.tool()
}

// Todos reads the list that a call of the tool set. Arguments the tool would not take are an error.
func Todos(args string) ([]Todo, error) {
	a, _, err := decodeArgs[todoArgs](TodoTool, args, todoParams())
	if err == nil {
		err = checkTodos(a.Items)
	}
	return a.Items, err
}

func checkTodos(items []Todo) error {
	if len(items) > maxTodos {
		return mistakef("todo: the list has %d items and may have %d; join some", len(items), maxTodos)
	}
	ids := make(map[string]int)
	for i, item := range items {
		switch first, taken := ids[item.ID]; {
		case strings.TrimSpace(item.Text) == "":
			return mistakef("todo: item %d has no text", i+1)
		case len(item.Text) > maxTodoText:
			return mistakef("todo: the text of item %d has %d bytes and may have %d; say it shorter", i+1, len(item.Text), maxTodoText)
		case len(item.ID) > maxTodoText:
			return mistakef("todo: the id of item %d has %d bytes and may have %d", i+1, len(item.ID), maxTodoText)
		case taken && item.ID != "":
			return mistakef("todo: the items %d and %d have the same id %s", first, i+1, quote(clip(item.ID, 40)))
		}
		ids[item.ID] = i + 1
	}
	if n := countTodos(items, TodoAtWork); n > 1 {
		return mistakef("todo: %d items are in_progress, and one may be; make the others pending or done", n)
	}
	return nil
}

func countTodos(items []Todo, state TodoState) (n int) {
	for _, item := range items {
		if item.State == state {
			n++
		}
	}
	return n
}

// todoSummary is "2 of 5 done, now: write the tests".
func todoSummary(items []Todo) string {
	text := fmt.Sprintf("%d of %d done", countTodos(items, TodoDone), len(items))
	for _, item := range items {
		if item.State == TodoAtWork {
			text += ", now: " + strings.Join(strings.Fields(item.Text), " ")
		}
	}
	return text
}

// TodoText is the list in words, a line an item.
func TodoText(items []Todo) string {
	var b strings.Builder
	for _, item := range items {
		mark := map[TodoState]string{TodoDone: "[x]", TodoAtWork: "[>]"}[item.State]
		if mark == "" {
			mark = "[ ]"
		}
		id := ""
		if item.ID != "" {
			id = item.ID + ": "
		}
		fmt.Fprintf(&b, "%s %s%s\n", mark, id, strings.Join(strings.Fields(item.Text), " "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
