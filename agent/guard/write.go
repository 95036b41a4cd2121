package guard

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces or creates a file whole: temp file beside it, fsync, rename; the mode is kept. Missing
// folders are made. A link inside the roots has its target written.
func (r *Roots) WriteFile(name string, data []byte) (Path, error) {
	for range maxOpenAttempts {
		p, err := r.locate(name, forWriting)
		if err != nil {
			return Path{}, err
		}
		if err := mayReplace(p, name); err != nil {
			return Path{}, err
		}
		if err = r.harmless(p, name); err == nil {
			err = p.write(data)
		}
		if err == nil {
			return p.path, nil
		}
		if !errors.Is(err, errChanged) {
			return Path{}, refuseWrite(name, err)
		}
	}
	return Path{}, changing(name, nil)
}

// harmless looks into a file that is to be replaced: a credential under an ordinary name stays.
func (r *Roots) harmless(p place, name string) error {
	if p.info == nil {
		return nil
	}
	f, err := p.open()
	if errors.Is(err, fs.ErrPermission) {
		return nil // not readable for anyone here; writable is what counts
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return r.admit(f, p, name)
}

func refuseWrite(name string, err error) error {
	var perr *PathError
	if errors.As(err, &perr) {
		return err
	}
	cause := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	if le := (*os.LinkError)(nil); errors.As(err, &le) {
		cause = le.Err
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return refuseBecause(FaultUnreadable, name, "cannot be written: "+cause.Error())
	}
	return cause // a full disk is broken machinery, not a wrong name; of the temporary file nobody knows
}

// mayReplace refuses what is no regular file, and files their owner protected from writing.
func mayReplace(p place, name string) error {
	if p.info == nil {
		return nil
	}
	if err := wantFile(p, name); err != nil {
		return err
	}
	if p.info.Mode().Perm()&0o222 == 0 {
		return refuseBecause(FaultUnreadable, name, "is read-only; the user has to make it writable first")
	}
	return nil
}

// write replaces the file at a place. Everything happens in one handle of its folder, proven to be the
// folder that was located.
func (p place) write(data []byte) error {
	folder, err := p.folder()
	if err != nil {
		return err
	}
	defer folder.Close()
	base := p.rel[len(p.rel)-1]
	if err := p.unchanged(folder, base); err != nil {
		return err
	}
	temp, err := p.writeTemp(folder, data)
	if err != nil {
		return err
	}
	if err = p.unchanged(folder, base); err == nil {
		err = folder.Rename(temp, base) // replaces a link that was swapped in, never follows it
	}
	if err != nil {
		return errors.Join(err, folder.Remove(temp))
	}
	syncFolder(folder)
	return nil
}

// folder opens the folder of a place, making what is missing of it.
func (p place) folder() (*os.Root, error) {
	if len(p.rel) == 0 {
		return nil, Refuse(FaultFolder, p.path.Abs)
	}
	parent := place{root: p.root, rel: p.rel[:len(p.rel)-1]}
	if p.gone > 1 {
		if err := p.root.handle.MkdirAll(parent.relName(), newFolderMode); err != nil {
			return nil, err
		}
	}
	folder, err := p.root.handle.OpenRoot(parent.relName())
	if err != nil {
		return nil, err
	}
	info, err := folder.Stat(".")
	if err == nil && !parent.holds(info) {
		err = errChanged
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// unchanged reports errChanged unless the name is still what was located.
func (p place) unchanged(folder *os.Root, base string) error {
	now, err := folder.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p.info == nil {
			return nil
		}
		return errChanged
	case err != nil:
		return err
	case p.info == nil, !now.Mode().IsRegular(), !os.SameFile(now, p.info):
		return errChanged
	}
	return nil
}

// writeTemp writes the data beside the file, on disk when it returns, and names the file it made.
func (p place) writeTemp(folder *os.Root, data []byte) (name string, err error) {
	var random [6]byte
	_, _ = rand.Read(random[:])
	name = filepath.Join(".espy-" + hex.EncodeToString(random[:]) + ".tmp")
	mode := fs.FileMode(newFileMode)
	if p.info != nil {
		mode = 0o600 // until the old file's mode is set
	}
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && p.info != nil {
		keepOwner(f, p.info)
		err = f.Chmod(p.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, folder.Remove(name))
	}
	return name, nil
}
