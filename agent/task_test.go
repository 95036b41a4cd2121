package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/providers"
	"espy/store"
)

// cast is a provider that plays several conversations at once: each request is answered by the part whose name its
// first user message holds.
type cast struct {
	mu    sync.Mutex
	parts map[string]*stage
}

func (c *cast) Stream(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
	var first strings.Builder
	for _, b := range req.Messages[0].Blocks {
		if t, ok := b.(message.Text); ok {
			first.WriteString(t.Text)
		}
	}
	c.mu.Lock()
	var part *stage
	for name, s := range c.parts {
		if strings.Contains(first.String(), name) {
			part = s
		}
	}
	c.mu.Unlock()
	if part == nil {
		return providers.Response{}, fmt.Errorf("no part speaks of %q", first.String())
	}
	return part.Stream(ctx, req, emit)
}

// taskHouse is a house whose agent can run tasks; parts are what each conversation is answered with.
func taskHouse(t *testing.T, mode guard.Mode, parts map[string][]play, adjust ...func(*Options)) (*house, *cast) {
	t.Helper()
	c := &cast{parts: make(map[string]*stage)}
	for name, plays := range parts {
		c.parts[name] = &stage{plays: plays}
	}
	h := &house{t: t, dir: t.TempDir(), state: t.TempDir(), stage: c.parts["GO"]}
	h.adjust = func(opt *Options) {
		opt.Connect = func(providers.Route) (providers.Provider, error) { return c, nil }
		opt.Tools = tools.New(append(tools.Builtin(), tools.Task("quick"), stranger("fetch", "evil.example"))...)
		opt.Tasks = func() TaskOptions {
			return TaskOptions{
				Connect: func(providers.Blobs) func(providers.Route) (providers.Provider, error) { return opt.Connect },
				Find:    findRoute, Models: map[string]string{"quick": "test/quick"},
			}
		}
		for _, f := range adjust {
			f(opt)
		}
	}
	h.store = store.Open(h.state)
	session, err := h.store.Create(context.Background(), h.dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	h.move(session, store.Loaded{}, mode, sees(providers.Supported))
	return h, c
}

// findRoute knows a quick model, a blind one and one on a server nobody spoke of.
func findRoute(name string) (providers.Route, error) {
	server, model, _ := strings.Cut(name, "/")
	route := sees(providers.Supported)
	route.Server.Name, route.Model.Provider, route.Model.ID = server, server, model
	switch name {
	case "test/blind":
		route.Model.ImageInput = providers.Unsupported
	case "test/quick", "far/away":
		route.Model.Price = &providers.Price{Input: 10, Output: 100}
	default:
		return route, errors.New("there is no model " + name)
	}
	return route, nil
}

func taskCall(id, title, prompt string, more ...string) message.ToolCall {
	args, _ := json.Marshal(map[string]string{"description": title, "prompt": prompt})
	text := strings.TrimSuffix(string(args), "}")
	for _, m := range more {
		text += "," + m
	}
	return callOf(id, "task", text+"}")
}

// result is the result that a call came to.
func (h *house) result(id string) message.ToolResult {
	h.t.Helper()
	for _, e := range h.seen {
		if f, ok := e.(CallFinished); ok && f.Call.ID == id {
			return f.Result
		}
	}
	h.t.Fatalf("the call %s has no result; seen %s", id, describe(h.seen))
	return message.ToolResult{}
}

func (h *house) file(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// taskLog is what the task of a result wrote down.
func (h *house) taskLog(r message.ToolResult) projection.Conversation {
	h.t.Helper()
	loaded, err := h.store.Read(context.Background(), h.session.ID()+"/"+r.Meta[message.MetaTask])
	if err != nil || loaded.Damaged > 0 {
		h.t.Fatalf("the task's log: %v, %d damaged", err, loaded.Damaged)
	}
	return projection.NewHistory(loaded.Records).Conversation()
}

func TestATaskHasAConversationOfItsOwnAndOnlyItsAnswerComesBack(t *testing.T) {
	h, c := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Find the number", "FIND it")), say("it is seven")},
		"FIND": {want(callOf("c1", "read", `{"path":"a.txt"}`)), say("The number is 7, a.txt:1.")},
	})
	h.file("a.txt", "seven\n")
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	r := h.result("c1")
	if r.IsError || r.Text != "The number is 7, a.txt:1." {
		t.Errorf("the result should be the task's last words: %+v", r)
	}
	first := c.parts["FIND"].request(0)
	if got := sent(first); strings.Contains(got, "GO") || !strings.Contains(got, "FIND it") {
		t.Errorf("the task should see its assignment and nothing else:\n%s", got)
	}
	for _, spec := range first.Tools {
		if spec.Name == "task" || spec.Name == "exit_plan" {
			t.Errorf("a task was offered %s", spec.Name)
		}
	}
	if len(first.System) < 2 || !strings.Contains(first.System[len(first.System)-1], "This is a task") {
		t.Errorf("the task is not told that it is one: %q", first.System)
	}
	if second := sent(h.stage.request(1)); strings.Contains(second, "seven") {
		t.Errorf("what the task read came into the session's context:\n%s", second)
	}
	if log := h.taskLog(r); len(log.Messages) != 4 {
		t.Errorf("the task's own log should hold prompt, call, result and answer: %+v", log.Messages)
	}
	var usage []message.UsageRecord
	h.agent.log.read(func(h *projection.History) {
		for _, rec := range h.Records() {
			if u, ok := rec.(message.UsageRecord); ok {
				usage = append(usage, u)
			}
		}
	})
	if len(usage) != 2 || usage[0].Task != r.Meta[message.MetaTask] || usage[1].Task != "" {
		t.Errorf("the session's log should account for the task's request and its own: %+v", usage)
	}
}

func TestTwoTasksOfOneAnswerRunSideBySide(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := func(text string) play {
		return func(ctx context.Context, req providers.Request, emit func(providers.Delta)) (providers.Response, error) {
			both.Done()
			met := make(chan struct{})
			go func() { both.Wait(); close(met) }()
			select {
			case <-met:
			case <-time.After(patience):
				return providers.Response{}, errors.New("the other task never began")
			}
			return say(text)(ctx, req, emit)
		}
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":  {want(taskCall("c1", "One", "ONE"), taskCall("c2", "Two", "TWO")), say("done")},
		"ONE": {meet("first")}, "TWO": {meet("second")},
	})
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	if h.result("c1").Text != "first" || h.result("c2").Text != "second" {
		t.Errorf("each call should get its own task's answer: %q, %q", h.result("c1").Text, h.result("c2").Text)
	}
	if a, b := h.result("c1").Meta[message.MetaTask], h.result("c2").Meta[message.MetaTask]; a == b {
		t.Errorf("two tasks share the log %s", a)
	}
}

func TestATaskTellsHowFarItIs(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Look", "LOOK")), say("done")},
		"LOOK": {want(callOf("x", "read", `{"path":"a.txt"}`), callOf("y", "read", `{"path":"none"}`)), say("seen")},
	})
	h.file("a.txt", "hello\n")
	h.send("GO")
	h.end()
	began, steps, last := 0, map[int][]StepState{}, TaskState{}
	for _, e := range h.seen {
		switch e := e.(type) {
		case TaskStarted:
			if began++; e.CallID != "c1" || e.State.Title != "Look" || e.State.Model != "test/model-supported" {
				t.Errorf("the task began as %+v", e)
			}
		case TaskChanged:
			last = e.State
			if e.Step != nil {
				steps[e.Step.N] = append(steps[e.Step.N], e.Step.State)
			}
		}
	}
	if began != 1 || fmt.Sprint(steps) != "map[1:[runs done] 2:[runs failed]]" {
		t.Errorf("began %d times, with the steps %v", began, steps)
	}
	if last.Calls != 2 || last.Input != 100 || last.Output != 10 {
		t.Errorf("the task used 2 calls and 100 and 10 tokens, and told %+v", last)
	}
	r := h.result("c1")
	if s := r.Meta[message.MetaSummary]; s != "Look (2 calls, 110 tokens)" {
		t.Errorf("its line is %q", s)
	}
	var kept []TaskStep
	if err := json.Unmarshal([]byte(r.Meta[message.MetaSteps]), &kept); err != nil || len(kept) != 2 || kept[1].State != StepFailed {
		t.Errorf("the steps kept with the result: %v, %+v", err, kept)
	}
}

func TestATaskGetsTheToolsItWasGivenAndNoOthers(t *testing.T) {
	h, c := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO": {want(
			taskCall("c1", "A", "ONE", `"tools":["read"]`), taskCall("c2", "B", "TWO", `"tools":["task"]`),
			taskCall("c3", "C", "TWO", `"tools":["raed"]`), taskCall("c4", "D", "FOUR", `"tools":[]`)), say("done")},
		"ONE":  {want(callOf("x", "shell", `{"command":"echo no"}`)), say("I have no shell")},
		"FOUR": {say("nothing to call")},
	})
	h.send("GO")
	h.end()
	if specs := c.parts["ONE"].request(0).Tools; len(specs) != 1 || specs[0].Name != "read" {
		t.Errorf("the task was offered %+v", specs)
	}
	if got := sent(c.parts["ONE"].request(1)); !strings.Contains(got, "there is no tool called") {
		t.Errorf("a call of a tool it does not have should be its mistake:\n%s", got)
	}
	if r := h.result("c2"); !r.IsError || !strings.Contains(r.Text, "no task has the tool task") {
		t.Errorf("a task with the task tool: %+v", r)
	}
	if r := h.result("c3"); !r.IsError || !strings.Contains(r.Text, "did you mean read") {
		t.Errorf("a tool that is not there: %+v", r)
	}
	if specs := c.parts["FOUR"].request(0).Tools; len(specs) != 0 {
		t.Errorf("a task without tools was offered %+v", specs)
	}
}

// question waits for what a task asks.
func (h *house) question() PermissionAsked {
	h.t.Helper()
	return h.until("a question", func(e Event) bool { _, ok := e.(PermissionAsked); return ok }).(PermissionAsked)
}

func TestATaskAsksThePersonWhereTheSessionWould(t *testing.T) {
	run := func(t *testing.T, answer Answer) (*house, string) {
		h, c := taskHouse(t, guard.ModeAsk, map[string][]play{
			"GO":    {want(taskCall("c1", "Write it", "WRITE")), say("done")},
			"WRITE": {want(callOf("c1", "write", `{"path":"new.txt","content":"hi\n"}`)), say("over")},
		})
		h.send("GO")
		asked := h.question()
		if asked.Task != "c1" || asked.Title != "Write it" || asked.Call.Name != "write" {
			t.Errorf("the question should say which task asks: %+v", asked)
		}
		answer.ID = asked.ID
		h.agent.Send(answer)
		h.end()
		return h, sent(c.parts["WRITE"].request(1))
	}
	t.Run("allowed", func(t *testing.T) {
		h, _ := run(t, Answer{Choice: guard.ChoiceOnce})
		if data, err := os.ReadFile(filepath.Join(h.dir, "new.txt")); err != nil || string(data) != "hi\n" {
			t.Errorf("the file was not written: %q, %v", data, err)
		}
	})
	t.Run("denied", func(t *testing.T) {
		h, got := run(t, Answer{Choice: guard.ChoiceDeny, Reason: "not there"})
		if _, err := os.Stat(filepath.Join(h.dir, "new.txt")); err == nil {
			t.Error("the file was written")
		}
		if !strings.Contains(got, "not there") {
			t.Errorf("the task's model should read why:\n%s", got)
		}
		for _, e := range h.seen {
			if s, ok := e.(PermissionSettled); ok && (s.Task != "c1" || s.Allowed) {
				t.Errorf("settled as %+v", s)
			}
		}
	})
}

func TestATaskIsNeverWiderThanItsSession(t *testing.T) {
	h, c := taskHouse(t, guard.ModePlan, map[string][]play{
		"GO":    {want(taskCall("c1", "Write", "WRITE")), say("done")},
		"WRITE": {want(callOf("x", "write", `{"path":"new.txt","content":"hi"}`), callOf("y", "read", `{"path":"/etc/shadow"}`)), say("no")},
	})
	h.send("GO")
	for {
		e := h.until("the end", func(e Event) bool {
			_, asked := e.(PermissionAsked)
			_, ended := e.(TurnEnded)
			return asked || ended
		})
		asked, ok := e.(PermissionAsked)
		if !ok {
			break
		}
		h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny})
	}
	if _, err := os.Stat(filepath.Join(h.dir, "new.txt")); err == nil {
		t.Error("a task wrote in plan mode")
	}
	if got := sent(c.parts["WRITE"].request(1)); strings.Count(got, "Refused") != 2 {
		t.Errorf("both calls should be refused:\n%s", got)
	}
}

func TestAHeadlessTaskIsRefusedWhatNobodyCanBeAskedAbout(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":    {want(taskCall("c1", "Write", "WRITE")), say("done")},
		"WRITE": {want(callOf("x", "write", `{"path":"new.txt","content":"hi"}`)), say("I could not")},
	}, func(o *Options) { o.Headless = true })
	h.send("GO")
	if end := h.end(); end.Reason != EndRefused {
		t.Errorf("a run in which a task was refused a call ended as %s: %v", end.Reason, end.Err)
	}
	if r := h.result("c1"); r.IsError || r.Text != "I could not" {
		t.Errorf("the task's answer still counts: %+v", r)
	}
}

func TestWhatATaskReadThatNobodyVouchesForTaintsTheSession(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAuto, map[string][]play{
		"GO":    {want(taskCall("c1", "Fetch", "FETCH")), say("done")},
		"FETCH": {want(callOf("x", "fetch", `{}`)), say("as it says there")},
	})
	h.send("GO")
	h.end()
	if got := h.guard.Tainted(); got != "evil.example" {
		t.Errorf("the session's guard is tainted by %q", got)
	}
	if got := h.result("c1").Meta[message.MetaTaint]; got != "evil.example" {
		t.Errorf("the answer is marked as from %q", got)
	}
}

func TestEscStopsATaskWithTheTurnAndKeepsWhatItDid(t *testing.T) {
	begun := make(chan struct{})
	hang := func(ctx context.Context, _ providers.Request, _ func(providers.Delta)) (providers.Response, error) {
		close(begun)
		<-ctx.Done()
		return providers.Response{}, ctx.Err()
	}
	h, _ := taskHouse(t, guard.ModeAuto, map[string][]play{
		"GO":   {want(taskCall("c1", "Work", "WORK")), say("done")},
		"WORK": {want(callOf("x", "write", `{"path":"new.txt","content":"hi\n"}`)), hang},
	})
	h.send("GO")
	<-begun
	h.agent.Interrupt()
	if end := h.end(); end.Reason != EndInterrupted {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	r := h.result("c1")
	if !r.IsError || !strings.Contains(r.Text, "Interrupted by the user") {
		t.Errorf("the call's result: %+v", r)
	}
	if log := h.taskLog(r); len(log.Messages) != 3 {
		t.Errorf("the task's log should hold what it did: %+v", log.Messages)
	}
	h.stage.mu.Lock()
	h.stage.plays = []play{say("on we go")}
	h.stage.mu.Unlock()
	h.send("go on")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("the next turn ended as %s: %v", end.Reason, end.Err)
	}
}

// echo lets a task speak with the model that reports what it received.
func TestWhatATaskChangedGoesBackWithTheConversationAndIsToBeReadAgain(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAuto, map[string][]play{
		"GO": {
			want(callOf("r", "read", `{"path":"a.txt"}`)),
			want(taskCall("c1", "Change", "CHANGE")),
			want(callOf("e", "edit", `{"path":"a.txt","edits":[{"old_text":"two","new_text":"three"}]}`)),
			say("done"),
		},
		"CHANGE": {want(callOf("x", "edit", `{"path":"a.txt","edits":[{"old_text":"one","new_text":"two"}]}`)),
			want(callOf("x", "read", `{"path":"a.txt"}`), callOf("y", "edit", `{"path":"a.txt","edits":[{"old_text":"one","new_text":"two"}]}`)), say("changed")},
	})
	path := h.file("a.txt", "one\n")
	h.send("GO")
	h.end()
	if data, _ := os.ReadFile(path); string(data) != "two\n" {
		t.Errorf("the file holds %q", data)
	}
	if r := h.result("e"); !r.IsError || !strings.Contains(r.Text, "read") {
		t.Errorf("the session's model has to read what the task changed before it edits it: %+v", r)
	}
	h.agent.Send(Rewind{To: h.agent.Points()[0].ID})
	back := h.until("the rewind", func(e Event) bool { _, ok := e.(Rewound); return ok }).(Rewound)
	if data, _ := os.ReadFile(path); string(data) != "one\n" || len(back.Files) != 1 {
		t.Errorf("after the rewind the file holds %q: %+v", data, back.Files)
	}
}

func TestHooksAreAskedAboutATasksCallsToo(t *testing.T) {
	h := hookedHouse(t, "[[hook]]\nevent = \"pre_tool\"\ntools = [\"write\"]\nargv = [\"./run\"]\n", `echo '{"decision":"deny","reason":"not in here"}'`+"\n")
	hooks := h.hooks
	again, c := taskHouse(t, guard.ModeAuto, map[string][]play{
		"GO":    {want(taskCall("c1", "Write", "WRITE")), say("done")},
		"WRITE": {want(callOf("x", "write", `{"path":"new.txt","content":"hi"}`)), say("no")},
	}, func(o *Options) { o.Hooks = hooks })
	again.send("GO")
	again.end()
	if got := sent(c.parts["WRITE"].request(1)); !strings.Contains(got, "not in here") {
		t.Errorf("the hook was not asked:\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(again.dir, "new.txt")); err == nil {
		t.Error("the file was written")
	}
}

func TestWhatIsAllowedForTheSessionAnswersWhatOtherTasksAskToo(t *testing.T) {
	part := func(name string) []play {
		return []play{want(callOf("x", "write", `{"path":"docs/`+name+`","content":"hi"}`)), say("written")}
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":  {want(taskCall("c1", "One", "ONE"), taskCall("c2", "Two", "TWO")), say("done")},
		"ONE": part("one"), "TWO": part("two"),
	})
	h.send("GO")
	var asked []PermissionAsked
	h.until("both questions", func(e Event) bool {
		if q, ok := e.(PermissionAsked); ok {
			asked = append(asked, q)
		}
		return len(asked) == 2
	})
	h.agent.Send(Answer{ID: asked[0].ID, Choice: guard.ChoiceSession})
	h.end()
	for _, name := range []string{"one", "two"} {
		if _, err := os.Stat(filepath.Join(h.dir, "docs", name)); err != nil {
			t.Errorf("docs/** was allowed for the session, and %s was not written: %v", name, err)
		}
	}
}
