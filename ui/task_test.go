package ui

import (
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/ui/internal/script"
)

func taskStart(id, title string) []agent.Event {
	return []agent.Event{
		agent.CallStarted{Call: message.ToolCall{ID: id, Name: "task", Args: `{"description":"` + title + `","prompt":"Look\nclosely."}`}, Summary: "task " + title},
		agent.TaskStarted{CallID: id, State: agent.TaskState{Title: title, Model: "fake/echo", Doing: "waiting for its model"}},
	}
}

func taskStep(id string, n int, summary string, state agent.StepState) agent.TaskChanged {
	return agent.TaskChanged{CallID: id, State: agent.TaskState{Model: "fake/echo", Calls: n, Input: 3000, Output: 100, Doing: summary},
		Step: &agent.TaskStep{N: n, Summary: summary, State: state, Millis: 2500}}
}

func wantOnScreen(t *testing.T, d *driver, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.screen(), text) {
			t.Errorf("%s: the screen should show %q:\n%s", what, text, d.screen())
		}
	}
}

func TestARunningTaskShowsItsNewestCallsAndWhatItUsed(t *testing.T) {
	d := drive(t, 100, 30, nil, script.Opened())
	d.tell(append([]agent.Event{agent.TurnStarted{}}, append(taskStart("a", "Find it"), taskStart("b", "Paint it")...)...)...)
	wantOnScreen(t, d, "at the start", "task Find it", "└ waiting for its model")
	for n, name := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
		d.tell(taskStep("a", n+1, "read "+name, agent.StepRuns))
		if n < 6 {
			d.tell(taskStep("a", n+1, "read "+name, agent.StepDone))
		}
	}
	wantOnScreen(t, d, "under way", "└ 7 calls · 3.1k tokens · read seven", "│ ● read six  2.5 s", "│ ◌ read seven")
	if strings.Contains(d.screen(), "● read one") {
		t.Errorf("folded it shows only the newest calls:\n%s", d.screen())
	}
	if line := d.overComposer(); !strings.Contains(line, "task Find it: read seven and 1 more call") {
		t.Errorf("the line over the composer is %q", line)
	}
	d.key("ctrl+o")
	wantOnScreen(t, d, "unfolded", "● read one", "│ Look", "│ closely.")
}

func TestAFinishedTaskShowsItsAnswerAndUnfoldedItsCalls(t *testing.T) {
	d := drive(t, 100, 30, nil, script.Opened())
	result := message.ToolResult{CallID: "a", Text: "It is there.\n\nIn line two.", Meta: map[string]string{
		message.MetaTask: "01J", message.MetaSummary: "Find it (2 calls, 3,100 tokens, $0.0100)"}}
	d.tell(append(taskStart("a", "Find it"), taskStep("a", 1, "read one", agent.StepDone), taskStep("a", 2, "write two", agent.StepRefused),
		agent.CallFinished{Call: message.ToolCall{ID: "a"}, Result: result, Took: 12 * time.Second})...)
	wantOnScreen(t, d, "folded", "● task Find it (2 calls, 3,100 tokens, $0.0100)  12 s", "└ It is there.")
	if strings.Contains(d.screen(), "read one") {
		t.Errorf("folded it shows its calls:\n%s", d.screen())
	}
	d.key("ctrl+o")
	wantOnScreen(t, d, "unfolded", "│ ● read one", "│ ⊘ write two  refused", "│ In line two.")
}

func TestATaskOfAnEarlierLifeShowsWhatWasKeptOfIt(t *testing.T) {
	opened := script.Opened()
	opened.Messages = []message.Message{
		{Role: message.RoleAssistant, Blocks: []message.Block{message.ToolCall{ID: "a", Name: "task", Args: `{"description":"Find it","prompt":"Look."}`}}},
		{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: "a", Text: "It is there.", Meta: map[string]string{
			message.MetaTask: "01J", message.MetaSummary: "Find it (1 call, 3,100 tokens)", message.MetaSteps: `[{"n":1,"name":"read","summary":"read one","state":"done"}]`}}}},
		{Role: message.RoleAssistant, Blocks: []message.Block{message.ToolCall{ID: "b", Name: "task", Args: `{"description":"Cut off","prompt":"Look."}`}}},
	}
	d := drive(t, 100, 30, nil, opened)
	d.key("ctrl+o")
	wantOnScreen(t, d, "resumed", "● task Find it (1 call, 3,100 tokens)", "│ ● read one", "│ It is there.", "✗ task")
}

func TestAQuestionOfATaskSaysWhichTaskAsksAndItsAnswerGoesThere(t *testing.T) {
	d := drive(t, 100, 30, nil, script.Opened())
	ask := func(id, task, title string) agent.PermissionAsked {
		return agent.PermissionAsked{ID: id, Call: message.ToolCall{ID: "c1", Name: "write", Args: `{}`}, Task: task, Title: title,
			Effect: guard.Effect{Tool: "write", Kind: guard.KindWrite, Summary: "write " + id + ".txt"}, Decision: guard.Decision{Verdict: guard.Ask, Reason: "it asks"}}
	}
	d.tell(append([]agent.Event{agent.TurnStarted{}}, append(taskStart("a", "Find it"), taskStart("b", "Paint it")...)...)...)
	d.tell(ask("q1", "a", "Find it"), ask("q2", "b", "Paint it"))
	d.shows("write: change this file?")
	wantOnScreen(t, d, "the first question", "for the task Find it", "? task Find it  waits for you", "? task Paint it  waits for you")
	d.tell(agent.PermissionSettled{ID: "q1", Call: message.ToolCall{ID: "c1"}, Task: "a", Allowed: false, Reason: "no"})
	d.shows("for the task Paint it")
	wantOnScreen(t, d, "after the first", "◌ task Find it")
	if strings.Contains(d.screen(), "⊘ task Find it") {
		t.Errorf("a call of a task that was denied is no refusal of the task:\n%s", d.screen())
	}
}

func TestATasksTokensCountIntoTheTurns(t *testing.T) {
	d := drive(t, 120, 24, nil, script.Opened())
	d.tell(append([]agent.Event{agent.TurnStarted{}, agent.AnswerDone{Message: message.Message{Usage: &message.Usage{Input: 13_000, Output: 400}}}}, taskStart("a", "Find it")...)...)
	d.tell(agent.UsageChanged{Usage: message.Usage{Input: 2000, Output: 100}, Task: "a"})
	if line := d.overComposer(); !strings.Contains(line, "15k in") || !strings.Contains(line, "500 out") {
		t.Errorf("the line is %q", line)
	}
}

func TestATaskIsBoundedOnTheScreenHoweverManyCallsItMakes(t *testing.T) {
	v := &taskView{}
	for n := range 3 * mostSteps {
		v.take(agent.TaskState{}, &agent.TaskStep{N: n + 1, State: agent.StepRuns})
		v.take(agent.TaskState{}, &agent.TaskStep{N: n + 1, State: agent.StepDone})
	}
	if len(v.steps) != mostSteps || v.steps[mostSteps-1].N != 3*mostSteps || v.steps[0].State != agent.StepDone {
		t.Errorf("%d steps are held, the last is %+v", len(v.steps), v.steps[len(v.steps)-1])
	}
}

func TestATaskOnAnotherModelSaysWhich(t *testing.T) {
	d := drive(t, 100, 30, nil, script.Opened())
	d.tell(append(taskStart("a", "Find it"), agent.TaskChanged{CallID: "a", State: agent.TaskState{Model: "test/quick", Calls: 1, Doing: "thinking"}})...)
	wantOnScreen(t, d, "on another model", "└ test/quick · 1 call · thinking")
}
