package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
)

type jobsArgs struct {
	Action string `json:"action"`
	ID     int    `json:"id"`
	Lines  int    `json:"lines"`
	Wait   int    `json:"wait_seconds"`
}

// jobsTool looks at commands in the background and ends them. It needs nobody's leave: it reaches only what this
// session started.
func jobsTool() Tool {
	return declaration[jobsArgs]{
		name: "jobs",
		params: params{
			{name: "action", kind: "string", required: true, enum: []string{"list", "tail", "kill"}, about: "What to do."},
			{name: "id", kind: "integer", about: "The job's number, for tail and kill."},
			{name: "lines", kind: "integer", least: 1, most: maxTailLines, about: "tail: the last so many lines, instead of what is new since the last look."},
			{name: "wait_seconds", kind: "integer", least: 1, most: int(maxJobWait / time.Second), about: "tail: wait until the job ends, at most so long."},
		},
		effect: jobsEffect,
		run:    runJobs,
	}.tool()
}

func jobsEffect(_ *Env, a jobsArgs) (guard.Effect, error) {
	what := "jobs: " + a.Action
	if a.ID > 0 {
		what += " " + strconv.Itoa(a.ID)
	}
	return guard.Effect{Kind: guard.KindNone, Summary: what}, nil
}

func runJobs(ctx context.Context, env *Env, _ message.ToolCall, a jobsArgs) (Outcome, error) {
	list := env.Jobs.List()
	if a.Action == "list" {
		return listJobs(list), nil
	}
	id, err := whichJob(list, a)
	if err != nil {
		return Outcome{}, err
	}
	b := env.Jobs.find(id)
	if a.Action == "kill" {
		stopped, ran := env.Jobs.Kill(ctx, id, byModel)
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		if !ran {
			return Outcome{}, mistakef("jobs: job %d does not run any more: %s", id, stopped.standing(time.Now()))
		}
	} else if a.Wait > 0 && b.wait(ctx, time.Duration(a.Wait)*time.Second) != nil {
		return Outcome{}, ctx.Err()
	}
	return env.Jobs.shown(b, a.Lines), nil
}

// whichJob is the job a call means: the one it names, or for a look the only one there is.
func whichJob(list []Job, a jobsArgs) (int, error) {
	if a.ID == 0 && len(list) == 1 && a.Action == "tail" {
		return list[0].ID, nil
	}
	var ids []string
	for _, b := range list {
		if b.ID == a.ID {
			return b.ID, nil
		}
		ids = append(ids, strconv.Itoa(b.ID))
	}
	switch {
	case len(ids) == 0:
		return 0, mistakef("jobs: there is no job; shell with background starts one")
	case a.ID == 0:
		return 0, mistakef("jobs: %s needs an id; there are the jobs %s", a.Action, strings.Join(ids, ", "))
	}
	return 0, mistakef("jobs: there is no job %d; there are %s", a.ID, strings.Join(ids, ", "))
}

// wait waits for a job's end or so long, and fails with ctx.
func (b *job) wait(ctx context.Context, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-b.run.done:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func listJobs(list []Job) Outcome {
	if len(list) == 0 {
		return answer("There are no jobs; shell with background starts one.", message.MetaSummary, "no jobs")
	}
	now, running := time.Now(), 0
	var text strings.Builder
	for _, b := range list {
		if b.Running() {
			running++
		}
		fmt.Fprintf(&text, "job %d, %s: %s\n", b.ID, b.standing(now), clip(oneLine(b.Command), mostOfCommand))
		if b.Newest != "" {
			fmt.Fprintf(&text, "    newest line: %s\n", b.Newest)
		}
	}
	return answer(text.String(), message.MetaSummary, fmt.Sprintf("%s, %d running", plural(len(list), "job"), running))
}

// byModel names the model where the person reads who ended a job.
const byModel = "the model"

// standing is "running for 12 s" or "exit code 1 after 12 s", for the model to read.
func (j Job) standing(now time.Time) string {
	if j.Running() {
		return "running for " + seconds(j.Took(now).Round(time.Second))
	}
	return strings.Replace(j.How, byModel, "you", 1) + " after " + seconds(j.Took(now).Round(time.Millisecond))
}

// News is the sentence that tells the model of a job that ended.
func (j Job) News() string {
	whole := ""
	if j.Ref != "" {
		whole = "; its whole output is " + message.BlobName(j.Ref)
	}
	return fmt.Sprintf("[job %d (%s) has ended: %s%s. jobs with action tail and id %d shows what it printed last]", j.ID, oneLine(j.Command), j.standing(j.Ended), whole, j.ID)
}

// shown is a look at a job: what is new, or its last lines, and how it stands.
func (j *Jobs) shown(b *job, lines int) Outcome {
	text := j.look(b)
	if lines > 0 {
		text = cutTail(b.run.lastLines(lines), maxOutputChars)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-b.run.done:
		j.settle(b) // it may have ended just now, and whoever waits for that come after this
		b.told = true
	default:
	}
	if strings.TrimSpace(text) == "" {
		text = "(nothing new was printed)"
	}
	standing := b.standing(time.Now())
	end := fmt.Sprintf("[job %d: %s", b.ID, standing)
	if b.Ref != "" {
		end += "; the whole output is " + message.BlobName(b.Ref) + ": read it with offset and limit, or grep it"
	}
	if !b.Running() && b.run.end.stopped {
		end += "]\n" + strings.TrimSuffix(sandboxNote, "]")
	}
	return answer(strings.TrimRight(text, "\n")+"\n"+end+"]",
		message.MetaSummary, fmt.Sprintf("job %d (%s), %s", b.ID, oneLine(b.Command), standing), message.MetaJob, strconv.Itoa(b.ID), message.MetaBlob, b.Ref)
}

// look is what a job printed since the model last looked.
func (j *Jobs) look(b *job) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, lost, total := b.run.since(b.read)
	b.read = total
	if tail := cutTail(text, maxOutputChars); len(tail) < len(text) {
		text, lost = tail, lost+int64(len(text)-len(tail))
	}
	if lost > 0 {
		text = fmt.Sprintf("[%s characters before this are left out]\n", thousands(lost)) + text
	}
	return text
}

// began is the result of a call whose command goes on as a job.
func (j *Jobs) began(b *job) Outcome {
	text := j.look(b)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	how := fmt.Sprintf("job %d runs in the background", b.ID)
	if b.Moved {
		how = fmt.Sprintf("the user sent this to the background after %s, where it goes on as job %d", seconds(time.Since(b.Began)), b.ID)
	}
	text += fmt.Sprintf("[%s. You are told when it ends; jobs shows what it prints (action tail) and ends it (action kill). It ends with the session]", how)
	return answer(text, message.MetaSummary, fmt.Sprintf("%s (job %d, in the background)", oneLine(b.Command), b.ID), message.MetaJob, strconv.Itoa(b.ID))
}
