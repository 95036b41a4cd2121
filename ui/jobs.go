package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"espy/agent"
	"espy/agent/tools"
	"espy/ui/screen"
)

// Jobs are the commands in the background. Its methods are called in commands.
type Jobs interface {
	Jobs() []tools.Job
	// JobTail is a job with at most so many of its last lines; ok is false where there is no such job.
	JobTail(id, lines int) (j tools.Job, text string, ok bool)
}

// job takes in what became of a command in the background.
func (s *session) job(j tools.Job) {
	s.jobs = slices.DeleteFunc(s.jobs, func(x tools.Job) bool { return x.ID == j.ID })
	if j.Running() {
		s.jobs = append(s.jobs, j)
	}
}

// background is "2 jobs", for the status line.
func (s *session) background() string {
	if len(s.jobs) == 0 {
		return ""
	}
	return amount(len(s.jobs), "job")
}

// endsWithIt is what leaving the session ends.
func (s *session) endsWithIt() string {
	switch len(s.jobs) {
	case 0:
		return ""
	case 1:
		return "; 1 job ends with it"
	}
	return "; " + amount(len(s.jobs), "job") + " end with it"
}

func jobEnded(j tools.Job) string {
	return fmt.Sprintf("job %d %s (%s)", j.ID, flat(agent.JobEnd(j)), flat(oneLine(j.Command)))
}

// jobState is "running 34 s" or "exit code 1 after 2.1 s".
func jobState(j tools.Job, now time.Time) string {
	if j.Running() {
		return "running " + wholeSeconds(j.Took(now).Truncate(time.Second))
	}
	return flat(j.How) + " after " + duration(j.Took(now))
}

// jobsListed brings the jobs for the panel that shows them; jobsDue says that it is time to look again.
type (
	jobsListed struct {
		list []tools.Job
		into *dialog // the panel to fill, nil for a new one
	}
	jobTailed struct {
		job  tools.Job
		text string
		ok   bool
		into *dialog
	}
	jobsDue struct{ d *dialog }
)

// runJobs lists the commands in the background.
func (m *model) runJobs(string) tea.Cmd {
	if m.conv.Jobs == nil {
		return m.missing()
	}
	return m.listJobs(nil)
}

func (m *model) listJobs(into *dialog) tea.Cmd {
	jobs := m.conv.Jobs
	return m.work.do(func(context.Context) tea.Msg { return jobsListed{jobs.Jobs(), into} })
}

// onJobs fills the panel, anew while it is open.
func (m *model) onJobs(msg jobsListed) tea.Cmd {
	if msg.into != nil && msg.into != m.dialog {
		return nil
	}
	if len(msg.list) == 0 {
		m.say("nothing runs in the background; while a command runs, "+m.keys.key(actBackground)+" sends it there", false)
		m.dialog = nil
		return nil
	}
	now := m.o.Clock()
	choices := make([]choice, 0, len(msg.list))
	for _, j := range slices.Backward(msg.list) {
		choices = append(choices, choice{label: jobLabel(j, now), about: jobAbout(j), value: j.ID})
	}
	if msg.into == nil {
		m.dialog = newPicker("jobs in the background", choices, func(c choice, _ string) tea.Cmd { return m.showJob(c.value.(int)) })
		m.dialog.footer = m.keys.key(actChoose) + " shows what it prints and ends it · " + m.keys.key(actDismiss) + " closes"
	} else {
		m.dialog.refresh(choices)
	}
	return m.lookAgain(m.dialog, slices.ContainsFunc(msg.list, tools.Job.Running))
}

// jobLabel is "2 ✗ 2.1 s": its number, how it stands, and for how long it ran.
func jobLabel(j tools.Job, now time.Time) string {
	mark, took := "▸", wholeSeconds(j.Took(now).Truncate(time.Second))
	if !j.Running() {
		mark, took = map[bool]string{true: "✓", false: "✗"}[j.OK], duration(j.Took(now))
	}
	return fmt.Sprintf("%d %s %s", j.ID, mark, took)
}

// jobAbout is its command, before it how it ended, and behind it the newest line it printed.
func jobAbout(j tools.Job) string {
	text := oneLine(j.Command)
	if !j.Running() {
		text = j.How + " · " + text
	}
	if j.Newest != "" {
		text += "  │ " + j.Newest
	}
	return text
}

// lookAgain has an open panel filled anew after a while, as long as there is something to wait for.
func (m *model) lookAgain(d *dialog, running bool) tea.Cmd {
	if !running {
		return nil
	}
	return m.work.after(jobsPause, jobsDue{d})
}

func (m *model) onJobsDue(msg jobsDue) tea.Cmd {
	switch {
	case msg.d != m.dialog || m.conv.Jobs == nil:
		return nil
	case msg.d.job > 0:
		return m.tailJob(msg.d.job, msg.d)
	}
	return m.listJobs(msg.d)
}

// showJob shows the end of what a job printed, and can end it.
func (m *model) showJob(id int) tea.Cmd { return m.tailJob(id, nil) }

func (m *model) tailJob(id int, into *dialog) tea.Cmd {
	jobs := m.conv.Jobs
	return m.work.do(func(context.Context) tea.Msg {
		j, text, ok := jobs.JobTail(id, tailLines)
		return jobTailed{j, text, ok, into}
	})
}

func (m *model) onJobTail(msg jobTailed) tea.Cmd {
	if msg.into != nil && msg.into != m.dialog {
		return nil
	}
	if !msg.ok {
		m.say("this job is not kept any more", false)
		m.dialog = nil
		return nil
	}
	d := msg.into
	if d == nil {
		d = &dialog{job: msg.job.ID, filter: newBuffer(), footer: "pgup pgdown scroll · " + m.keys.key(actDismiss) + " closes"}
		d.choose = m.onJobChoice(msg.job.ID)
		d.tail = true
		m.dialog = d
	}
	d.title = fmt.Sprintf("job %d, %s", msg.job.ID, jobState(msg.job, m.o.Clock()))
	d.body = func(width int) []string { return jobLines(msg.job, msg.text, width, m.t) }
	d.at = 0
	choices := []choice{{label: "back to the list", value: "list"}}
	if msg.job.Running() {
		choices = append(choices, choice{label: "end it", value: "end"})
	}
	d.refresh(append(choices, choice{label: "copy what it printed last", value: msg.text}))
	return m.lookAgain(d, msg.job.Running())
}

func (m *model) onJobChoice(id int) func(choice, string) tea.Cmd {
	return func(c choice, _ string) tea.Cmd {
		switch c.label {
		case "end it":
			m.conv.Loop.Send(agent.KillJob{ID: id}) // the transcript says when it has
			return nil
		case "back to the list":
			return m.listJobs(nil)
		}
		return m.copyText(c.value.(string))
	}
}

// jobLines is the command, its folder, and what it printed last.
func jobLines(j tools.Job, text string, width int, t *theme) []string {
	lines := styled(screen.Chop(screen.Visible(j.Command), width), t.strong.Render)
	lines = append(lines, t.dim.Render(cut("in "+shortFolder(j.Folder), width)), "")
	if strings.TrimSpace(text) == "" {
		return append(lines, t.dim.Render(cut("it has printed nothing yet", width)))
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, wrap(screen.SafeLine(line), width)...)
	}
	return lines
}

// waitedFor is the command that the turn waits for, nil where there is none.
func (s *session) waitedFor() *call {
	for _, id := range s.turn.running {
		if c, _ := s.call(id); c != nil && c.call.Name == "shell" && c.state == callRuns {
			return c
		}
	}
	return nil
}

// toBackground sends the command that the turn waits for to the background; handled is false where there is none.
func (m *model) toBackground() (handled bool) {
	if m.talk.waitedFor() == nil {
		return false
	}
	m.conv.Loop.Send(agent.Background{})
	return true
}

// offersBackground reports whether a command takes long enough for its way to the background to be pointed out.
func (m *model) offersBackground() bool {
	c := m.talk.waitedFor()
	return c != nil && m.o.Clock().Sub(c.began) >= longCommand
}
