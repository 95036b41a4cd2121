// Package checkpoint keeps what files held before and after a call changed them, and brings that back.
//
// Contract: states are kept in a git repository of the session's own (<session>/files.git), never in the
// user's; without git only writes and edits are covered, and their states are the session's blobs. A file that
// somebody else changed meanwhile is never written over unless the caller says so. Files are opened, written and
// removed through guard.Roots only; a credential's bytes are never kept.
//
// The package knows file records and the guard. It must not know the conversation, a tool or a screen; which
// records lie between now and a point in the past is for its caller to say.
package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"espy/agent/guard"
	"espy/agent/message"
)

// Blobs is where states are kept without git.
type Blobs interface {
	PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error)
	OpenBlob(ref string) (io.ReadSeekCloser, error)
}

// Keeper keeps the file states of one session. Its methods may be called from several goroutines; calls that
// change files run one after the other, or each would be told the other's changes.
type Keeper struct {
	// Progress, where it is set before the first use, is told how many files of how many have been looked through.
	Progress func(done, total int)

	roots *guard.Roots
	blobs Blobs
	repo  repository

	mu   sync.Mutex
	off  string // why the workspace as a whole is not looked at
	told bool
}

// New is a keeper for a session's folder, which is made when something is first kept.
func New(session string, roots *guard.Roots, blobs Blobs) *Keeper {
	k := &Keeper{roots: roots, blobs: blobs}
	k.repo = repository{dir: filepath.Join(session, repositoryName), work: roots.Workspace(), secrets: roots.Secrets()}
	home, _ := os.UserHomeDir()
	switch _, err := exec.LookPath("git"); {
	case err != nil:
		k.off = "git is not installed"
	case k.repo.work == home || k.repo.work == filepath.Dir(k.repo.work):
		k.off = "this is a home folder or a whole disk, which is not looked through"
	}
	return k
}

// Scope is what a call may change: the files it names, or anything in the workspace.
type Scope struct {
	Paths     []string
	Workspace bool
}

// Pending is a call whose files are being watched.
type Pending struct {
	paths []string // resolved
	tree  string   // of the workspace before the call; "" where it is not watched
	was   []message.FileState
}

// Record is what is written to the log before the call runs.
func (p *Pending) Record() message.FilesRecord {
	r := message.FilesRecord{Begun: true, Tree: p.tree}
	for i, path := range p.paths {
		r.Changes = append(r.Changes, message.FileChange{Path: path, Before: p.was[i]})
	}
	return r
}

// Before keeps the state of what a call may change. It returns nil where there is nothing to keep. Note, where it
// is not empty, is a sentence for the person: commands are not covered in this session, and why.
func (k *Keeper) Before(ctx context.Context, scope Scope) (p *Pending, note string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p = &Pending{}
	for _, name := range scope.Paths {
		path, err := k.roots.Resolve(name)
		if err != nil {
			continue // refused: the call will say so
		}
		state, err := k.keepFile(ctx, path.Abs)
		if err != nil {
			return nil, "", err
		}
		p.paths, p.was = append(p.paths, path.Abs), append(p.was, state)
	}
	if scope.Workspace {
		p.tree, err = k.snapshot(ctx)
		if err != nil {
			return nil, "", err
		}
		note = k.note()
	}
	if len(p.paths) == 0 && p.tree == "" {
		return nil, note, nil
	}
	return p, note, nil
}

// snapshot is the state of the workspace, or "" where it cannot be had, which is then not tried again.
func (k *Keeper) snapshot(ctx context.Context) (string, error) {
	if k.off != "" {
		return "", nil
	}
	bounded, cancel := context.WithTimeout(ctx, snapshotFor)
	defer cancel()
	k.repo.progress = k.Progress
	tree, err := k.repo.snapshot(bounded)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errTooSlow
	}
	if err != nil {
		k.off = err.Error()
		return "", nil
	}
	return tree, nil
}

func (k *Keeper) note() string {
	if k.off == "" || k.told {
		return ""
	}
	k.told = true
	return "Rewinding can bring back what espy wrote and edited, but not what commands change here: " + k.off + "."
}

// After is what the call changed. It also looks when ctx has ended: an interrupted call may have changed much.
func (k *Keeper) After(ctx context.Context, p *Pending) ([]message.FileChange, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepFor)
	defer cancel()
	var changes []message.FileChange
	for i, path := range p.paths {
		state, err := k.keepFile(ctx, path)
		if err != nil {
			return changes, err
		}
		if state != p.was[i] {
			changes = append(changes, message.FileChange{Path: path, Before: p.was[i], After: state})
		}
	}
	if p.tree == "" || k.off != "" {
		return changes, nil
	}
	tree, err := k.snapshot(ctx)
	if err != nil || tree == "" {
		return changes, err
	}
	found, err := k.repo.diff(ctx, p.tree, tree)
	return append(changes, found...), err
}
