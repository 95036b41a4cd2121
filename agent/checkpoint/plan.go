package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"espy/agent/message"
)

// Step is one file that would go back.
type Step struct {
	Path     string // absolute
	Display  string // for people
	Want     message.FileState
	Conflict string // why it is not done unasked; "" where it is what espy left
}

// Plan works out which files differ from what they held before a stretch of the log, given its records in the
// order written: for each file the state before its first change. A file that holds something else than its last
// change left, or that somebody changed between two of them, is a conflict. Files that are right already are left
// out.
func (k *Keeper) Plan(ctx context.Context, records []message.FilesRecord) ([]Step, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var t timeline
	for i, r := range records {
		if !r.Begun {
			t.add(r.Changes)
		} else if !finished(records[i+1:], r.ID) {
			if err := k.addCutOff(ctx, &t, r); err != nil {
				return nil, err
			}
		}
	}
	var steps []Step
	for _, f := range t.files {
		now := k.look(f.path)
		if now.holds(f.before) {
			continue
		}
		if f.conflict == "" && !now.holds(f.after) {
			f.conflict = "it was changed outside espy since"
		}
		steps = append(steps, Step{Path: f.path, Display: k.display(f.path), Want: f.before, Conflict: f.conflict})
	}
	slices.SortFunc(steps, func(a, b Step) int { return strings.Compare(a.Path, b.Path) })
	return steps, nil
}

func (k *Keeper) display(path string) string {
	if p, err := k.roots.Resolve(path); err == nil {
		return p.Display
	}
	return path
}

func finished(rest []message.FilesRecord, begun string) bool {
	return slices.ContainsFunc(rest, func(r message.FilesRecord) bool { return r.Of == begun })
}

// addCutOff adds the files of a call that a crash cut off. Who changed them since cannot be told.
func (k *Keeper) addCutOff(ctx context.Context, t *timeline, r message.FilesRecord) error {
	const unsure = "espy ended while a call may have been changing it"
	for _, c := range r.Changes {
		t.file(c.Path, c.Before).conflict = unsure
	}
	if r.Tree == "" || k.off != "" {
		return nil
	}
	now, err := k.snapshot(ctx)
	if err != nil || now == "" {
		return err
	}
	changes, err := k.repo.diff(ctx, r.Tree, now)
	if err != nil {
		return fmt.Errorf("what files held before cannot be read: %w", err)
	}
	for _, c := range changes {
		t.file(c.Path, c.Before).conflict = unsure
	}
	return nil
}

// timeline follows files through changes in the order they happened.
type timeline struct {
	files  []*track
	byPath map[string]*track
}

type track struct {
	path     string
	before   message.FileState // the first change's
	after    message.FileState // the last change's
	conflict string
}

// file finds a file's track, or begins it in a state.
func (t *timeline) file(path string, before message.FileState) *track {
	if t.byPath == nil {
		t.byPath = make(map[string]*track)
	}
	f, ok := t.byPath[path]
	if !ok {
		f = &track{path: path, before: before, after: before}
		t.files, t.byPath[path] = append(t.files, f), f
	}
	return f
}

func (t *timeline) add(changes []message.FileChange) {
	for _, c := range changes {
		f := t.file(c.Path, c.Before)
		if f.after != c.Before && f.conflict == "" {
			f.conflict = "somebody else changed it between two changes of espy's"
		}
		f.after = c.After
	}
}
