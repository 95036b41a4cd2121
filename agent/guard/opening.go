package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Opening is a path outside the workspace and the trusted paths that a call needs and that the person may open.
type Opening struct {
	Path   string // what once and this session open: a file, a file that does not exist yet, or a folder; links resolved
	Folder string // what trusting opens: the folder of the file, or Path itself where its folder would be too much

	name string // Path as the call reaches it
}

// opening says what the person may be asked to open for a name that was refused as outside. Credentials, kernel
// files, and folders that hold the home folder or the workspace are never offered.
func (r *Roots) opening(fault *PathError) (Opening, *PathError) {
	physical, exists, err := physicalName(fault.at)
	switch {
	case err != nil:
		return Opening{}, fault
	case kernelPath(physical):
		return Opening{}, Refuse(FaultSpecial, fault.Name)
	case r.secrets.named(physical) || r.secrets.named(fault.at):
		return Opening{}, Refuse(FaultCredential, fault.Name)
	case filepath.Base(physical) != filepath.Base(fault.at):
		return Opening{}, refuseBecause(FaultOutside, fault.Name, fmt.Sprintf("leads to %s, outside the workspace and the trusted paths; name that path itself", Printable(physical)))
	}
	o := Opening{Path: physical, Folder: physical, name: fault.at}
	if info, err := os.Lstat(physical); exists && (err != nil || !info.IsDir() && !info.Mode().IsRegular()) {
		return Opening{}, Refuse(FaultSpecial, fault.Name)
	} else if exists && info.IsDir() {
		if r.tooMuch(physical) {
			return Opening{}, fault
		}
		return o, nil
	}
	if parent := filepath.Dir(physical); !r.tooMuch(parent) && !r.secrets.named(parent) {
		o.Folder = parent
	}
	return o, nil
}

// physicalName resolves links; the last element need not exist.
func physicalName(abs string) (physical string, exists bool, err error) {
	if physical, err = filepath.EvalSymlinks(abs); err == nil {
		return physical, true, nil
	}
	if _, err := os.Lstat(abs); err == nil {
		return "", false, os.ErrNotExist // a link that leads nowhere
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	return filepath.Join(parent, filepath.Base(abs)), false, err
}

// tooMuch reports whether a folder is so wide that opening it for one file would open everything: a top folder, or
// one that holds the home folder or the workspace.
func (r *Roots) tooMuch(dir string) bool {
	home := r.secrets.expandHome("~")
	return filepath.Dir(dir) == dir || filepath.Dir(filepath.Dir(dir)) == filepath.Dir(dir) || within(dir, home) || within(dir, r.physical)
}

// Grant opens a path until release is called; release may be called more than once. It opens what the person was
// shown or nothing: a path that leads elsewhere by now is refused.
func (r *Roots) Grant(o Opening) (release func(), err error) {
	physical, exists, err := physicalName(o.name)
	if err != nil {
		return nil, refuseSystem(o.Path, err)
	}
	if physical != o.Path || r.secrets.named(physical) {
		return nil, refuseBecause(FaultOutside, o.Path, "has changed since it was asked about; it stays closed")
	}
	var added *root
	if exists {
		added, err = r.openTrusted(rootGranted, physical)
	} else if added, err = openRoot(rootGranted, filepath.Dir(physical)); err == nil {
		added.only = filepath.Base(physical)
	}
	if err != nil {
		return nil, err
	}
	alias := o.name
	if added.only != "" {
		alias = filepath.Dir(alias)
	}
	if !slices.Contains(added.names, alias) {
		added.names = append([]string{alias}, added.names...) // the physical name stays last
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, added)
	return func() { r.withdraw(added) }, nil
}

func (r *Roots) withdraw(gone *root) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.list, gone); i >= 0 {
		_ = gone.handle.Close()
		r.list = slices.Delete(r.list, i, i+1)
	}
}
