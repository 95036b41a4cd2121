package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"espy/agent/message"
)

// A task is a conversation that a call of a session holds: a log and blobs of its own under <session>/tasks/<id>/,
// written, read and mended by the same rules. It goes wherever its session goes: it is forked, counted and removed with
// it, and is named ID/TASK for reading.

// Task begins a task's conversation. Nothing is written until the first Append or PutBlob. It is to be closed before
// the session is.
func (s *Session) Task(ctx context.Context) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := NewID()
	task := newSession(filepath.Join(s.dir, tasksName, id), id, s.folder, s.version)
	task.outer = s
	return task, nil
}

// OuterID is the session that a task's conversation belongs to; "" for a session of its own.
func (s *Session) OuterID() string {
	if s.outer == nil {
		return ""
	}
	return s.outer.id
}

// LinkFrom makes blobs of a session's task, or of a task's session, this one's own, as Link does. Unsent pictures are
// not blobs yet and are not given.
func (s *Session) LinkFrom(ctx context.Context, from *Session, refs ...string) error {
	return s.linkFrom(ctx, from.blobs, refs)
}

// closeTask counts a task that is done into the size of its session.
func (s *Session) closeTask(dir string) {
	if s.outer == nil {
		return
	}
	s.outer.grew(taskBytes(dir, s.outer.blobs), true)
}

// locate is the folder of a session, or of a task as ID/TASK.
func (s *Store) locate(id string) (dir string, ok bool) {
	if validID(id) {
		return s.Dir(id), true
	}
	outer, task, _ := strings.Cut(id, "/")
	if !validID(outer) || !validID(task) {
		return "", false
	}
	return filepath.Join(s.Dir(outer), tasksName, task), true
}

// taskDirs are the folders of a session's tasks, oldest first.
func taskDirs(dir string) []string {
	entries, err := os.ReadDir(filepath.Join(dir, tasksName))
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && validID(e.Name()) {
			dirs = append(dirs, filepath.Join(dir, tasksName, e.Name()))
		}
	}
	return dirs
}

// tasksBytes is the size of a session's tasks.
func tasksBytes(dir string) (total int64) {
	own := newBlobs(filepath.Join(dir, blobsName))
	for _, task := range taskDirs(dir) {
		total += taskBytes(task, own)
	}
	return total
}

// taskBytes is the size of a task's log and blobs, less the blobs it shares with its session.
func taskBytes(dir string, shared *blobs) (total int64) {
	if info, err := os.Stat(filepath.Join(dir, logName)); err == nil {
		total = info.Size()
	}
	own := newBlobs(filepath.Join(dir, blobsName))
	for _, ref := range own.refs("") {
		size, err := own.stat(ref)
		if _, missing := shared.stat(ref); err == nil && missing != nil {
			total += size
		}
	}
	return total
}

// tasksIn finds the tasks that a log names.
var tasksIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"task":"[0-9A-HJKMNP-TV-Z]{26}"`) })

// cleanTasks removes tasks that the session's log does not name, which a crash left, and from the others the stored
// files that nothing in them names.
func (s *Store) cleanTasks(ctx context.Context, dir string, dry bool, p *Pruned) error {
	tasks := taskDirs(dir)
	if len(tasks) == 0 {
		return nil
	}
	named, err := foundIn(ctx, tasksIn(), filepath.Join(dir, logName))
	if err != nil {
		return err
	}
	for _, task := range tasks {
		if named[fmt.Sprintf(`"task":%q`, filepath.Base(task))] {
			err = s.cleanBlobs(ctx, task, dry, p)
		} else {
			p.Unnamed++
			p.Freed += freedBy(task)
			if !dry {
				err = os.RemoveAll(task)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTasks takes the tasks over that records name. One that is gone stays gone.
func (s *Session) copyTasks(ctx context.Context, fromDir string, records []message.Record) error {
	for _, r := range records {
		r, ok := r.(message.TaskRecord)
		if !ok || !validID(r.Task) {
			continue
		}
		from := filepath.Join(fromDir, tasksName, r.Task)
		if !exists(filepath.Join(from, logName)) {
			continue
		}
		if err := s.copyTask(ctx, from, r.Task); err != nil {
			return err
		}
	}
	return nil
}

// copyTask links a task's blobs and copies its log as far as it goes: the task may still be running.
func (s *Session) copyTask(ctx context.Context, from, id string) error {
	task := newSession(filepath.Join(s.dir, tasksName, id), id, s.folder, s.version)
	task.outer = s
	source := newBlobs(filepath.Join(from, blobsName))
	err := withoutMissing(task.linkFrom(ctx, source, source.refs("")))
	if err == nil {
		err = task.copyLog(ctx, filepath.Join(from, logName))
	}
	return errors.Join(err, task.Close())
}

func (s *Session) copyLog(ctx context.Context, path string) error {
	f, _, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.open(s.dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.dir, tempPattern)
	if err != nil {
		return writeError(s.dir, err)
	}
	_, err = io.Copy(temp, contextReader{ctx, f})
	return writeError(s.dir, finish(temp, filepath.Join(s.dir, logName), true, err))
}
