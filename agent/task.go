package agent

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/providers"
	"espy/store"
)

// A task is a conversation that a call holds: a loop like the session's own, with a log and blobs of its own under
// the session's folder, that ends with the call. What it shares with the session is what decides and what is at stake:
// the guard with its mode, rules and taint, the hooks, the roots, the keeper of file states, and the person, who is
// asked where the session would ask. Its requests count as the session's.
//
// What must hold: RunTask returns after everything of the task has ended, and its log is closed then. It writes to the
// session's log only what readers without its folder can do without: that it began, what it used, which files changed.

//go:embed task.md
var taskText string

// TaskOptions are what tasks are run with. The settings may change between turns.
type TaskOptions struct {
	// Connect makes the providers of one task, which read its pictures. Nil means that there are no tasks.
	Connect  func(blobs providers.Blobs) func(providers.Route) (providers.Provider, error)
	Find     func(name string) (providers.Route, error) // a route by "provider/model"
	Model    string                                     // what tasks run on where the call says nothing; "" is the session's
	Models   map[string]string                          // short names for models
	MaxTurns int                                        // requests a task may make; 0 means defaultTaskTurns
	MaxCost  float64                                    // US dollars a task may cost; 0 means no bound of its own
}

// task is one that runs.
type task struct {
	outer *Agent
	agent *Agent // its own loop
	call  message.ToolCall
	id    string
	title string

	mu      sync.Mutex // guards what follows
	state   TaskState
	steps   []TaskStep
	running map[string]int // the step of each call under way, by the call's id
	taint   string         // where untrusted text came from, "" where none did
	refused bool           // a call of it was
	changed bool           // a call of it changed files
}

// tasks is how calls reach the agent: the tools know only this.
type tasks struct {
	agent *Agent
	room  chan struct{} // holds a token for each task that runs
}

func newTasks(a *Agent) *tasks { return &tasks{agent: a, room: make(chan struct{}, mostTasks)} }

// RunTask implements tools.Tasks.
func (ts *tasks) RunTask(ctx context.Context, call message.ToolCall, r tools.TaskRequest) (out tools.Outcome, err error) {
	select {
	case ts.room <- struct{}{}:
		defer func() { <-ts.room }()
	case <-ctx.Done():
		return tools.Outcome{}, ctx.Err()
	}
	plan, err := ts.agent.planTask(r)
	if err != nil {
		return tools.Outcome{}, err
	}
	session, err := ts.agent.opt.Session.Task(ctx)
	if err != nil {
		return tools.Outcome{}, err
	}
	t := &task{outer: ts.agent, call: call, id: session.ID(), title: plan.title, running: make(map[string]int)}
	defer func() {
		if closing := session.Close(); closing != nil {
			ts.agent.notice(NoticeError, "The log of a task could not be closed cleanly: "+closing.Error())
		}
	}()
	return t.carryOut(ctx, session, plan)
}

// carryOut is the task from its first record to its answer.
func (t *task) carryOut(ctx context.Context, session *store.Session, plan taskPlan) (tools.Outcome, error) {
	pictures, err := t.outer.handOver(ctx, session, plan.pictures)
	if err != nil {
		return tools.Outcome{}, err
	}
	if t.agent, err = t.furnish(session, plan); err != nil {
		return tools.Outcome{}, err
	}
	defer t.agent.events.close()
	defer t.agent.env.Jobs.End()
	prompt := Prompt{Text: []message.Text{{Text: plan.prompt}}, Attachments: pictures}
	if err := t.agent.accept(prompt); err != nil {
		return tools.Outcome{}, asMistake(err)
	}
	if err := t.begin(plan.route); err != nil {
		return tools.Outcome{}, err
	}
	return t.outcome(ctx, t.agent.converse(ctx))
}

// asMistake makes what kept a prompt from being taken a sentence for the model; what could not be stored stays a fault.
func asMistake(err error) error {
	if errors.As(err, new(*store.WriteError)) {
		return err
	}
	return tools.Mistake("task: " + err.Error())
}

// furnish makes the task's own loop.
func (t *task) furnish(session *store.Session, plan taskPlan) (*Agent, error) {
	opt := t.outer.opt
	opt.Session, opt.Loaded, opt.Hooks, opt.KeepRoute, opt.Refresh = session, store.Loaded{}, nil, nil, nil
	opt.Route, opt.Effort = plan.route, plan.effort
	opt.Connect, opt.Tasks, opt.Refresh = plan.connect(session), nil, nil
	opt.Tools = plan.tools
	opt.Env.Ledger = &tools.Ledger{} // what the session's model read, this one has not
	opt.Env.Jobs = &tools.Jobs{}     // they end with the task
	opt.MaxTurns, opt.MaxCost = plan.maxTurns, plan.maxCost
	images := t.outer.evictions()
	opt.MaxImages, opt.EvictStep = images.keep, images.step
	system := append(append([]string(nil), opt.System()...), strings.TrimSpace(taskText))
	opt.System = func() []string { return system }
	a, err := New(opt)
	if err != nil {
		return nil, err
	}
	a.task, a.hooks, a.files, a.changing = t, t.outer.hooks, t.outer.files, t.outer.changing
	a.env.Redacted, a.env.Ask = t.outer.redacted, nil
	a.events.relay = t.relay
	return a, nil
}

// begin writes down, in the session's log, that the task runs. Its own log is on disk by then.
func (t *task) begin(route providers.Route) error {
	err := t.outer.log.append(func(h *heads) []message.Record {
		return []message.Record{message.TaskRecord{Head: h.beside(message.KindTask), Call: t.call.ID, Task: t.id, Title: t.title,
			Provider: route.Server.Name, Model: route.Model.ID}}
	})
	if err != nil {
		return err
	}
	t.state = TaskState{Task: t.id, Title: t.title, Model: route.Name(), Began: t.outer.opt.Now(), Doing: waitsForModel}
	t.outer.events.put(TaskStarted{CallID: t.call.ID, State: t.state})
	return nil
}

// outcome is the call's result, however the conversation ended: its answer, and what it did as facts for the screen.
func (t *task) outcome(ctx context.Context, err error) (tools.Outcome, error) {
	if errors.As(err, new(*store.WriteError)) {
		return tools.Outcome{}, err
	}
	keep := context.WithoutCancel(ctx) // what an interrupted task found is kept
	words := t.lastWords()
	text, failed := ending(err, words)
	back, err := t.handBack(keep, words)
	if err != nil {
		return tools.Outcome{}, err
	}
	shown, ref, err := tools.Spill(keep, t.outer.env, text)
	if err == nil && ref == "" && len(text) > taskAnswerKept {
		ref, err = t.outer.opt.Session.PutBlob(keep, "txt", strings.NewReader(text))
	}
	if err != nil {
		return tools.Outcome{}, err
	}
	out := tools.Outcome{Pictures: back.records, Refused: t.refused, Changed: t.changed}
	out.Result = message.ToolResult{CallID: t.call.ID, Text: strings.TrimSpace(shown + back.words()), Images: back.images, IsError: failed, Meta: t.meta(ref)}
	return out, nil
}

// ending is what the model reads of a task that ended with this error.
func ending(err error, words string) (text string, failed bool) {
	switch {
	case err == nil || errors.Is(err, errRefused):
		if words == "" {
			return "The task ended without an answer.", true
		}
		return words, false
	case errors.Is(err, errInterrupted):
		text = "Interrupted by the user before the task was done."
	case errors.Is(err, errLimit):
		text = "The task was " + sentence(err.Error())
	default:
		text = "The task failed: " + sentence(err.Error())
	}
	text += " What it had done by then stays done."
	if words != "" {
		text += " It had said last:\n\n" + words
	}
	return text, true
}

// lastWords is the newest thing the task's model said.
func (t *task) lastWords() string {
	messages := t.agent.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != message.RoleAssistant {
			continue
		}
		if text := strings.TrimSpace(messages[i].PlainText()); text != "" {
			return text
		}
	}
	return ""
}

// spent takes a request of the task into the session's own account, as it is made: what was paid is never forgotten.
func (a *Agent) spent(u message.UsageRecord) {
	if a.task == nil {
		return
	}
	outer := a.task.outer
	err := outer.log.append(func(h *heads) []message.Record {
		u.Head, u.Estimate, u.Task = h.beside(message.KindUsage), 0, a.task.id // the estimate was of another conversation
		return []message.Record{u}
	})
	if err != nil {
		outer.notice(NoticeError, "What a task's request cost could not be written down: "+err.Error())
		return
	}
	a.task.used()
	outer.events.put(UsageChanged{Usage: u.Usage, Meter: outer.meter(), Task: a.task.call.ID})
}

// desk is the agent whose person is asked.
func (a *Agent) desk() *Agent {
	if a.task != nil {
		return a.task.outer
	}
	return a
}

// lastRequest tells a task's model that its next answer is the last one it can give.
func (a *Agent) lastRequest(requests int) error {
	if a.task == nil || a.opt.MaxTurns <= 1 || requests != a.opt.MaxTurns {
		return nil
	}
	text := message.Text{Origin: message.OriginEspy, Text: fmt.Sprintf("[This is the last of your %d requests: no further call will be run. Answer now with what you have, and say what is left to do.]", a.opt.MaxTurns)}
	_, err := a.writeMessage(message.Message{Role: message.RoleUser, Blocks: []message.Block{text}})
	return err
}

// usage is what the task's requests have used so far.
func (t *task) usage() (usage message.Usage, cost *float64) {
	t.agent.log.read(func(h *projection.History) { usage, cost = h.Usage() })
	return usage, cost
}
