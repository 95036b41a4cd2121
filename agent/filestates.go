package agent

import (
	"context"
	"errors"
	"fmt"

	"espy/agent/checkpoint"
	"espy/agent/guard"
	"espy/agent/message"
)

// watch keeps the state of what a call may change, and writes that down before the call runs. It returns nil for
// a call that changes no file.
func (a *Agent) watch(ctx context.Context, j *job) (*checkpoint.Pending, error) {
	scope, changes := a.scope(j)
	if a.files == nil || !changes {
		return nil, nil
	}
	pending, note, err := a.files.Before(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("the files that %s would change could not be kept, so it was not run: %w", j.call.Name, err)
	}
	if note != "" {
		a.notice(NoticeInfo, note)
	}
	if pending == nil {
		return nil, nil
	}
	r := pending.Record()
	r.Call = a.filesCall(j)
	err = a.desk().log.append(func(h *heads) []message.Record {
		r.Head = h.beside(message.KindFiles)
		j.begun = r.ID
		return []message.Record{r}
	})
	return pending, err
}

// filesCall is the call that file records name. They stand in the session's log also where a task's call is meant: a
// rewind of the conversation takes back what its tasks did.
func (a *Agent) filesCall(j *job) string {
	if a.task != nil {
		return a.task.call.ID
	}
	return j.call.ID
}

// worthTelling is from how many files on a look at the workspace is told of: fewer take no time a person notices.
const worthTelling = 500

// keptFiles tells how far a look at the workspace is.
func (a *Agent) keptFiles(done, total int) {
	switch {
	case total < worthTelling:
	case done == total:
		a.events.put(Activity{})
	default:
		a.events.put(Activity{Text: fmt.Sprintf("keeping what the files hold now, %d of %d", done, total)})
	}
}

// scope is what a call may change. A command that is known to look only changes nothing.
func (a *Agent) scope(j *job) (checkpoint.Scope, bool) {
	e := j.effect
	switch {
	case j.readOnly() || e.Kind == guard.KindRead || e.Kind == guard.KindNone:
		return checkpoint.Scope{}, false
	case e.Kind == guard.KindWrite && len(e.Paths) > 0:
		return checkpoint.Scope{Paths: e.Paths}, true
	case e.Kind == guard.KindExec && e.Command != "":
		return checkpoint.Scope{Workspace: true}, !a.opt.Guard.JudgeShell(e.Command, e.Paths...).ReadOnly
	}
	return checkpoint.Scope{Workspace: true}, true
}

// changed is the record of what a watched call changed. What cannot be found out is told, and the call counts as
// one that was cut off: what it changed is then asked about.
func (a *Agent) changed(ctx context.Context, j *job) (message.FilesRecord, bool) {
	if j.watched == nil {
		return message.FilesRecord{}, false
	}
	changes, err := a.files.After(ctx, j.watched)
	if err != nil {
		a.notice(NoticeError, "What "+j.call.Name+" changed could not be kept whole: "+err.Error())
		return message.FilesRecord{}, false
	}
	return message.FilesRecord{Call: a.filesCall(j), Of: j.begun, Changes: changes}, true
}

// writeFiles writes down, in the session's log, what a call of the task changed.
func (t *task) writeFiles(r message.FilesRecord) error {
	t.mu.Lock()
	t.changed = t.changed || len(r.Changes) > 0
	t.mu.Unlock()
	return t.outer.log.append(func(h *heads) []message.Record {
		r.Head = h.beside(message.KindFiles)
		return []message.Record{r}
	})
}

// restoring brings files back, or tells of the conflicts that the person has to decide first.
func (a *Agent) restoring(ctx context.Context, records []message.FilesRecord, conflicts ConflictChoice) (out restored, err error) {
	if a.files == nil {
		return out, nil
	}
	steps, err := a.files.Plan(ctx, records)
	if err != nil {
		return out, err
	}
	for _, s := range steps {
		if s.Conflict != "" && conflicts == ConflictAsk {
			out.asked = append(out.asked, FileConflict{Path: s.Display, Why: s.Conflict})
		}
	}
	if len(out.asked) > 0 {
		return out, nil
	}
	changes, faults, err := a.files.Restore(ctx, steps, conflicts == ConflictOverwrite)
	out.changes = changes
	for _, f := range faults {
		out.faults = append(out.faults, FileConflict{Path: f.Display, Why: f.Why})
	}
	for _, s := range steps {
		for _, c := range changes {
			if c.Path == s.Path {
				out.files = append(out.files, RestoredFile{Path: s.Display, Removed: c.After == (message.FileState{})})
			}
		}
	}
	if ctx.Err() != nil {
		return out, errors.Join(errInterrupted, err)
	}
	return out, err
}

// restored is what came of bringing files back.
type restored struct {
	asked   []FileConflict // nothing was done: the person decides first
	changes []message.FileChange
	files   []RestoredFile
	faults  []FileConflict
}
