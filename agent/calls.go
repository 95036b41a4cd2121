package agent

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"espy/agent/checkpoint"
	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/store"
)

// mostParallel bounds read-only calls running side by side; most of them wait for a disk or a decode.
const mostParallel = 4

// job is one call on its way through guard and tool.
type job struct {
	call    message.ToolCall
	tool    *tools.Tool
	effect  guard.Effect
	outcome tools.Outcome
	watched *checkpoint.Pending // files that are watched while it runs
	begun   string              // the id of the record that says so
	took    time.Duration
	done    bool // outcome is set: refused, or run
	hook    hookWord
	loads   []string // deferred tools the model comes to know by it
	opened  []guard.Opening
	closes  []func() // what was opened for this call only
}

// runCalls judges and runs the calls of an answer in order, neighbouring read-only ones side by side, and
// writes each result as it finishes. It reports whether any call was refused.
func (a *Agent) runCalls(ctx context.Context, answer message.Message) (refused bool, err error) {
	jobs := a.prepare(answer)
	for i := 0; i < len(jobs); {
		end := i + 1
		for jobs[i].readOnly() && end < len(jobs) && jobs[end].readOnly() {
			end++
		}
		if err := a.runBatch(ctx, jobs[i:end]); err != nil {
			return refused, err
		}
		i = end
	}
	if err := a.repeats.stop(); err != nil {
		return refused, err
	}
	for _, j := range jobs {
		refused = refused || j.outcome.Refused || j.outcome.Result.Meta[message.MetaRefused] != ""
	}
	return refused, nil
}

func (j *job) readOnly() bool { return j.tool != nil && j.tool.ReadOnly }

// prepare looks up what each call is for: one made through load_tools is from here on the call of the tool it names.
// What is wrong with a call is its result.
func (a *Agent) prepare(answer message.Message) []*job {
	var jobs []*job
	seen := make(map[string]bool)
	for _, c := range answer.Calls() {
		if seen[c.ID] {
			continue // one result answers both; services refuse two
		}
		seen[c.ID] = true
		j := &job{call: c}
		jobs = append(jobs, j)
		reached, err := a.opt.Tools.Reach(c)
		if err != nil {
			j.fail(err.Error())
			continue
		}
		j.call, j.tool, j.loads = reached.Call, &reached.Tool, reached.Loads
	}
	return jobs
}

// plan asks a call's tool what it would do. It is asked when the calls before it have run, because an edit may
// follow the read that allows it.
func (a *Agent) plan(j *job) {
	if j.done {
		return
	}
	effect, err := j.tool.Effect(a.env, j.call.Args)
	if err != nil {
		j.fail(err.Error())
		return
	}
	j.effect = effect
}

func (j *job) fail(text string) {
	j.outcome.Result = message.ToolResult{Text: text, IsError: true}
	j.done = true
}

func (j *job) summary() string {
	if j.effect.Summary != "" {
		return j.effect.Summary
	}
	return j.call.Name
}

func (a *Agent) runBatch(ctx context.Context, batch []*job) error {
	defer func() {
		for _, j := range batch {
			for _, closes := range j.closes {
				closes()
			}
		}
	}()
	for _, j := range batch {
		a.plan(j)
		a.events.put(CallStarted{Call: j.call, Summary: j.summary()})
		if j.done {
			continue
		}
		if err := a.judge(ctx, j); err != nil {
			return err
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(mostParallel)
	for _, j := range batch {
		group.Go(func() error { return a.runJob(groupCtx, j) })
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// remedy says what would let a call run that nobody can be asked about.
func (a *Agent) remedy(effect guard.Effect, decision guard.Decision) string {
	switch {
	case decision.Opening.Path != "":
		return "a path outside the workspace is opened by no mode and no rule, only by the user with /trust add in the full-screen program."
	case effect.Kind == guard.KindPlan:
		return "the plan stands in the answer, and another --mode carries it out."
	case a.opt.Guard.Mode() == guard.ModeFull:
		return "it needs a rule in the configuration or --allow."
	}
	return "it needs a rule in the configuration, --allow, or a wider --mode."
}

// judge asks the guard, and the person where the guard says so. A refusal becomes the call's result. A call whose
// path was opened is planned and judged again: what it would do could not be seen before.
func (a *Agent) judge(ctx context.Context, j *job) error {
	for !j.done {
		decision := a.hooked(ctx, j, a.opt.Guard.Decide(j.effect))
		switch {
		case decision.Verdict == guard.Allow:
			return nil
		case decision.Verdict == guard.Deny:
			j.refuse(decision.Reason)
			a.events.put(PermissionSettled{Call: j.call, Reason: decision.Reason})
			return nil
		case a.opt.Headless:
			reason := sentence(decision.Reason) + " Nobody can be asked in this run; " + a.remedy(j.effect, decision)
			j.refuse(reason)
			a.events.put(PermissionSettled{Call: j.call, Reason: reason})
			return nil
		}
		answer, err := a.askPerson(ctx, j, decision)
		if err != nil {
			return err
		}
		if j.effect.Kind == guard.KindPlan {
			a.approve(j, answer)
			return nil
		}
		if decision.Opening.Path == "" {
			a.obey(j, decision, answer)
			return nil
		}
		a.openPath(j, decision.Opening, answer)
	}
	return nil
}

// askPerson asks about a call, of the session's own conversation or of a task, whose questions are asked at the
// session's desk.
func (a *Agent) askPerson(ctx context.Context, j *job, decision guard.Decision) (Answer, error) {
	asked := PermissionAsked{ID: store.NewID(), Call: j.call, Effect: j.effect, Decision: decision}
	hooked := j.hook.verdict == guard.Ask
	if a.task == nil {
		return a.question(ctx, asked, hooked)
	}
	asked.Task, asked.Title = a.task.call.ID, a.task.title
	a.task.waits(j.call.ID, StepWaits)
	return a.task.outer.question(ctx, asked, hooked)
}

// pending is a question that waits for the person.
type pending struct {
	answer chan Answer // buffered
	effect guard.Effect
	hooked bool // a hook wants it asked
}

// allowedNow answers the questions that a rule just added makes needless: tasks ask side by side.
func (a *Agent) allowedNow() {
	a.mu.Lock()
	waiting := maps.Clone(a.asks)
	a.mu.Unlock()
	for id, p := range waiting {
		if !p.hooked && a.opt.Guard.Decide(p.effect).Verdict == guard.Allow {
			a.settle(Answer{ID: id, Choice: guard.ChoiceOnce})
		}
	}
}

// question waits for an answer.
func (a *Agent) question(ctx context.Context, asked PermissionAsked, hooked bool) (Answer, error) {
	id, waiting := asked.ID, make(chan Answer, 1)
	a.mu.Lock()
	a.asks[id] = pending{answer: waiting, effect: asked.Effect, hooked: hooked}
	a.mu.Unlock()
	a.events.put(asked)
	select {
	case answer := <-waiting:
		return answer, nil
	case <-ctx.Done():
		a.mu.Lock()
		delete(a.asks, id)
		a.mu.Unlock()
		a.events.put(PermissionSettled{ID: id, Call: asked.Call, Reason: "interrupted", Task: asked.Task})
		return Answer{}, errInterrupted
	}
}

// settled tells how a person answered; a denial becomes the call's result.
func (a *Agent) settled(j *job, answer Answer) (allowed bool) {
	allowed = answer.Choice != guard.ChoiceDeny
	if !allowed {
		reason := "The user denied this call."
		if answer.Reason != "" {
			reason = "The user denied this call and said: " + answer.Reason
		}
		j.refuse(reason)
	}
	a.events.put(PermissionSettled{ID: answer.ID, Call: j.call, Allowed: allowed, Reason: answer.Reason})
	return allowed
}

// obey carries out a person's answer.
func (a *Agent) obey(j *job, decision guard.Decision, answer Answer) {
	if !a.settled(j, answer) {
		return
	}
	if len(decision.Offer) == 0 || answer.Choice == guard.ChoiceOnce {
		return
	}
	rule := decision.Offer[0]
	parsed, err := guard.ParseRule(rule)
	if err != nil {
		a.notice(NoticeError, err.Error())
		return
	}
	source := guard.SourceSession
	if answer.Choice == guard.ChoiceAlways && a.opt.SaveRule != nil {
		if err := a.opt.SaveRule(rule); err != nil {
			a.notice(NoticeError, fmt.Sprintf("The rule %s holds for this session but could not be saved: %v", rule, err))
		} else {
			source = guard.SourceSaved
		}
	}
	a.opt.Guard.Add(guard.SourcedRule{Rule: parsed, Verdict: guard.Allow, Source: source})
	a.desk().allowedNow()
}

func (j *job) refuse(reason string) {
	j.outcome.Result = message.ToolResult{Text: "Refused: " + reason, IsError: true,
		Meta: map[string]string{message.MetaRefused: reason}}
	j.done = true
}

// runJob runs a call that may run and writes its result. An interrupted call keeps what it has to say, so that
// the log tells what happened.
func (a *Agent) runJob(ctx context.Context, j *job) error {
	if j.done {
		return a.finish(ctx, j)
	}
	leave := a.changeAlone(ctx, j)
	defer leave()
	err := ctx.Err()
	if err == nil {
		if j.watched, err = a.watch(ctx, j); err != nil {
			return err
		}
		started := a.opt.Now()
		j.outcome, err = a.runTool(ctx, j)
		j.took = a.opt.Now().Sub(started)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", j.call.Name, err)
	}
	if err != nil {
		j.outcome = tools.Outcome{Result: message.ToolResult{Text: "Interrupted by the user.", IsError: true}}
	}
	return a.finish(ctx, j)
}

// changeAlone waits until no other call that changes files runs, where this one may: tasks run side by side. It gives
// up with the context.
func (a *Agent) changeAlone(ctx context.Context, j *job) (leave func()) {
	if _, changes := a.scope(j); !changes || a.files == nil {
		return func() {}
	}
	select {
	case a.changing <- struct{}{}:
		return func() { <-a.changing }
	case <-ctx.Done():
		return func() {}
	}
}

// runTool keeps a fault inside a tool from ending the program: it becomes the call's result.
func (a *Agent) runTool(ctx context.Context, j *job) (outcome tools.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			a.notice(NoticeError, fmt.Sprintf("The tool %s failed inside espy: %v", j.call.Name, r))
			outcome = tools.Outcome{Result: message.ToolResult{IsError: true, Text: fmt.Sprintf("%s failed inside espy (%v). Try another way.\n%s", j.call.Name, r, firstLines(string(debug.Stack()), 6))}}
		}
	}()
	return j.tool.Run(ctx, a.env, j.call)
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// finish writes a result to the log and tells the face.
func (a *Agent) finish(ctx context.Context, j *job) error {
	r := j.outcome.Result
	r.CallID = j.call.ID
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	r.Text += a.repeats.count(j, r) + a.jobNews()
	meta := make(map[string]string, len(r.Meta)+1)
	for k, v := range r.Meta {
		meta[k] = v
	}
	if j.took > 0 {
		meta[message.MetaMillis] = strconv.FormatInt(j.took.Milliseconds(), 10)
	}
	r.Meta = meta
	files, watched := a.changed(ctx, j)
	if watched && a.task != nil {
		if err := a.task.writeFiles(files); err != nil {
			return err
		}
		watched = false
	}
	err := a.log.append(func(h *heads) []message.Record {
		var records []message.Record
		if watched {
			files.Head = h.beside(message.KindFiles)
			records = append(records, files)
		}
		for _, p := range j.outcome.Pictures {
			p.Head = h.beside(message.KindPicture)
			records = append(records, p)
		}
		records = append(records, message.ResultRecord{Head: h.next(message.KindResult), ToolResult: r})
		return append(records, a.loaded(h, j.loads)...)
	})
	if err != nil {
		return err
	}
	if source := meta[message.MetaTaint]; source != "" {
		a.opt.Guard.Taint(source)
	}
	a.observed(j, r)
	a.events.put(CallFinished{Call: j.call, Result: r, Pictures: j.outcome.Pictures, Took: j.took})
	return nil
}

// sentence gives a reason its full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
