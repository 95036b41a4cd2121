package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"espy/agent/message"
)

// Fault is a file that could not be brought back, and why.
type Fault struct {
	Display string
	Why     string
}

// Restore brings files back. What they hold now is kept first, so that it can be brought back in turn. Steps with
// a conflict are left alone unless overwrite says that the person decided. One file's fault does not stop the
// others; an error is the end of ctx, or a state that could not be kept.
func (k *Keeper) Restore(ctx context.Context, steps []Step, overwrite bool) (done []message.FileChange, faults []Fault, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range steps {
		if s.Conflict != "" && !overwrite {
			continue
		}
		if err := ctx.Err(); err != nil {
			return done, faults, err
		}
		change, err := k.restore(ctx, s)
		if errors.Is(err, errNotKept) {
			return done, faults, err
		}
		if err != nil {
			faults = append(faults, Fault{s.Display, err.Error()})
			continue
		}
		done = append(done, change)
	}
	return done, faults, nil
}

// errNotKept stops a restore: going on would lose what files hold now.
var errNotKept = errors.New("what a file holds now could not be kept, so no further file goes back")

func (k *Keeper) restore(ctx context.Context, s Step) (message.FileChange, error) {
	change := message.FileChange{Path: s.Path, After: s.Want}
	now := k.look(s.Path)
	switch {
	case s.Want.Lost != "":
		return change, fmt.Errorf("what it held was not kept: %s", s.Want.Lost)
	case now.lost != "":
		return change, errors.New(now.lost)
	case s.Want != (message.FileState{}) && s.Want.Mode != modePlain && s.Want.Mode != modeRuns:
		return change, errors.New("it was a link, which is not made again")
	}
	var err error
	if change.Before, err = k.keep(ctx, now); err != nil {
		return change, errors.Join(errNotKept, err)
	}
	if s.Want == (message.FileState{}) {
		_, err := k.roots.RemoveFile(s.Path)
		return change, err
	}
	data, err := k.bytesOf(ctx, s.Want)
	if err != nil {
		return change, err
	}
	_, err = k.roots.RestoreFile(s.Path, data, s.Want.Mode == modeRuns)
	return change, err
}
