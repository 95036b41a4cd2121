//go:build unix

package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

func callsOf[E Event](h *house) (all []E) {
	for _, e := range h.seen {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// release lets a job end that waits for the file.
func release(t *testing.T, h *house, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

const waitingJob = `{"command":"echo up; while ! test -s go; do sleep 0.01; done; exit 3","background":true}`

func isEnd(j JobChanged) bool   { return !j.Job.Running() }
func isBegin(j JobChanged) bool { return j.Job.Running() }

func TestAJobOutlivesItsTurnAndItsEndIsToldToThePersonAndWithTheNextMessageToTheModel(t *testing.T) {
	h := watch(newHouse(t, guard.ModeFull, want(callOf("c1", "shell", waitingJob)), say("started"), say("I see")))
	h.send("serve it")
	await(h, "the job", isBegin)
	await[TurnEnded](h, "the turn's end", nil)
	h.agent.Interrupt()
	release(t, h.house, "go")
	ended := await(h, "the job's end", isEnd).Job
	if ended.How != "exit code 3" || ended.OK || ended.ID != 1 {
		t.Errorf("it ended as %+v", ended)
	}
	told := await(h, "the notice", func(n Notice) bool { return strings.Contains(n.Sentence, "Job 1") })
	if !strings.Contains(told.Sentence, "has ended: exit code 3.") {
		t.Errorf("the person reads %q", told.Sentence)
	}
	h.send("and?")
	await[TurnEnded](h, "the turn's end", nil)
	if body := sent(h.stage.request(2)); strings.Count(body, "[job 1 (echo up; while") != 1 || !strings.Contains(body, "has ended: exit code 3 after ") {
		t.Errorf("the model reads\n%s", body)
	}
	if said := callsOf[TurnStarted](h.house)[1].User.TypedText(); said != "and?" {
		t.Errorf("what the person said became %q", said)
	}
}

func TestAJobThatEndsWhileTheTurnGoesOnIsToldWithTheNextResult(t *testing.T) {
	h := watch(newHouse(t, guard.ModeFull, want(callOf("c1", "shell", waitingJob)),
		want(callOf("c2", "shell", `{"command":"echo x > go; while ! test -s told; do sleep 0.01; done"}`)), say("seen")))
	h.send("serve it")
	await(h, "the job's end", isEnd)
	release(t, h.house, "told")
	await[TurnEnded](h, "the turn's end", nil)
	if body := sent(h.stage.request(2)); strings.Count(body, "has ended: exit code 3 after ") != 1 {
		t.Errorf("the model reads\n%s", body)
	}
}

func TestAfterAResumeTheModelIsToldOnceWhichJobsAreGoneAndNumbersGoOn(t *testing.T) {
	h := newHouse(t, guard.ModeFull, want(callOf("c1", "shell", waitingJob)), say("started"), say("so it is"), want(callOf("c2", "shell", waitingJob)), say("again"), say("and again"))
	h.send("serve it")
	h.end()
	if n := len(h.agent.Jobs()); n != 1 {
		t.Fatalf("%d jobs", n)
	}
	h.again(guard.ModeFull, sees(providers.Supported))
	if n := len(h.agent.Jobs()); n != 0 {
		t.Errorf("%d jobs after a resume", n)
	}
	h.send("go on")
	h.end()
	if body := sent(h.stage.request(2)); strings.Count(body, "Jobs end with espy") != 1 || !strings.Contains(body, "job 1 (echo up;") {
		t.Errorf("the model reads\n%s", body)
	}
	h.send("start it again")
	h.end()
	if jobs := h.agent.Jobs(); len(jobs) != 1 || jobs[0].ID != 2 {
		t.Errorf("the jobs are %+v", jobs)
	}
	h.agent.Send(KillJob{ID: 2})
	h.until("the job's end", func(e Event) bool { j, ok := e.(JobChanged); return ok && isEnd(j) })
	h.again(guard.ModeFull, sees(providers.Supported))
	h.send("once more")
	h.end()
	body := sent(h.stage.request(5))
	if _, after, _ := strings.Cut(body, "once more"); strings.Contains(after, "Jobs end with espy") {
		t.Errorf("what was told or has ended is told again:\n%s", body)
	}
}

func TestAfterARewindTheModelIsToldWhichJobsRun(t *testing.T) {
	h := watch(newHouse(t, guard.ModeFull, want(callOf("c1", "shell", waitingJob)), say("started"), say("I see"), say("yes")))
	h.send("serve it")
	await[TurnEnded](h, "the turn's end", nil)
	points := h.agent.Points()
	h.agent.Send(Rewind{To: points[0].ID, What: RewindConversation})
	await[Rewound](h, "the rewind", nil)
	await[TurnEnded](h, "its end", nil)
	h.send("what runs?")
	await[TurnEnded](h, "the turn's end", nil)
	if body := sent(h.stage.request(2)); strings.Count(body, "[Running in the background: job 1 (echo up;") != 1 || strings.Contains(body, "serve it") {
		t.Errorf("the model reads\n%s", body)
	}
	h.send("again")
	await[TurnEnded](h, "the turn's end", nil)
	if body := sent(h.stage.request(3)); strings.Count(body, "[Running in the background") != 1 {
		t.Errorf("it is told again:\n%s", body)
	}
}

func TestACommandOfTheTurnCanBeSentToTheBackground(t *testing.T) {
	h := watch(newHouse(t, guard.ModeFull, want(callOf("c1", "shell", `{"command":"echo up; while ! test -s go; do sleep 0.01; done"}`)), say("I went on")))
	h.agent.Send(Background{})
	await(h, "that nothing runs", func(n Notice) bool { return strings.Contains(n.Sentence, "No command runs") })
	h.send("run it")
	await(h, "its output", func(p CallProgress) bool { return strings.Contains(p.Text, "up") })
	if !h.agent.CommandWaits() {
		t.Error("no command is waited for")
	}
	h.agent.Send(Background{})
	result := await[CallFinished](h, "the result", nil).Result
	if result.IsError || result.Meta[message.MetaJob] != "1" || !strings.Contains(result.Text, "the user sent this to the background") {
		t.Errorf("the result is %+v", result)
	}
	await[TurnEnded](h, "the turn's end", nil)
	release(t, h.house, "go")
	if job := await(h, "its end", isEnd).Job; !job.OK {
		t.Errorf("it ended as %+v", job)
	}
}

func TestAQuestionWaitsForItsReplyAndSeveralComeOneAfterTheOther(t *testing.T) {
	question := `{"question":"Which one?","choices":[{"label":"this"},{"label":"that"}]}`
	h := watch(newHouse(t, guard.ModePlan, want(callOf("c1", "ask", question), callOf("c2", "ask", strings.Replace(question, "one", "two", 1))), say("thanks")))
	h.send("decide")
	first := await[QuestionAsked](h, "the first question", nil)
	h.agent.Send(Reply{ID: "another", Reply: tools.Reply{Chosen: []int{0}}})
	h.agent.Send(Reply{ID: first.ID, Reply: tools.Reply{Chosen: []int{1}}})
	if result := await[CallFinished](h, "its result", nil).Result; result.Text != "The user chose: that" {
		t.Errorf("the model reads %q", result.Text)
	}
	second := await[QuestionAsked](h, "the second question", nil)
	if second.Question.Text != "Which two?" || second.Call.ID != "c2" {
		t.Errorf("asked %+v", second)
	}
	h.agent.Send(Reply{ID: second.ID, Reply: tools.Reply{Dismissed: true}})
	await[TurnEnded](h, "the end", nil)
	if body := sent(h.stage.request(1)); !strings.Contains(body, "The user chose: that") || !strings.Contains(body, "dismissed the question") {
		t.Errorf("the model reads\n%s", body)
	}
}

func TestAnInterruptSettlesAQuestionAndTheTurn(t *testing.T) {
	h := watch(newHouse(t, guard.ModeAsk, want(callOf("c1", "ask", `{"question":"Which?","choices":[{"label":"this"},{"label":"that"}]}`)), say("never")))
	h.send("decide")
	asked := await[QuestionAsked](h, "the question", nil)
	h.agent.Interrupt()
	if settled := await[QuestionSettled](h, "its end", nil); settled.ID != asked.ID {
		t.Errorf("settled %+v", settled)
	}
	if end := await[TurnEnded](h, "the end", nil); end.Reason != EndInterrupted {
		t.Errorf("the turn ended as %s", end.Reason)
	}
}

func TestWhatASessionTookIsToldByModelWithTheShareOfPictures(t *testing.T) {
	h := newHouse(t, guard.ModeAsk, say("one"), say("two"), say("three"))
	h.send("look", h.attach(h.picture("a.png", 400, 300)))
	h.end()
	h.send("and on")
	h.end()
	blind := sees(providers.Unsupported)
	blind.Model.Price = &providers.Price{Input: 1, Output: 2}
	h.agent.Send(SetRoute{Route: blind})
	h.send("blindly")
	h.end()
	spent := h.agent.Spending()
	if len(spent) != 2 || spent[0].Requests != 2 || spent[0].Input != 200 || spent[0].Output != 20 || spent[0].Cost != nil {
		t.Fatalf("spent %+v", spent)
	}
	if spent[0].Pictures == 0 || spent[0].Pictures > spent[0].Input || spent[1].Pictures != 0 {
		t.Errorf("pictures: %d of %d, blind %d", spent[0].Pictures, spent[0].Input, spent[1].Pictures)
	}
	if cost := spent[1].Cost; cost == nil || *cost != 0.00012 {
		t.Errorf("the cost is %v", cost)
	}
}
