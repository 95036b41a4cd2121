package agent

import (
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/agent/tools"
)

// Jobs lists the commands in the background and those that ended last, oldest first.
func (a *Agent) Jobs() []tools.Job { return a.env.Jobs.List() }

// JobTail is a job with at most so many of its last lines; ok is false where there is no such job.
func (a *Agent) JobTail(id, lines int) (j tools.Job, text string, ok bool) {
	return a.env.Jobs.Tail(id, lines)
}

// CommandWaits reports whether the turn waits for a command that a Background would send on its way.
func (a *Agent) CommandWaits() bool { return a.env.Jobs.Waiting() }

// openJobs finds the jobs that began and whose end nobody wrote down: they ended with the espy that ran them. Last is
// the highest number a job had.
func openJobs(records []message.Record) (open []message.JobRecord, last int) {
	for _, r := range records {
		j, ok := r.(message.JobRecord)
		if !ok {
			continue
		}
		last = max(last, j.Job)
		if !j.Ended {
			open = append(open, j)
			continue
		}
		for i, o := range open {
			if o.Job == j.Job {
				open = append(open[:i:i], open[i+1:]...)
				break
			}
		}
	}
	return open, last
}

// jobChanged writes down that a job began or ended, and tells of it.
func (a *Agent) jobChanged(j tools.Job) {
	a.record(func(h *heads) []message.Record {
		r := message.JobRecord{Head: h.beside(message.KindJob), Job: j.ID, Command: j.Command}
		if !j.Running() {
			r.Command, r.Ended, r.How = "", true, j.How
		}
		return []message.Record{r}
	})
	a.events.put(JobChanged{Job: j})
	if !j.Running() {
		a.notice(NoticeInfo, fmt.Sprintf("Job %d (%s) %s.", j.ID, jobName(j.Command), JobEnd(j)))
	}
}

// JobEnd says how a job ended, as the rest of a sentence about it: "has ended: exit code 1", "was ended by the user".
func JobEnd(j tools.Job) string {
	if strings.HasPrefix(j.How, "ended by ") {
		return "was " + j.How
	}
	return "has ended: " + j.How
}

// jobName is a command on one line, short enough to stand in a sentence.
func jobName(command string) string {
	line := strings.Join(strings.Fields(command), " ")
	if runes := []rune(line); len(runes) > mostOfJobName {
		return string(runes[:mostOfJobName]) + "…"
	}
	return line
}

// mostOfJobName is how many characters of a job's command a sentence holds.
const mostOfJobName = 60

// jobNews tells the model which jobs have ended since it last heard of any; "" where none has.
func (a *Agent) jobNews() string {
	var text strings.Builder
	for _, j := range a.env.Jobs.News() {
		text.WriteString("\n" + j.News())
	}
	return text.String()
}

// runningNews tells the model which jobs run: after a rewind it may not know that it began them.
func (a *Agent) runningNews() string {
	var names []string
	for _, j := range a.env.Jobs.List() {
		if j.Running() {
			names = append(names, fmt.Sprintf("job %d (%s)", j.ID, jobName(j.Command)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "[Running in the background: " + strings.Join(names, ", ") + ".]"
}

// lostNews tells the model which jobs ended with an earlier run of espy.
func lostNews(lost []message.JobRecord) string {
	if len(lost) == 0 {
		return ""
	}
	names := make([]string, len(lost))
	for i, j := range lost {
		names[i] = fmt.Sprintf("job %d (%s)", j.Job, jobName(j.Command))
	}
	return "[Jobs end with espy, which has been started anew: " + strings.Join(names, ", ") + " no longer run. Start again what is still needed.]"
}

// endLost writes down that jobs of an earlier run have ended.
func endLost(h *heads, lost []message.JobRecord) (records []message.Record) {
	for _, j := range lost {
		records = append(records, message.JobRecord{Head: h.beside(message.KindJob), Job: j.Job, Ended: true, How: "ended with espy"})
	}
	return records
}

// detach sends the command that the turn waits for to the background.
func (a *Agent) detach() {
	if err := a.env.Jobs.Detach(); err != nil {
		a.notice(NoticeInfo, strings.ToUpper(err.Error()[:1])+err.Error()[1:]+".")
	}
}
