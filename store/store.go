// Package store keeps sessions on disk: an append-only transcript.jsonl and a folder of blobs for each,
// under <state>/sessions/<id>/ with modes 0700 and 0600.
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
	"io"
	"time"

	"espy/agent/message"
)

// Store is the state folder's sessions.
type Store struct{}

// Open uses <state>/sessions, making it when something is first written.
func Open(state string) *Store { panic("placeholder") }

// Create begins a session for a workspace. Nothing is written until the first Append, PutBlob or draft.
func (s *Store) Create(ctx context.Context, folder, version string) (*Session, error) {
	panic("placeholder")
}

// Resume opens a session for writing and returns its records in order. A session another process holds is
// an *InUseError; one that is not there a *NotFoundError.
func (s *Store) Resume(ctx context.Context, id string) (*Session, Loaded, error) {
	panic("placeholder")
}

// Read returns a session's records without taking the lock.
func (s *Store) Read(ctx context.Context, id string) (Loaded, error) { panic("placeholder") }

// Newest is the id of the folder's newest session with at least one user message; "" where there is none.
func (s *Store) Newest(ctx context.Context, folder string) (string, error) { panic("placeholder") }

// List returns summaries, newest first, reading no more than heads and meta.json. Folder "" means all.
func (s *Store) List(ctx context.Context, folder string, most int) ([]Summary, error) {
	panic("placeholder")
}

// Remove deletes a session that no process holds.
func (s *Store) Remove(ctx context.Context, id string) error { panic("placeholder") }

// Loaded is what a transcript held.
type Loaded struct {
	Records []message.Record
	Damaged int // lines that could not be read, a torn last line included
}

// Summary describes a session for lists.
type Summary struct {
	ID       string
	Folder   string
	Title    string
	Created  time.Time
	Updated  time.Time
	Messages int
	Pictures int
	Bytes    int64 // of the session's folder
}

// Session is one session open for writing.
type Session struct{}

func (s *Session) ID() string  { panic("placeholder") }
func (s *Session) Dir() string { panic("placeholder") }

// Append writes records with one write and one fsync. On an error nothing counts as written: the next
// Append first repairs the tail.
func (s *Session) Append(records ...message.Record) error { panic("placeholder") }

// PutBlob stores bytes under their hash (media.Sink).
func (s *Session) PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error) {
	panic("placeholder")
}

// OpenBlob opens what a Ref names, checked against its hash the first time. A missing or altered blob is a
// *BlobError.
func (s *Session) OpenBlob(ref string) (io.ReadSeekCloser, error) { panic("placeholder") }

// StatBlob is the blob's size in bytes, from the draft too.
func (s *Session) StatBlob(ref string) (int64, error) { panic("placeholder") }

// FindBlob turns "blob:<prefix of the hash>" into a Ref.
func (s *Session) FindBlob(name string) (ref string, ok bool) { panic("placeholder") }

// Draft is the unsent part of the session: pictures on the row and text in the composer.
func (s *Session) Draft() *Draft { panic("placeholder") }

// Close lets the lock go and removes what only an abandoned draft named.
func (s *Session) Close() error { panic("placeholder") }

// Draft keeps unsent pictures and text in <session>/draft/. Pictures move to blobs on sending. It is a
// media.Sink whose references become valid in the session when they are promoted.
type Draft struct{}

// PutBlob stores bytes under their hash in the draft (media.Sink).
func (d *Draft) PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error) {
	panic("placeholder")
}

// Promote moves the named pictures to the session's blobs, synced. Names already there are fine.
func (d *Draft) Promote(refs ...string) error { panic("placeholder") }

// Discard removes a picture from the draft unless something else in it names the same bytes.
func (d *Draft) Discard(refs ...string) error { panic("placeholder") }

// Save replaces the draft's state: an opaque JSON text of the face (typed text, row, queue), whole and synced.
func (d *Draft) Save(state []byte) error { panic("placeholder") }

// Load returns what Save stored, nil where there is nothing.
func (d *Draft) Load() ([]byte, error) { panic("placeholder") }

// NewID makes a record or session id: a ULID, increasing within the process.
func NewID() string { panic("placeholder") }

// InUseError names the process that holds a session.
type InUseError struct {
	ID  string
	PID int
}

func (e *InUseError) Error() string { panic("placeholder") }

// NotFoundError names a session that is not there.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { panic("placeholder") }

// BlobError names a blob that is gone or altered.
type BlobError struct {
	Ref     string
	Altered bool
}

func (e *BlobError) Error() string { panic("placeholder") }
