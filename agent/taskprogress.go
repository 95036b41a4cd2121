package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
)

// StepState says how far a step of a task is.
type StepState string

const (
	StepRuns    StepState = "runs"
	StepWaits   StepState = "waits" // for the person
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	StepRefused StepState = "refused"
)

// TaskStep is a call of a task.
type TaskStep struct {
	N       int       `json:"n"` // counts the task's calls from 1
	Name    string    `json:"name"`
	Summary string    `json:"summary"`
	State   StepState `json:"state"`
	Millis  int64     `json:"ms,omitempty"`
}

// TaskState is where a task stands.
type TaskState struct {
	Task     string // names the folder of its log, and its transcript as SESSION/TASK
	Title    string
	Model    string // "provider/model"
	Began    time.Time
	Doing    string // in a few words: "answering", "read main.go"
	Requests int
	Calls    int
	Input    int // tokens
	Output   int
	Cost     *float64 // US dollars; nil where a price is unknown
}

// waitsForModel is what a task is at between its calls and the next answer.
const waitsForModel = "waiting for its model"

// relay takes what the task's own loop tells: what the person should know goes on to the session's face. It is called
// from the task's goroutines and does not block.
func (t *task) relay(e Event) {
	switch e := e.(type) {
	case TextDelta:
		t.doing("answering")
	case ThinkingDelta:
		t.doing("thinking")
	case Activity:
		t.doing(e.Text)
	case AnswerDone:
		t.doing(waitsForModel)
	case CallStarted:
		t.started(e)
	case CallFinished:
		t.finished(e)
	case PermissionSettled:
		t.settled(e)
	case Notice:
		if e.Kind == NoticeRetried {
			t.doing(e.Sentence)
			return
		}
		e.Sentence, e.Task = "Task "+t.title+": "+e.Sentence, t.call.ID
		t.outer.events.put(e)
	}
}

func (t *task) doing(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state.Doing == what {
		return
	}
	t.state.Doing = what
	t.tell(nil)
}

// tell sends the state to the face; mu is held.
func (t *task) tell(step *TaskStep) {
	t.outer.events.put(TaskChanged{CallID: t.call.ID, State: t.state, Step: step})
}

func (t *task) started(e CallStarted) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Calls++
	step := TaskStep{N: t.state.Calls, Name: e.Call.Name, Summary: clipRunes(guard.Printable(e.Summary), taskStepRunes), State: StepRuns}
	t.running[e.Call.ID] = len(t.steps)
	t.steps = append(t.steps, step)
	t.state.Doing = step.Summary
	t.tell(&step)
}

// turn sets the state of a call's step; mu is held.
func (t *task) turn(callID string, state StepState, took time.Duration) {
	at, ok := t.running[callID]
	if !ok {
		return
	}
	step := &t.steps[at]
	step.State, step.Millis = state, took.Milliseconds()
	told := *step
	t.tell(&told)
}

func (t *task) finished(e CallFinished) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := StepDone
	switch {
	case e.Result.Meta[message.MetaRefused] != "":
		state, t.refused = StepRefused, true
	case e.Result.IsError:
		state = StepFailed
	}
	if source := e.Result.Meta[message.MetaTaint]; source != "" {
		t.taint = source
	}
	t.turn(e.Call.ID, state, e.Took)
}

// settled passes on how permission came out.
func (t *task) settled(e PermissionSettled) {
	e.Task = t.call.ID
	t.outer.events.put(e)
	if e.ID != "" && e.Allowed {
		t.waits(e.Call.ID, StepRuns)
	}
}

func (t *task) waits(callID string, state StepState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(callID, state, 0)
}

// used takes in what a request used.
func (t *task) used() {
	usage, cost := t.usage()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Requests++
	t.state.Input, t.state.Output, t.state.Cost = usage.Input, usage.Output, cost
	t.tell(nil)
}

// meta is what the screen and observers are told of a task that ended.
func (t *task) meta(blob string) map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.steps
	if len(kept) > mostTaskSteps {
		kept = kept[len(kept)-mostTaskSteps:]
	}
	meta := map[string]string{message.MetaTask: t.id, message.MetaSummary: t.title + " (" + t.state.Facts() + ")"}
	if steps, err := json.Marshal(kept); err == nil && len(kept) > 0 {
		meta[message.MetaSteps] = string(steps)
	}
	if t.taint != "" {
		meta[message.MetaTaint] = t.taint
	}
	if blob != "" {
		meta[message.MetaBlob] = blob
	}
	return meta
}

// Facts is what a task took, for one line: "5 calls, 12,345 tokens, $0.0213".
func (s TaskState) Facts() string {
	facts := []string{plural(s.Calls, "call", "calls"), grouped(s.Input+s.Output) + " tokens"}
	if s.Cost != nil && *s.Cost > 0 {
		facts = append(facts, fmt.Sprintf("$%.4f", *s.Cost))
	}
	return strings.Join(facts, ", ")
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
