package guard

import (
	"errors"
	"io/fs"
)

// RestoreFile writes a file as WriteFile does; runs says whether those who may read it may run it.
func (r *Roots) RestoreFile(name string, data []byte, runs bool) (Path, error) {
	path, err := r.WriteFile(name, data)
	if err != nil {
		return path, err
	}
	p, err := r.locate(name, forWriting)
	if err != nil || p.info == nil {
		return path, err
	}
	perm := p.info.Mode().Perm() &^ 0o111
	if runs {
		perm |= perm & 0o444 >> 2
	}
	if perm == p.info.Mode().Perm() {
		return path, nil
	}
	err = p.inFolder(func(folder folderHandle, base string) error { return folder.Chmod(base, perm) })
	if err != nil {
		return path, refuseWrite(name, err)
	}
	return path, nil
}

// RemoveFile removes a regular file. One that is not there is no error. A folder stays, empty or not.
func (r *Roots) RemoveFile(name string) (Path, error) {
	p, err := r.locate(name, forWriting)
	if err != nil {
		return Path{}, err
	}
	if p.info == nil {
		return p.path, nil
	}
	if err := wantFile(p, name); err != nil {
		return Path{}, err
	}
	err = p.inFolder(func(folder folderHandle, base string) error { return folder.Remove(base) })
	if errors.Is(err, errChanged) {
		return p.path, changing(name, nil)
	}
	if err != nil {
		return p.path, refuseWrite(name, err)
	}
	return p.path, nil
}

// folderHandle is the part of an os.Root that changes one name in it.
type folderHandle interface {
	Chmod(name string, mode fs.FileMode) error
	Remove(name string) error
}

// inFolder does something to a place in the handle of its folder, proven to be what was located.
func (p place) inFolder(do func(folder folderHandle, base string) error) error {
	folder, err := p.folder()
	if err != nil {
		return err
	}
	defer folder.Close()
	base := p.rel[len(p.rel)-1]
	if err := p.unchanged(folder, base); err != nil {
		return err
	}
	return do(folder, base)
}
