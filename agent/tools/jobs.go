package tools

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Jobs are the commands of a session that go on while the conversation does, and those that a call waits for, which
// can be sent there. Jobs owns them all: End ends and waits for every one. The zero value is ready, a nil Jobs has none
// and takes none; it is safe for use from several goroutines.
type Jobs struct {
	changed func(Job) // set before the first command
	blobs   Blobs     // where the output of jobs goes; nil is where the call's would

	mu     sync.Mutex // guards what follows
	last   int        // the highest id given out
	list   []*job     // oldest first
	front  []*running // calls wait for them
	closed bool
	all    sync.WaitGroup // of what waits for jobs to end
}

// job is a command in the background.
type job struct {
	Job
	run  *running
	read int64 // how much of its output the model was shown
	told bool  // the model knows that it ended
}

// Job is a command in the background as it stands.
type Job struct {
	ID      int
	Command string
	Folder  string // it runs in, absolute
	Moved   bool   // the person sent it to the background
	Began   time.Time
	Ended   time.Time // zero while it runs
	OK      bool      // it ended with exit code 0
	How     string    // how it ended, in mid-sentence: "exit code 1"
	Ref     string    // once it ended, the blob with its whole output where that is longer than what is shown
	Newest  string    // the newest line it printed
}

// Running reports whether the job has not ended yet.
func (j Job) Running() bool { return j.Ended.IsZero() }

// Took is how long it ran, or has run by now.
func (j Job) Took(now time.Time) time.Duration {
	if !j.Running() {
		now = j.Ended
	}
	return max(now.Sub(j.Began), 0)
}

// Begin says which number was the last before, where the output of jobs goes, which may outlive the conversation that
// started them, and who hears of their beginning and end. It is called before the first command. What hears is called
// on goroutines of Jobs, one call at a time for each job.
func (j *Jobs) Begin(last int, blobs Blobs, changed func(Job)) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last, j.blobs, j.changed = max(j.last, last), blobs, changed
}

// store is where the output of a command goes that was started with these blobs at hand.
func (j *Jobs) store(own Blobs, background bool) Blobs {
	if j == nil || !background || j.blobs == nil {
		return own
	}
	return j.blobs
}

// room says why no further command can go to the background; nil where one can.
func (j *Jobs) room() error {
	if j == nil {
		return mistakef("shell: there are no background jobs here; run the command without background")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if running := j.running(); running >= maxJobs {
		return mistakef("shell: %d jobs run already, which is as many as may; end one with jobs, or wait for one", running)
	}
	return nil
}

func (j *Jobs) running() (n int) {
	for _, b := range j.list {
		if b.Running() {
			n++
		}
	}
	return n
}

// follow waits for a command as running.follow does. While it does, Detach can send it to the background.
func (j *Jobs) follow(ctx context.Context, r *running) (detached bool) {
	if j == nil {
		return r.follow(ctx)
	}
	j.mu.Lock()
	j.front = append(j.front, r)
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.front = slices.DeleteFunc(j.front, func(x *running) bool { return x == r })
	}()
	return r.follow(ctx)
}

// Waiting reports whether a call waits for a command, which Detach would send to the background.
func (j *Jobs) Waiting() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.front) > 0
}

// Detach sends every command that a call waits for to the background. An error says why it cannot.
func (j *Jobs) Detach() error {
	if !j.Waiting() {
		return mistakef("no command runs that could be sent to the background")
	}
	if err := j.room(); err != nil {
		return mistakef("%d jobs run already, which is as many as may; end one in /jobs", maxJobs)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.front {
		close(r.detached)
	}
	j.front = nil
	return nil
}

// adopt makes a command a job.
func (j *Jobs) adopt(r *running, moved bool) *job {
	j.mu.Lock()
	j.last++
	b := &job{run: r, Job: Job{ID: j.last, Command: r.args.Command, Folder: r.dir, Moved: moved, Began: r.began}}
	j.list = append(j.list, b)
	j.forget()
	if j.closed {
		r.stop(errSessionEnd)
	}
	began := b.Job
	j.mu.Unlock()
	j.tell(began)
	j.all.Go(func() {
		<-r.done
		j.tell(j.ended(b))
	})
	return b
}

// ended takes down how a job ended.
func (j *Jobs) ended(b *job) Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settle(b)
	j.forget()
	return b.Job
}

// settle takes the end of a command over, which is there. It is called with the lock held.
func (j *Jobs) settle(b *job) {
	e := b.run.end
	b.Ended, b.OK, b.How, b.Ref, b.Newest = b.Began.Add(e.took), e.code == 0, e.words(), b.run.ref, b.run.newest()
	if j.blobs != nil && b.run.blobs != j.blobs {
		b.Ref = "" // another conversation's: it cannot be opened from here
	}
}

// forget lets the oldest go of those that ended. It is called with the lock held.
func (j *Jobs) forget() {
	surplus := len(j.list) - j.running() - maxEndedJobs
	j.list = slices.DeleteFunc(j.list, func(b *job) bool {
		if surplus > 0 && !b.Running() && b.told {
			surplus--
			return true
		}
		return false
	})
}

// tell says what became of a job, unless it is the session that ended.
func (j *Jobs) tell(b Job) {
	j.mu.Lock()
	changed := j.changed
	if j.closed {
		changed = nil
	}
	j.mu.Unlock()
	if changed != nil {
		changed(b)
	}
}

// List is every job that runs and those that ended last, oldest first.
func (j *Jobs) List() []Job {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Job, len(j.list))
	for i, b := range j.list {
		list[i] = b.Job
		if b.Running() {
			list[i].Newest = b.run.newest()
		}
	}
	return list
}

// Tail is a job with at most so many of its last lines, without changing what the model is shown next. ok is false
// where there is no such job.
func (j *Jobs) Tail(id, lines int) (b Job, text string, ok bool) {
	found := j.find(id)
	if found == nil {
		return Job{}, "", false
	}
	for _, b := range j.List() {
		if b.ID == id {
			return b, found.run.lastLines(lines), true
		}
	}
	return Job{}, "", false
}

func (j *Jobs) find(id int) *job {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.list {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// Kill ends a job with all its children, for whom the word names, and returns it when it has ended: two seconds at the
// longest, or with ctx. ok is false where it did not run any more.
func (j *Jobs) Kill(ctx context.Context, id int, by string) (Job, bool) {
	b := j.find(id)
	if b == nil {
		return Job{}, false
	}
	select {
	case <-b.run.done:
		return j.ended(b), false
	default:
	}
	j.Stop(id, by)
	select {
	case <-b.run.done:
		return j.ended(b), true
	case <-ctx.Done():
		j.mu.Lock()
		defer j.mu.Unlock()
		return b.Job, true
	}
}

// Stop is Kill without waiting for the end.
func (j *Jobs) Stop(id int, by string) {
	if b := j.find(id); b != nil {
		b.run.stop(&killed{by})
	}
}

// News are the jobs that ended since the model was last told of any; it counts as told of these.
func (j *Jobs) News() (news []Job) {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.list {
		if !b.Running() && !b.told {
			b.told = true
			news = append(news, b.Job)
		}
	}
	return news
}

// End ends every command and waits for that; none begins after it.
func (j *Jobs) End() {
	if j == nil {
		return
	}
	j.mu.Lock()
	j.closed = true
	for _, b := range j.list {
		b.run.stop(errSessionEnd)
	}
	j.mu.Unlock()
	j.all.Wait()
}
