package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

func TestATaskEndsAtItsLimitWithWhatItHas(t *testing.T) {
	again := func() play { return want(callOf("x", "glob", `{"pattern":"*"}`)) }
	h, c := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":     {want(taskCall("c1", "Search", "SEARCH", `"max_turns":2`), taskCall("c2", "Answer", "ANSWER", `"max_turns":2`)), say("done")},
		"SEARCH": {again(), again(), again()}, "ANSWER": {again(), say("this far I came")},
	})
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("a task at its limit is no end of the turn: %s, %v", end.Reason, end.Err)
	}
	if r := h.result("c1"); !r.IsError || !strings.Contains(r.Text, "stopped after 2 requests") {
		t.Errorf("the result should say so: %+v", r)
	}
	if got := sent(c.parts["ANSWER"].request(1)); !strings.Contains(got, "the last of your 2 requests") {
		t.Errorf("before its last request a task is told:\n%s", got)
	}
	if r := h.result("c2"); r.IsError || r.Text != "this far I came" {
		t.Errorf("and its last answer counts: %+v", r)
	}
}

func TestATaskWhoseProviderFailsIsAFailedCallAndNoEndOfTheTurn(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Work", "WORK")), say("then I do it myself")},
		"WORK": {fail(&providers.Error{Class: providers.ClassAuth, Message: "no such key", Picture: -1})},
	})
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Fatalf("the turn ended as %s: %v", end.Reason, end.Err)
	}
	if r := h.result("c1"); !r.IsError || !strings.Contains(r.Text, "The task failed: ") || !strings.Contains(r.Text, "no such key") {
		t.Errorf("the result should say what the server said: %+v", r)
	}
}

func TestATaskThatGoesRoundInCirclesIsStopped(t *testing.T) {
	var plays []play
	for range 6 {
		plays = append(plays, want(callOf("x", "glob", `{"pattern":"*.none"}`)))
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {want(taskCall("c1", "Work", "WORK")), say("I see")}, "WORK": plays})
	h.send("GO")
	h.end()
	if r := h.result("c1"); !r.IsError || !strings.Contains(r.Text, "the same call 5 times") {
		t.Errorf("the result: %+v", r)
	}
}

func TestWhatATaskCostsIsTheSessionsCost(t *testing.T) {
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Work", "WORK", `"model":"quick"`)), say("never said")},
		"WORK": {want(callOf("x", "glob", `{"pattern":"*"}`)), say("done")},
	}, func(o *Options) { o.MaxCost = 0.001 })
	h.send("GO")
	end := h.end()
	if end.Reason != EndLimit || !strings.Contains(fmt.Sprint(end.Err), "$0.0020") {
		t.Errorf("100 tokens in and 10 out at $10 and $100 a million cost $0.002, more than the session may: %s, %v", end.Reason, end.Err)
	}
	var told *UsageChanged
	for _, e := range h.seen {
		if u, ok := e.(UsageChanged); ok && u.Task == "c1" {
			told = &u
		}
	}
	if told == nil || told.Usage.Input != 100 || told.Meter.Cost == nil || *told.Meter.Cost < 0.0019 {
		t.Errorf("the meter should move with the task's requests: %+v", told)
	}
}

func TestAModelThatNobodySpokeOfAsks(t *testing.T) {
	h, c := taskHouse(t, guard.ModeAsk, map[string][]play{
		"GO":   {want(taskCall("c1", "Near", "NEAR", `"model":"quick"`), taskCall("c2", "Far", "FAR", `"model":"far/away"`), taskCall("c3", "None", "NONE", `"model":"qick"`)), say("done")},
		"NEAR": {say("near")}, "FAR": {say("far")},
	})
	h.send("GO")
	asked := h.question()
	if asked.Call.ID != "c2" || asked.Effect.Host != "far" {
		t.Errorf("asked about %+v", asked)
	}
	h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceDeny})
	h.end()
	if h.result("c1").Text != "near" || len(c.parts["FAR"].requests) != 0 {
		t.Errorf("the short name of the settings runs, the other was denied: %+v", h.result("c1"))
	}
	if r := h.result("c3"); !r.IsError || !strings.Contains(r.Text, "the settings have quick") {
		t.Errorf("a model that is not there: %+v", r)
	}
}

func TestTheJobsOfATaskAreItsOwnAndEndWithIt(t *testing.T) {
	h, c := taskHouse(t, guard.ModeFull, map[string][]play{
		"GO":    {want(taskCall("c1", "Start", "START")), say("done")},
		"START": {want(callOf("x", "shell", `{"command":"echo $$ > pid; exec sleep 600","background":true}`)), say("started")},
	})
	h.send("GO")
	h.end()
	if got := sent(c.parts["START"].request(1)); !strings.Contains(got, "job 1 runs in the background") {
		t.Errorf("the task was answered:\n%s", got)
	}
	if list := h.agent.Jobs(); len(list) != 0 {
		t.Errorf("the session has the jobs %+v", list)
	}
	pid, err := os.ReadFile(filepath.Join(h.dir, "pid"))
	if err != nil {
		return // it was ended before it got so far
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil && runtime.GOOS == "linux" {
		t.Errorf("the job %s lives on", pid)
	}
}

func TestWhatATaskChangedMakesTheSameResultNewAgain(t *testing.T) {
	var plays []play
	parts := map[string][]play{}
	for i := range 5 {
		name := fmt.Sprintf("PART%d", i)
		plays = append(plays, want(callOf("g", "glob", `{"pattern":"*.go"}`)), want(taskCall("c1", name, name)))
		parts[name] = []play{want(callOf("x", "write", fmt.Sprintf(`{"path":"f%d.txt","content":"hi"}`, i))), say("written")}
	}
	parts["GO"] = append(plays, say("done"))
	h, _ := taskHouse(t, guard.ModeAuto, parts)
	h.send("GO")
	if end := h.end(); end.Reason != EndDone {
		t.Errorf("looking again after each change is no loop: %s, %v", end.Reason, end.Err)
	}
}

func TestFilesThatTasksChangedSideBySideGoBackWithoutAQuestion(t *testing.T) {
	part := func(name string) []play {
		return []play{
			want(callOf("x", "shell", `{"command":"echo one > `+name+`.txt; echo two > `+name+`2.txt"}`)),
			want(callOf("y", "shell", `{"command":"echo three >> `+name+`.txt; rm `+name+`2.txt"}`)), say("done")}
	}
	h, _ := taskHouse(t, guard.ModeFull, map[string][]play{
		"GO":  {want(taskCall("c1", "One", "ONE"), taskCall("c2", "Two", "TWO"), taskCall("c3", "Three", "THREE")), say("done")},
		"ONE": part("a"), "TWO": part("b"), "THREE": part("c"),
	})
	old := h.file("old.txt", "old\n")
	h.send("GO")
	h.end()
	for _, name := range []string{"a", "b", "c"} {
		if data, err := os.ReadFile(filepath.Join(h.dir, name+".txt")); err != nil || string(data) != "one\nthree\n" {
			t.Fatalf("%s.txt holds %q, %v", name, data, err)
		}
	}
	h.agent.Send(Rewind{To: h.agent.Points()[0].ID})
	back := h.until("the rewind", func(e Event) bool {
		_, done := e.(Rewound)
		_, asked := e.(RewindAsked)
		return done || asked
	})
	if asked, ok := back.(RewindAsked); ok {
		t.Fatalf("nobody else changed anything, and it asks: %+v", asked)
	}
	left, err := os.ReadDir(h.dir)
	if err != nil || len(left) != 1 || left[0].Name() != filepath.Base(old) {
		t.Errorf("after the rewind the folder holds %v, %v", left, err)
	}
}

func TestALongAnswerOfATaskIsShownInPartAndStoredWhole(t *testing.T) {
	long := "BEGIN\n" + strings.Repeat("a line of the answer\n", 5000) + "END"
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": {want(taskCall("c1", "Tell", "TELL")), say("done")}, "TELL": {say(long)}})
	h.send("GO")
	h.end()
	r := h.result("c1")
	ref := r.Meta[message.MetaBlob]
	if len(r.Text) > 40_000 || !strings.HasPrefix(r.Text, "BEGIN") || !strings.HasSuffix(r.Text, "END") || !strings.Contains(r.Text, message.BlobName(ref)) {
		t.Errorf("%d bytes are shown, with the blob %q", len(r.Text), ref)
	}
	if size, err := h.session.StatBlob(ref); err != nil || size != int64(len(long)) {
		t.Errorf("%d of %d bytes are stored: %v", size, len(long), err)
	}
}

func TestAnAnswerThatLeavesTheContextIsReadAgainAndNotWorkedOutAgain(t *testing.T) {
	long := strings.Repeat("a line of the answer\n", 40) + "END"
	plays := []play{want(taskCall("c1", "Tell", "TELL")), say("done")}
	for range 6 {
		plays = append(plays, say("yes"))
	}
	h, _ := taskHouse(t, guard.ModeAsk, map[string][]play{"GO": plays, "TELL": {say(long)}})
	h.send("GO")
	h.end()
	for range 5 {
		h.send("and?")
		h.end()
	}
	h.agent.Send(Compact{})
	h.end()
	h.send("go on")
	h.end()
	if got := sent(h.stage.request(len(h.stage.requests) - 1)); strings.Contains(got, "a line of the answer") || !strings.Contains(got, "The whole output is "+message.BlobName(h.result("c1").Meta[message.MetaBlob])) {
		t.Errorf("the model should be told where the answer is:\n%s", got)
	}
}
