package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Draft keeps unsent pictures and text in <session>/draft/. Pictures move to blobs on sending. It is a
// media.Sink whose references become valid in the session when they are promoted. It is safe for use by many
// goroutines.
type Draft struct {
	session *Session
	files   *blobs
	state   string // path of the saved state

	mu      sync.Mutex
	named   []byte              // the state as it is on disk
	fresh   map[string]struct{} // stored since the last Save: no state can name them yet
	leaving map[string]struct{} // discarded, but named or fresh: the next Save decides
}

func newDraft(s *Session, dir string) *Draft {
	return &Draft{
		session: s,
		files:   newBlobs(dir),
		state:   filepath.Join(dir, stateName),
		fresh:   map[string]struct{}{},
		leaving: map[string]struct{}{},
	}
}

// PutBlob stores bytes under their hash in the draft (media.Sink).
func (d *Draft) PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error) {
	if err := d.session.open(d.files.dir); err != nil {
		return "", err
	}
	ref, _, _, err = d.files.put(ctx, ext, r)
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh[ref] = struct{}{}
	delete(d.leaving, ref)
	return ref, nil
}

// Promote moves the named pictures to the session's blobs, synced. Names already there are fine; one that is
// nowhere is a *BlobError. What comes before it has moved.
func (d *Draft) Promote(refs ...string) error {
	if err := d.session.open(d.session.blobs.dir); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ref := range refs {
		if err := d.promote(ref); err != nil {
			return err
		}
	}
	if len(refs) == 0 {
		return nil
	}
	return writeError(d.session.blobs.dir, syncDir(d.session.blobs.dir))
}

func (d *Draft) promote(ref string) error {
	name, err := fileName(ref)
	if err != nil {
		return err
	}
	size, err := d.files.stat(ref)
	if errors.As(err, new(*BlobError)) {
		_, err = d.session.blobs.stat(ref)
		return err
	}
	if err != nil {
		return err
	}
	target := filepath.Join(d.session.blobs.dir, name)
	added := !exists(target)
	if err := d.move(ref, filepath.Join(d.files.dir, name), target); err != nil {
		return writeError(d.session.blobs.dir, err)
	}
	d.session.grew(size, added)
	delete(d.fresh, ref)
	delete(d.leaving, ref)
	return nil
}

// move renames a picture over whatever has its name in the blobs. Where that is in use and cannot be replaced, as on
// Windows, it has to be right.
func (d *Draft) move(ref, from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	there, opening := d.session.blobs.open(ref)
	if opening != nil {
		return err
	}
	return errors.Join(there.Close(), os.Remove(from))
}

// Discard removes pictures from the draft. One that the saved state still names, or that was stored after it,
// goes with the next Save that does not name it: save the row without the picture, then discard it, and its
// bytes are gone at once. An empty ref is nothing to discard.
func (d *Draft) Discard(refs ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ref := range refs {
		if ref == "" {
			continue
		}
		if _, err := fileName(ref); err != nil {
			return err
		}
		if _, fresh := d.fresh[ref]; fresh || d.names(ref) {
			d.leaving[ref] = struct{}{}
			continue
		}
		if err := d.remove(ref); err != nil {
			return err
		}
	}
	return nil
}

// Erase removes pictures from the draft at once, whatever names them: what a person redacted is not to be on disk
// any longer. An empty ref is nothing to erase.
func (d *Draft) Erase(refs ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, ref := range refs {
		if ref == "" {
			continue
		}
		_, err := fileName(ref)
		if err == nil {
			err = d.remove(ref)
		}
		if errs = append(errs, err); err == nil {
			delete(d.fresh, ref)
			delete(d.leaving, ref)
		}
	}
	if exists(d.files.dir) {
		errs = append(errs, syncDir(d.files.dir))
	}
	return errors.Join(errs...)
}

// names reports whether the saved state mentions the picture's hash.
func (d *Draft) names(ref string) bool {
	return bytes.Contains(d.named, []byte(filepath.Base(ref)))
}

func (d *Draft) remove(ref string) error {
	err := os.Remove(filepath.Join(d.files.dir, filepath.Base(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Save replaces the draft's state: an opaque JSON text of the face (typed text, row, queue), whole and synced.
// An empty state removes it. Pictures that were discarded and are not named in it go now.
func (d *Draft) Save(state []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(state) > maxDraftBytes {
		return writeError(d.files.dir, errors.New("the draft is larger than 64 MiB"))
	}
	if err := d.write(state); err != nil {
		return err
	}
	d.named = bytes.Clone(state)
	clear(d.fresh)
	return d.sweep()
}

// sweep removes what was discarded and is not named.
func (d *Draft) sweep() error {
	for ref := range d.leaving {
		if d.names(ref) {
			continue
		}
		if err := d.remove(ref); err != nil {
			return err
		}
		delete(d.leaving, ref)
	}
	return nil
}

func (d *Draft) write(state []byte) error {
	if len(state) == 0 {
		err := os.Remove(d.state)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return writeError(d.files.dir, err)
	}
	if err := d.session.open(d.files.dir); err != nil {
		return err
	}
	return writeError(d.files.dir, replaceFile(d.state, state, true))
}

// Load returns what Save stored, nil where there is nothing.
func (d *Draft) Load() ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state, err := readSmall(d.state, maxDraftBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.named = state
	return bytes.Clone(state), nil
}

// finish removes what was discarded since the last Save, and reports whether nothing is kept for the next resume.
func (d *Draft) finish() (empty bool) {
	d.mu.Lock()
	_ = d.sweep() // what stays behind goes with the draft
	d.mu.Unlock()
	return d.empty()
}

// empty reports whether nothing is kept for the next resume.
func (d *Draft) empty() bool {
	state, err := d.Load()
	if err != nil {
		return false
	}
	switch string(bytes.TrimSpace(state)) {
	case "", "null", "{}", "[]":
		return true
	}
	return false
}
