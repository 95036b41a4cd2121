package tools

import (
	"context"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

// TaskName is the tool that runs a conversation of its own.
const TaskName = "task"

// TaskRequest is what a call of the task tool asks for.
type TaskRequest struct {
	Description string   `json:"description"`
	Prompt      string   `json:"prompt"`
	Model       string   `json:"model"`
	Tools       []string `json:"tools"` // nil gives all there are for tasks; an empty list gives none
	Pictures    []string `json:"pictures"`
	MaxTurns    int      `json:"max_turns"`
	MaxCost     float64  `json:"max_cost"`
}

// Tasks runs conversations of their own beside the session's.
type Tasks interface {
	// TaskEffect says what a task would do before its first request. An error is a sentence for the model.
	TaskEffect(r TaskRequest) (guard.Effect, error)
	// RunTask carries a task through. It returns when the conversation has ended, soon after its context.
	RunTask(ctx context.Context, call message.ToolCall, r TaskRequest) (Outcome, error)
}

// NotForTasks are the tools a task never has: it starts no tasks of its own, and speaks to nobody.
func NotForTasks() []string { return []string{TaskName, AskTool, "todo", "exit_plan"} }

// Task is the tool that hands a piece of work to a conversation of its own. Models are what it says of those that the
// settings have short names for; any other is named as "provider/model".
func Task(models ...string) Tool {
	about := "The model that does it, as provider/model; yours where nothing is said."
	if len(models) > 0 {
		about = "The model that does it, by its short name: " + strings.Join(models, "; ") + ". Or as provider/model. Where nothing is said, what the user set for tasks."
	}
	return declaration[TaskRequest]{
		name: TaskName,
		params: params{
			{name: "description", kind: "string", required: true, about: "A title of three to six words, for the user."},
			{name: "prompt", kind: "string", required: true, about: "The whole assignment: it sees nothing of this conversation. Say what to find out or do, where, and what to answer with."},
			{name: "model", kind: "string", about: about},
			{name: "tools", kind: "array", about: "Only these tools, by name; all of yours but task, ask, todo and exit_plan where nothing is said; [] for none."},
			{name: "pictures", kind: "array", about: "Pictures it gets to see: blob:NAME of this conversation, or paths."},
			{name: "max_turns", kind: "integer", least: 1, most: mostTaskTurns, about: "Requests it may make; the user's limit holds where it is lower."},
			{name: "max_cost", kind: "number", about: "US dollars it may cost; the user's limit holds where it is lower."},
		},
		readOnly: true, // it does nothing itself: each of its calls is judged and watched by itself
		effect:   taskEffect,
		run: func(ctx context.Context, env *Env, call message.ToolCall, r TaskRequest) (Outcome, error) {
			if env.Tasks == nil {
				return Outcome{}, mistakef("task: no tasks can be run here; do the work yourself")
			}
			return env.Tasks.RunTask(ctx, call, r)
		},
	}.tool()
}

func taskEffect(env *Env, r TaskRequest) (guard.Effect, error) {
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return guard.Effect{}, mistakef("task: the prompt is empty; it sees nothing of this conversation, so write the whole assignment")
	case r.MaxCost < 0:
		return guard.Effect{}, mistakef("task: max_cost must not be negative")
	case env.Tasks == nil:
		return guard.Effect{Kind: guard.KindNone, Summary: "task " + clip(r.Description, maxSummaryBytes)}, nil
	}
	return env.Tasks.TaskEffect(r)
}

// Mistake is an error that is a sentence for the model: the call's wrapper turns it into the call's result.
func Mistake(sentence string) error { return &mistake{sentence} }
