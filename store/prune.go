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
	"slices"
	"time"
)

// PruneOptions say which sessions may go. Both bounds must be met; at least one must be set.
type PruneOptions struct {
	OlderThan time.Duration // since the last record; 0 is any age
	Keep      int           // how many of the newest stay whatever their age; 0 keeps none for that reason
	Now       time.Time
	DryRun    bool // only say what would go
}

// Pruned is one session that goes, or would go, or is cleaned up.
type Pruned struct {
	Summary
	Freed   int64  // bytes on disk that only this session names
	Unnamed int    // for a session that stays: stored files that nothing names
	Kept    string // why it stays though it is old enough; "" where it goes
}

// Prune removes old sessions, and from the others stored files that no record, draft or queued message names: what
// a crash between storing a picture and writing about it left. A session that is in use or holds an unsent draft
// stays whole. Clock readings in a session's future make it young.
func (s *Store) Prune(ctx context.Context, opt PruneOptions) ([]Pruned, error) {
	list, err := s.List(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	var done []Pruned
	var errs []error
	for i, sum := range list {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		old := i >= opt.Keep && opt.Now.Sub(sum.Updated) >= opt.OlderThan
		p, err := s.prune(ctx, sum, old, opt.DryRun)
		errs = append(errs, err)
		if err == nil && (old || p.Unnamed > 0) {
			done = append(done, p)
		}
	}
	return done, errors.Join(errs...)
}

// prune removes one session, or what nothing names in it, under its lock.
func (s *Store) prune(ctx context.Context, sum Summary, old, dry bool) (Pruned, error) {
	p := Pruned{Summary: sum}
	held, err := s.hold(sum.ID)
	if errors.As(err, new(*InUseError)) {
		p.Kept = "in use"
		return p, nil
	}
	if errors.As(err, new(*NotFoundError)) {
		p.Kept = "gone already"
		return p, nil
	}
	if err != nil {
		return p, err
	}
	dir := s.Dir(sum.ID)
	if old && exists(filepath.Join(dir, draftName, stateName)) {
		p.Kept, old = "holds an unsent draft", false
	}
	if !old {
		err := errors.Join(s.cleanBlobs(ctx, dir, dry, &p), s.cleanTasks(ctx, dir, dry, &p))
		return p, errors.Join(err, held.release())
	}
	p.Freed = freedBy(dir)
	if dry {
		return p, held.release()
	}
	return p, removeSession(dir, held)
}

// cleanBlobs removes stored files that nothing in the folder of a session or task names. A log or draft that cannot be
// read keeps them all.
func (s *Store) cleanBlobs(ctx context.Context, dir string, dry bool, p *Pruned) error {
	files := newBlobs(filepath.Join(dir, blobsName))
	refs := files.refs("")
	if len(refs) == 0 {
		return nil
	}
	named, err := foundIn(ctx, refsIn(), filepath.Join(dir, logName), filepath.Join(dir, draftName, stateName))
	if err != nil {
		return err
	}
	for _, ref := range refs {
		name := filepath.Base(ref)
		if named[name] {
			continue
		}
		path := filepath.Join(files.dir, name)
		p.Unnamed++
		p.Freed += freedBy(path)
		if !dry {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// foundIn collects the names in files, in bounded memory. A file that is not there names nothing.
func foundIn(ctx context.Context, names *regexp.Regexp, paths ...string) (map[string]bool, error) {
	named := make(map[string]bool)
	for _, path := range paths {
		f, _, err := openRegular(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = eachName(contextReader{ctx, f}, names, func(name string) { named[name] = true })
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return named, nil
}

// longestName is a hash, a dot and the longest ending.
const longestName = 64 + 1 + 8

// eachName finds names across a stream, also where two reads meet.
func eachName(r io.Reader, names *regexp.Regexp, do func(string)) error {
	buf := make([]byte, 0, readBytes+2*longestName)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		for _, name := range names.FindAll(buf, -1) {
			do(string(name))
		}
		if keep := longestName; len(buf) > keep {
			buf = append(buf[:0], slices.Clone(buf[len(buf)-keep:])...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// freedBy is how many bytes removing a file or folder gives back. A file that another session links too gives
// back nothing; one that only the folder itself links several times, as a session and its tasks do, counts once.
func freedBy(path string) (total int64) {
	linked := make(map[string][]fs.FileInfo) // by name, which is the hash of what they hold
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		switch {
		case err != nil:
		case links(info) < 2:
			total += info.Size()
		default:
			linked[e.Name()] = append(linked[e.Name()], info)
		}
		return nil
	})
	for _, names := range linked {
		for i, info := range names {
			same := func(other fs.FileInfo) bool { return os.SameFile(info, other) }
			if slices.IndexFunc(names, same) == i && count(names, same) == links(info) {
				total += info.Size()
			}
		}
	}
	return total
}

func count(infos []fs.FileInfo, fits func(fs.FileInfo) bool) (n int) {
	for _, i := range infos {
		if fits(i) {
			n++
		}
	}
	return n
}
