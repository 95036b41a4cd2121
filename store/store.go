// Package store keeps sessions on disk: an append-only transcript.jsonl and a folder of blobs for each,
// under <state>/sessions/<id>/ with modes 0700 and 0600. It also keeps the history of prompts.
//
// Contract: the transcript is only ever appended to, holds references and never picture bytes, and stays
// readable after any crash: a fragment or a bad line is skipped and counted. Blobs are named by the hash of
// their content and are on disk, synced, before a record that names them. One process writes a session,
// under a lock that dies with it; reading needs no lock. Blob writes are safe from anywhere; only the loop
// appends.
//
// The package knows message's records. It must not know what they mean to a model, a provider, a tool or a
// screen.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"espy/agent/message"
)

// Store is the state folder's sessions.
type Store struct{ dir string }

// Open uses <state>/sessions, making it when something is first written.
func Open(state string) *Store { return &Store{dir: filepath.Join(state, sessionsName)} }

// Create begins a session for a workspace. Nothing is written until the first Append, PutBlob or draft. The
// first record of a log is the session's Opening, which the caller appends with what comes first.
func (s *Store) Create(ctx context.Context, folder, version string) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := NewID()
	return newSession(s.Dir(id), id, folder, version), nil
}

// Dir is where a session's folder is, or would be.
func (s *Store) Dir(id string) string { return filepath.Join(s.dir, filepath.Base(id)) }

// Resume opens a session for writing and returns its records in order. A session another process holds is
// an *InUseError; one that is not there a *NotFoundError. One that has a draft but no log yet has no records,
// and its caller appends the Opening.
func (s *Store) Resume(ctx context.Context, id string) (*Session, Loaded, error) {
	held, err := s.hold(id)
	if err != nil {
		return nil, Loaded{}, err
	}
	session, loaded, err := s.resume(ctx, id, held)
	if err != nil {
		return nil, Loaded{}, errors.Join(err, held.release())
	}
	return session, loaded, nil
}

// hold takes the lock of a session that is there.
func (s *Store) hold(id string) (*lock, error) {
	if !validID(id) || !isSession(s.Dir(id)) {
		return nil, &NotFoundError{id}
	}
	held, err := acquire(s.Dir(id), id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{id}
	}
	if err != nil {
		return nil, err
	}
	if !isSession(s.Dir(id)) { // removed while the lock was taken
		return nil, errors.Join(&NotFoundError{id}, held.release())
	}
	return held, nil
}

// isSession reports whether a folder holds a log, or a draft that has none yet.
func isSession(dir string) bool {
	return exists(filepath.Join(dir, logName)) || exists(filepath.Join(dir, draftName))
}

func (s *Store) resume(ctx context.Context, id string, held *lock) (*Session, Loaded, error) {
	dir := s.Dir(id)
	for _, inner := range append(taskDirs(dir), dir, filepath.Join(dir, draftName)) {
		sweepTemps(inner)
		sweepTemps(filepath.Join(inner, blobsName))
	}
	loaded, err := s.Read(ctx, id)
	if err != nil {
		return nil, Loaded{}, err
	}
	folder, version := opening(loaded.Records)
	if folder == "" {
		folder = readMeta(dir).Folder
	}
	session := newSession(dir, id, folder, version)
	session.lock = held
	for _, r := range loaded.Records {
		session.tally.add(r)
	}
	session.tally.BlobBytes = session.blobs.bytes() + tasksBytes(dir)
	if exists(filepath.Join(dir, logName)) {
		if session.log, err = openLog(dir); err != nil {
			return nil, Loaded{}, err
		}
		session.tally.LogBytes = session.log.size
	}
	if _, err := session.draft.Load(); err != nil {
		return nil, Loaded{}, errors.Join(err, session.closeLog())
	}
	return session, loaded, nil
}

func (s *Session) closeLog() error {
	if s.log == nil {
		return nil
	}
	return s.log.close()
}

// opening is what the session record says.
func opening(records []message.Record) (folder, version string) {
	for _, r := range records {
		if r, ok := r.(message.SessionRecord); ok {
			return r.Folder, r.Espy
		}
	}
	return "", ""
}

// Read returns the records of a session, or of a task as ID/TASK, without taking the lock.
func (s *Store) Read(ctx context.Context, id string) (Loaded, error) {
	dir, ok := s.locate(id)
	if !ok {
		return Loaded{}, &NotFoundError{id}
	}
	f, _, err := openRegular(filepath.Join(dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		if isSession(dir) {
			return Loaded{}, nil
		}
		return Loaded{}, &NotFoundError{id}
	}
	if err != nil {
		return Loaded{}, fmt.Errorf("session %s cannot be read: %w", id, err)
	}
	defer f.Close()
	return load(ctx, f)
}

// OpenBlob opens what a Ref of any session or task names, checked against its hash, without taking the lock.
func (s *Store) OpenBlob(id, ref string) (io.ReadSeekCloser, error) {
	dir, ok := s.locate(id)
	if !ok {
		return nil, &NotFoundError{id}
	}
	f, err := newBlobs(filepath.Join(dir, blobsName)).open(ref)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Remove deletes a session that no process holds.
func (s *Store) Remove(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	held, err := s.hold(id)
	if err != nil {
		return err
	}
	return removeSession(s.Dir(id), held)
}

// Sweep removes what crashes left: folders older than an hour with neither a log nor a saved draft, which no list
// shows and no resume could use. A folder in use is left alone.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := s.Dir(e.Name())
		if !e.IsDir() || !validID(e.Name()) || now.Sub(born(e.Name())) < leftAfter ||
			exists(filepath.Join(dir, logName)) || exists(filepath.Join(dir, draftName, stateName)) {
			continue
		}
		held, err := acquire(dir, e.Name())
		if err == nil {
			err = removeSession(dir, held)
		}
		if !errors.As(err, new(*InUseError)) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Loaded is what a transcript held.
type Loaded struct {
	Records []message.Record
	Damaged int // lines that could not be read, a torn last line included
}

// Link makes blobs of another session this session's own: hard links where the disk can, copies elsewhere. What
// could not be linked is a *BlobError each, joined; the others are there all the same.
func (s *Session) Link(ctx context.Context, from string, refs ...string) error {
	return s.linkFrom(ctx, newBlobs(filepath.Join(filepath.Dir(s.dir), filepath.Base(from), blobsName)), refs)
}

func (s *Session) linkFrom(ctx context.Context, source *blobs, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	if err := s.open(s.blobs.dir); err != nil {
		return err
	}
	var errs []error
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return err
		}
		errs = append(errs, s.link(ctx, source, ref))
	}
	return errors.Join(append(errs, writeError(s.blobs.dir, syncDir(s.blobs.dir)))...)
}

func (s *Session) link(ctx context.Context, source *blobs, ref string) error {
	f, err := source.open(ref)
	if err != nil {
		return err
	}
	defer f.Close()
	name := filepath.Base(ref)
	target := filepath.Join(s.blobs.dir, name)
	if exists(target) {
		return nil
	}
	if os.Link(f.Name(), target) == nil {
		size, err := s.blobs.stat(ref)
		s.grew(size, true)
		return err
	}
	_, err = s.PutBlob(ctx, filepath.Ext(name)[1:], f)
	return err
}
