package store

import (
	"errors"
	"fmt"
	"io/fs"

	"espy/agent/message"
)

// ErrClosed is what a session answers after Close.
var ErrClosed = errors.New("the session is closed")

// InUseError names the process that holds a session. PID is 0 where it could not be read.
type InUseError struct {
	ID  string
	PID int
}

func (e *InUseError) Error() string {
	holder := "another process"
	if e.PID > 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("session %s is in use by %s; close it there, go on in a copy (`espy sessions fork %s`), or only read it (`espy sessions show %s`)", e.ID, holder, e.ID, e.ID)
}

// NotFoundError names a session that is not there.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("there is no session %.60q; `espy sessions` lists those there are", e.ID)
}

// BlobError names a blob that is gone, altered, or not a blob's name at all.
type BlobError struct {
	Ref     string
	Altered bool // it is there, but its bytes are not the ones its name promises
	Invalid bool // Ref is not "blobs/<sha256>.<ext>"
}

func (e *BlobError) Error() string {
	switch {
	case e.Invalid:
		return fmt.Sprintf("%.100q does not name a stored picture or text", e.Ref)
	case e.Altered:
		return fmt.Sprintf("the stored file %s was altered and is not used", message.BlobName(e.Ref))
	}
	return fmt.Sprintf("the stored file %s is gone", message.BlobName(e.Ref))
}

// WriteError says that something could not be stored, and where. Full tells a full disk from other faults.
type WriteError struct {
	Dir  string
	Full bool
	Err  error
}

func (e *WriteError) Error() string {
	if e.Full {
		return fmt.Sprintf("no room left to write in %s; free some space there and try again", e.Dir)
	}
	return fmt.Sprintf("could not write in %s: %v", e.Dir, reason(e.Err))
}

func (e *WriteError) Unwrap() error { return e.Err }

// writeError wraps a failed write into dir; nil stays nil, and a WriteError stays itself.
func writeError(dir string, err error) error {
	var known *WriteError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &WriteError{Dir: dir, Full: diskFull(err), Err: err}
}

// reason is the bare cause of a file error: the path stands in the sentence already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
