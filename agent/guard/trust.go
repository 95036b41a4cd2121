package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// TrustedPath is a folder or file outside the workspace that the person opened.
type TrustedPath struct {
	Path    string // absolute, links resolved when it was trusted
	File    bool   // one file; its neighbours stay outside
	Problem string // why it is not open, or ""
}

// AddTrusted opens a folder or a single file to the tools, under the name the person gave. The Path it
// returns has its links resolved: that is what to remember, so that a later swap for a link is noticed.
func (r *Roots) AddTrusted(name string) (Path, error) {
	abs := filepath.Clean(r.absolute(name))
	physical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return Path{}, refuseSystem(name, err)
	}
	if r.InWorkspace(physical) {
		return Path{}, fmt.Errorf("%s lies in the workspace, which needs no trust", Printable(name))
	}
	added, err := r.openTrusted(rootTrusted, abs)
	if err != nil {
		return Path{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.findTrusted(added.trustedName()); i >= 0 {
		if r.list[i].handle != nil {
			_ = r.list[i].handle.Close()
		}
		r.list[i] = added
	} else {
		r.list = append(r.list, added)
	}
	return Path{Abs: added.trustedName(), Display: r.display(added.trustedName())}, nil
}

// holdsEverything reports whether a physical name is a root of everything: the file system's or a drive's, the
// home folder, what holds it, or where the homes of all users lie.
func (r *Roots) holdsEverything(physical string) bool {
	home := r.secrets.expandHome("~")
	return filepath.Dir(physical) == physical || filepath.IsAbs(home) && within(physical, home) ||
		slices.ContainsFunc([]string{"/home", "/Users", "/System/Volumes/Data"}, func(all string) bool { return sameName(physical, filepath.FromSlash(all)) })
}

// openTrusted opens a folder, or the folder of a file with that one name.
func (r *Roots) openTrusted(kind rootKind, abs string) (*root, error) {
	physical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, refuseSystem(abs, err)
	}
	switch {
	case kernelPath(physical):
		return nil, Refuse(FaultSpecial, abs)
	case r.secrets.named(physical) || r.secrets.named(abs):
		return nil, Refuse(FaultCredential, abs)
	case kind == rootTrusted && r.holdsEverything(physical):
		return nil, fmt.Errorf("%s holds far more than one piece of work needs and is not opened whole; trust the folder or file in it that is needed", Printable(abs))
	}
	info, err := os.Lstat(physical)
	if err != nil {
		return nil, refuseSystem(abs, err)
	}
	if info.IsDir() {
		return openRoot(kind, abs)
	}
	if !info.Mode().IsRegular() {
		return nil, Refuse(FaultSpecial, abs)
	}
	folder, err := openRoot(kind, filepath.Dir(physical))
	if err != nil {
		return nil, err
	}
	folder.only = filepath.Base(physical)
	return folder, nil
}

// RemoveTrusted closes what AddTrusted opened, by the name given or the one it returned. It reports whether
// there was such a path.
func (r *Roots) RemoveTrusted(name string) bool {
	abs := filepath.Clean(r.absolute(name))
	physical, _ := filepath.EvalSymlinks(abs)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.findTrusted(abs)
	if i < 0 && physical != "" {
		i = r.findTrusted(physical)
	}
	if i < 0 {
		return false
	}
	if r.list[i].handle != nil {
		_ = r.list[i].handle.Close()
	}
	r.list = slices.Delete(r.list, i, i+1)
	return true
}

// Trusted lists the trusted paths in the order they were added.
func (r *Roots) Trusted() []TrustedPath {
	var list []TrustedPath
	for _, x := range r.roots() {
		if x.kind == rootTrusted {
			list = append(list, TrustedPath{Path: x.trustedName(), File: x.only != "", Problem: x.problem})
		}
	}
	return list
}

// AddBlobs opens a session's own blobs folder for reading. It lies in espy's state, which is otherwise
// refused, and is never written through Roots.
func (r *Roots) AddBlobs(dir string) error {
	return r.addReadable(rootBlobs, dir, "the session's pictures in")
}

// AddSkill opens the folder of a skill for reading: what the skill says may name other files in it. Where it lies in
// espy's configuration that is otherwise refused. It is never written through Roots. Adding it again is fine.
func (r *Roots) AddSkill(dir string) error {
	if physical, err := filepath.EvalSymlinks(dir); err == nil && r.inKind(rootSkill, physical) {
		return nil
	}
	return r.addReadable(rootSkill, dir, "the skill in")
}

func (r *Roots) addReadable(kind rootKind, dir, what string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	added, err := openRoot(kind, abs)
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, Printable(abs), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, added)
	return nil
}

// findTrusted is called with the lock held, or before the roots are shared.
func (r *Roots) findTrusted(abs string) int {
	return slices.IndexFunc(r.list, func(x *root) bool {
		if x.kind != rootTrusted {
			return false
		}
		return slices.ContainsFunc(x.names, func(n string) bool { return sameName(filepath.Join(n, x.only), abs) })
	})
}
