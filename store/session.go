package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"espy/agent/message"
)

// Session is one session open for writing. Append is for the loop alone; everything else is safe from anywhere.
type Session struct {
	id      string
	dir     string
	folder  string   // the workspace
	version string   // of espy
	outer   *Session // of a task: the session it belongs to
	blobs   *blobs
	draft   *Draft

	mu     sync.Mutex
	lock   *lock    // nil until something is written
	log    *logFile // nil until the first Append
	tally  *tally
	closed bool
}

func newSession(dir, id, folder, version string) *Session {
	s := &Session{id: id, dir: dir, folder: folder, version: version}
	s.blobs = newBlobs(filepath.Join(dir, blobsName))
	s.draft = newDraft(s, filepath.Join(dir, draftName))
	s.tally = newTally(id, folder)
	return s
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Dir is the session's folder, absolute where the state folder is. It is there once something was written.
func (s *Session) Dir() string { return s.dir }

// Folder is the workspace the session belongs to.
func (s *Session) Folder() string { return s.folder }

// Opening is the record a new log starts with.
func (s *Session) Opening(now time.Time) message.SessionRecord {
	return message.SessionRecord{
		Head:   message.NewHead(message.KindSession, NewID(), "", now),
		Folder: s.folder,
		Espy:   s.version,
	}
}

// open makes the session's folder and takes its lock when that was not done yet, and makes the folder inside it.
func (s *Session) open(inner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openLocked(inner)
}

func (s *Session) openLocked(inner string) error {
	if s.closed {
		return ErrClosed
	}
	if s.lock == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	return writeError(s.dir, makeDir(inner))
}

func (s *Session) begin() error {
	if s.outer != nil {
		if err := s.outer.open(filepath.Dir(s.dir)); err != nil {
			return err
		}
	}
	if err := makeDir(s.dir); err != nil {
		return writeError(s.dir, err)
	}
	held, err := acquire(s.dir, s.id)
	if err != nil {
		return err
	}
	s.lock = held
	s.tally.at(time.Now())
	s.tally.save(s.dir) // a draft without a log is listed from it
	return nil
}

// makeDir makes a folder and its parents, and makes its name durable.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// Append writes records with one write and one fsync. On an error nothing counts as written: the next
// Append first repairs the tail.
func (s *Session) Append(records ...message.Record) error {
	if len(records) == 0 {
		return nil
	}
	batch, err := encode(records)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.openLocked(s.dir); err != nil {
		return err
	}
	if s.log == nil {
		if s.log, err = openLog(s.dir); err != nil {
			return err
		}
	}
	if err := s.log.append(batch); err != nil {
		return err
	}
	for _, r := range records {
		s.tally.add(r)
	}
	s.tally.LogBytes = s.log.size
	s.tally.save(s.dir)
	return nil
}

// PutBlob stores bytes under their hash (media.Sink). Ext is png, jpg, gif, webp, bmp, tiff, txt or bin.
func (s *Session) PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error) {
	if err := s.open(s.blobs.dir); err != nil {
		return "", err
	}
	ref, size, added, err := s.blobs.put(ctx, ext, r)
	if err != nil {
		return "", err
	}
	s.grew(size, added)
	return ref, nil
}

// grew counts a new blob for the lists.
func (s *Session) grew(size int64, added bool) {
	if !added {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.BlobBytes += size
}

// OpenBlob opens what a Ref names, in the blobs or the draft, checked against its hash the first time. A missing
// or altered blob is a *BlobError.
func (s *Session) OpenBlob(ref string) (io.ReadSeekCloser, error) {
	f, err := s.blobs.open(ref)
	if missing(err) {
		f, err = s.draft.files.open(ref)
	}
	if missing(err) { // it may have moved in between
		f, err = s.blobs.open(ref)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// StatBlob is the blob's size in bytes, from the draft too.
func (s *Session) StatBlob(ref string) (int64, error) {
	size, err := s.blobs.stat(ref)
	if missing(err) {
		size, err = s.draft.files.stat(ref)
	}
	if missing(err) {
		size, err = s.blobs.stat(ref)
	}
	return size, err
}

// missing reports whether a well-named blob is not in the folder asked.
func missing(err error) bool {
	var blob *BlobError
	return errors.As(err, &blob) && !blob.Altered && !blob.Invalid
}

// FindBlob turns "blob:<prefix of the hash>" into a Ref. The prefix has at least six characters and must fit one
// blob only.
func (s *Session) FindBlob(name string) (ref string, ok bool) {
	return find(name, s.blobs, s.draft.files)
}

// Draft is the unsent part of the session: pictures on the row and text in the composer.
func (s *Session) Draft() *Draft { return s.draft }

// Close lets the lock go. A draft nobody saved is removed; so is the whole folder where nothing was ever
// appended to the log. Closing twice is fine. No other call may run at the same time.
func (s *Session) Close() error {
	abandoned := s.draft.finish()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.lock == nil {
		return nil
	}
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.close())
	}
	blank := s.log == nil && !exists(filepath.Join(s.dir, logName))
	switch {
	case abandoned && blank:
		return errors.Join(append(errs, removeSession(s.dir, s.lock))...)
	case abandoned:
		errs = append(errs, os.RemoveAll(s.draft.files.dir))
	}
	s.tally.FileBytes, s.tally.Closed = statesBytes(s.dir), true
	s.tally.save(s.dir)
	s.closeTask(s.dir)
	return errors.Join(append(errs, s.lock.release())...)
}

// removeSession removes a session's folder while its lock is held. The lock goes last: a process that takes it
// in the short time between finds no log and no draft, which is no session.
func removeSession(dir string, held *lock) error {
	entries, err := os.ReadDir(dir)
	errs := []error{err}
	for _, e := range entries {
		if e.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(append(errs, held.release(), os.RemoveAll(dir))...)
}
