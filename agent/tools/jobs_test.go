//go:build unix

package tools_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

// begin starts a job that runs on.
func begin(t *testing.T, w *toolstest.Workspace, command string) tools.Job {
	t.Helper()
	out := w.Call("shell", map[string]any{"command": command, "background": true})
	if out.Result.IsError || out.Result.Meta[message.MetaJob] == "" {
		t.Fatalf("no job began: %s", out.Result.Text)
	}
	for _, j := range w.Env.Jobs.List() {
		if strconv.Itoa(j.ID) == out.Result.Meta[message.MetaJob] {
			return j
		}
	}
	t.Fatal("the job is not in the list")
	return tools.Job{}
}

func ended(t *testing.T, w *toolstest.Workspace, id int) tools.Job {
	t.Helper()
	var found tools.Job
	soon(t, fmt.Sprintf("job %d ended", id), func() bool {
		for _, j := range w.Env.Jobs.List() {
			if j.ID == id {
				found = j
			}
		}
		return !found.Running()
	})
	return found
}

func pidIn(t *testing.T, w *toolstest.Workspace, name string) int {
	t.Helper()
	var pid int
	soon(t, name+" is written", func() bool {
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(w.Read(name)))
		return err == nil
	})
	return pid
}

func TestABackgroundCommandGoesOnAndEachLookShowsWhatIsNew(t *testing.T) {
	w := toolstest.New(t)
	w.Write("go", "")
	w.Write("pid", "")
	job := begin(t, w, "echo one; echo $$ > pid; while ! test -s go; do sleep 0.01; done; echo two; printf three; while ! test -s end; do sleep 0.01; done; exit 4")
	if job.ID != 1 || !job.Running() || job.Folder != w.Dir {
		t.Errorf("the job is %+v", job)
	}
	if out := w.Call("jobs", `{"action":"tail"}`); !strings.HasPrefix(out.Result.Text, "(nothing new was printed)\n[job 1: running for ") {
		t.Errorf("before anything new: %q", out.Result.Text)
	}
	w.Write("go", "x")
	var text strings.Builder
	soon(t, "the unfinished line shows", func() bool {
		text.WriteString(w.Call("jobs", `{"action":"tail","id":1}`).Result.Text)
		return strings.Contains(text.String(), "three")
	})
	if strings.Count(text.String(), "two") != 1 || strings.Contains(text.String(), "one") {
		t.Errorf("the looks together show %q", text.String())
	}
	if out := w.Call("jobs", `{"action":"tail","id":1,"lines":2}`); !strings.HasPrefix(out.Result.Text, "one\ntwo\nthree\n[") {
		t.Errorf("the last lines are %q", out.Result.Text)
	}
	w.Write("end", "x")
	out := w.Call("jobs", `{"action":"tail","id":1,"wait_seconds":60}`)
	if !strings.HasPrefix(out.Result.Text, "three\n[job 1: exit code 4 after ") || out.Result.IsError {
		t.Errorf("the last look is %q", out.Result.Text)
	}
	ended(t, w, 1)
	if news := w.Env.Jobs.News(); len(news) > 0 {
		t.Errorf("the model is told of what it has seen: %v", news)
	}
	soon(t, "the shell ended", func() bool { return gone(pidIn(t, w, "pid")) })
}

func TestWhatEndsAtOnceIsAnAnswerAndNoJob(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("shell", `{"command":"echo oops; exit 3","background":true}`)
	if out.Result.Text != "oops\n[exit code 3]" || !out.Result.IsError || len(w.Env.Jobs.List()) != 0 {
		t.Errorf("the answer is %q, jobs %v", out.Result.Text, w.Env.Jobs.List())
	}
}

func TestKillingAJobEndsEverythingItStarted(t *testing.T) {
	for name, command := range map[string]string{
		"willing":  `sleep 300 & echo $! > pid; wait`,
		"stubborn": `trap '' TERM; (trap '' TERM; sleep 300) & echo $! > pid; wait; sleep 300`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := toolstest.New(t)
			w.Write("pid", "")
			begin(t, w, command)
			pid := pidIn(t, w, "pid")
			out := w.Call("jobs", `{"action":"kill","id":1}`)
			if out.Result.IsError || !strings.Contains(out.Result.Text, "[job 1: ended by you after ") {
				t.Errorf("the answer is %q", out.Result.Text)
			}
			soon(t, "the grandchild ended", func() bool { return gone(pid) })
			if again := w.Call("jobs", `{"action":"kill","id":1}`); !again.Result.IsError || !strings.Contains(again.Result.Text, "does not run any more") {
				t.Errorf("killed again: %q", again.Result.Text)
			}
		})
	}
}

func TestEveryJobEndsWithTheSessionAndNoneBeginsAfterIt(t *testing.T) {
	w := toolstest.New(t)
	w.Write("pid", "")
	told := make(chan tools.Job, 10)
	w.Env.Jobs.Begin(6, nil, func(j tools.Job) { told <- j })
	job := begin(t, w, "echo $$ > pid; seq 1 50000; sleep 300")
	if job.ID != 7 {
		t.Errorf("after 6 comes %d", job.ID)
	}
	pid := pidIn(t, w, "pid")
	w.Env.Jobs.End()
	if !gone(pid) {
		t.Error("it runs after the session ended")
	}
	if first := <-told; !first.Running() || len(told) != 0 {
		t.Errorf("told of %v and %d more", first, len(told))
	}
	if w.Blobs.Count() != 0 {
		t.Error("the output nobody will read was stored")
	}
}

func TestACommandSentToTheBackgroundBecomesAJobWithWhatItPrinted(t *testing.T) {
	w := toolstest.New(t)
	w.Write("pid", "")
	done := make(chan tools.Outcome, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		out, err := w.CallContext(ctx, "shell", map[string]any{"command": "echo first; echo $$ > pid; while ! test -s go; do sleep 0.01; done; echo second", "timeout_seconds": 1})
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	soon(t, "output arrived", func() bool { return len(w.Progress()) > 0 })
	if err := w.Env.Jobs.Detach(); err != nil {
		t.Fatal(err)
	}
	out := <-done
	cancel() // the turn ends; the job does not
	if !strings.HasPrefix(out.Result.Text, "first\n[the user sent this to the background after ") || out.Result.IsError {
		t.Errorf("the answer is %q", out.Result.Text)
	}
	if gone(pidIn(t, w, "pid")) {
		t.Error("the command ended with its turn")
	}
	if err := w.Env.Jobs.Detach(); err == nil {
		t.Error("nothing is in the foreground and something was sent")
	}
	w.Write("go", "x")
	if job := ended(t, w, 1); !job.OK || !job.Moved || job.Newest != "second" {
		t.Errorf("it ended as %+v; the time limit of the foreground no longer holds", job)
	}
	news := w.Env.Jobs.News()
	if len(news) != 1 || !strings.Contains(news[0].News(), "has ended: exit code 0 after ") || len(w.Env.Jobs.News()) != 0 {
		t.Errorf("the news are %v", news)
	}
}

func TestAJobWithATimeLimitIsEndedByIt(t *testing.T) {
	w := toolstest.New(t)
	out := w.Call("shell", `{"command":"sleep 300","background":true,"timeout_seconds":2}`)
	if out.Result.Meta[message.MetaJob] != "1" {
		t.Fatal(out.Result.Text)
	}
	if job := ended(t, w, 1); job.How != "timed out" || job.OK {
		t.Errorf("it ended as %+v", job)
	}
}

func TestOnlySoManyJobsRunAtOnce(t *testing.T) {
	w := toolstest.New(t)
	var text string
	for range 20 {
		out := w.Call("shell", `{"command":"sleep 300","background":true}`)
		if out.Result.IsError {
			text = out.Result.Text
			break
		}
	}
	if !strings.Contains(text, "8 jobs run already") {
		t.Errorf("the refusal is %q", text)
	}
	w.Call("jobs", `{"action":"kill","id":3}`)
	if out := w.Call("shell", `{"command":"sleep 300","background":true}`); out.Result.IsError {
		t.Errorf("after one ended: %s", out.Result.Text)
	}
	if list := w.Call("jobs", `{"action":"list"}`); !strings.Contains(list.Result.Text, "job 3, ended by you after ") || strings.Count(list.Result.Text, "running for") != 8 {
		t.Errorf("the list is\n%s", list.Result.Text)
	}
}

func TestOutputWithoutEndIsKeptInBoundedMemoryAndStoredWhole(t *testing.T) {
	w := toolstest.New(t)
	begin(t, w, "sleep 1.2; seq 1 200000; echo the end")
	job := ended(t, w, 1)
	out := w.Call("jobs", `{"action":"tail","id":1}`)
	if text := out.Result.Text; len(text) > 31_000 || !strings.HasPrefix(text, "[") || !strings.Contains(text, "characters before this are left out]\n") || !strings.Contains(text, "the end\n[job 1: exit code 0") {
		t.Errorf("%d bytes are shown: %.80q … %.200q", len(text), text, text[max(len(text)-200, 0):])
	}
	if job.Ref == "" || !strings.Contains(out.Result.Text, message.BlobName(job.Ref)) {
		t.Errorf("the whole output is not named: %+v", job)
	}
	if whole := w.Call("grep", map[string]any{"pattern": "^123456$", "path": message.BlobName(job.Ref)}); whole.Result.IsError || !strings.Contains(whole.Result.Text, "123456") {
		t.Errorf("the stored output: %s", whole.Result.Text)
	}
}

func TestJobsThatAreNotThereAreNamed(t *testing.T) {
	w := toolstest.New(t)
	for args, want := range map[string]string{`{"action":"tail"}`: "there is no job; shell with background starts one", `{"action":"kill","id":3}`: "there is no job;", `{"action":"stop"}`: `"list" or "tail" or "kill"`} {
		if out := w.Call("jobs", args); !out.Result.IsError || !strings.Contains(out.Result.Text, want) {
			t.Errorf("%s: %q", args, out.Result.Text)
		}
	}
	begin(t, w, "sleep 300")
	begin(t, w, "sleep 300")
	for args, want := range map[string]string{`{"action":"tail"}`: "needs an id; there are the jobs 1, 2", `{"action":"tail","id":9}`: "there is no job 9; there are 1, 2", `{"action":"kill"}`: "needs an id"} {
		if out := w.Call("jobs", args); !out.Result.IsError || !strings.Contains(out.Result.Text, want) {
			t.Errorf("%s: %q", args, out.Result.Text)
		}
	}
	w.Env.Jobs.End()
	w.Env.Jobs = nil
	if out := w.Call("shell", `{"command":"true","background":true}`); !out.Result.IsError {
		t.Errorf("without jobs: %s", out.Result.Text)
	}
}

func TestAnInterruptedWaitForAJobLeavesItRunning(t *testing.T) {
	w := toolstest.New(t)
	w.Write("pid", "")
	begin(t, w, "echo $$ > pid; sleep 300")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.CallContext(ctx, "jobs", `{"action":"tail","id":1,"wait_seconds":100}`); err != context.Canceled {
		t.Errorf("the wait ended with %v", err)
	}
	if syscall.Kill(pidIn(t, w, "pid"), 0) != nil {
		t.Error("the job ended with the wait")
	}
}
