package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Roots opens files for tools, inside the workspace and the trusted paths only. It is safe for use from
// several goroutines.
//
// A name is walked element by element through the os.Root handle of the root that holds it. A link is read
// and followed by hand, so that an absolute link, or one into another root, goes on in the root that holds
// its target; a link that leads out of every root is refused. What was found is then opened through the
// handle, and what was opened must be what a second look finds under the same name without a link: a name
// swapped between check and use is caught, and os.Root keeps even that swap inside the root.
type Roots struct {
	workspace string // as given, absolute
	physical  string // links resolved
	secrets   *Secrets

	mu     sync.RWMutex
	list   []*root
	denied atomic.Pointer[denyReads]
}

// Path is a name as Roots resolved it.
type Path struct {
	Abs     string // absolute, links resolved
	Display string // how to name it to people and models: relative to the workspace where it lies inside
}

// rootKind says what a root is for.
type rootKind int

const (
	rootWorkspace rootKind = iota
	rootTrusted
	rootGranted // opened by the person for one call or until espy ends
	rootBlobs   // a session's own pictures: read only, and exempt from the credential check
	rootSkill   // the folder of a skill: read only, though it lies in espy's own configuration
)

// root is one folder held open. A trusted file is its folder with one name.
type root struct {
	kind    rootKind
	names   []string // absolute names of the folder: as given, and with links resolved (last)
	only    string   // the one name that is trusted, or ""
	handle  *os.Root // nil where problem says why
	folder  *os.File // the workspace's folder once more, for openDirect; nil elsewhere
	problem string
}

func (r *root) physical() string { return r.names[len(r.names)-1] }

// trustedName is what the person trusted.
func (r *root) trustedName() string { return filepath.Join(r.physical(), r.only) }

// NewRoots holds the workspace and the trusted paths open until Close. Trusted paths are those that
// AddTrusted returned before: a path that has become a link since, or is gone, is not opened and listed by
// Trusted with the reason.
func NewRoots(workspace string, trusted []string, secrets *Secrets) (*Roots, error) {
	abs, err := filepath.Abs(workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", Printable(workspace), err)
	}
	w, err := openRoot(rootWorkspace, abs)
	if err != nil {
		return nil, fmt.Errorf("workspace %s cannot be opened: %w", Printable(abs), err)
	}
	w.folder = openFolder(w.handle)
	r := &Roots{workspace: abs, physical: w.physical(), secrets: secrets, list: []*root{w}}
	for _, name := range trusted {
		r.addStored(r.absolute(name))
	}
	return r, nil
}

// addStored adds a path from the trust file. Such a path has no links in it: one that has now was replaced.
func (r *Roots) addStored(abs string) {
	physical, err := filepath.EvalSymlinks(abs)
	switch {
	case err != nil:
		r.list = append(r.list, &root{kind: rootTrusted, names: []string{abs}, problem: Refuse(FaultMissing, abs).Sentence})
		return
	case !sameName(physical, abs):
		r.list = append(r.list, &root{kind: rootTrusted, names: []string{abs},
			problem: fmt.Sprintf("%s leads to %s now and was trusted as something else; trust it again with /trust add", Printable(abs), Printable(physical))})
		return
	}
	added, err := r.openTrusted(rootTrusted, abs)
	if err != nil {
		added = &root{kind: rootTrusted, names: []string{abs}, problem: err.Error()}
	}
	if r.findTrusted(abs) < 0 {
		r.list = append(r.list, added)
	} else if added.handle != nil {
		_ = added.handle.Close()
	}
}

// openRoot opens a folder and makes sure that the handle is the folder its physical name names.
func openRoot(kind rootKind, abs string) (*root, error) {
	physical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	handle, err := os.OpenRoot(physical)
	if err != nil {
		return nil, err
	}
	held, err := handle.Stat(".")
	if err == nil {
		var now fs.FileInfo
		if now, err = os.Lstat(physical); err == nil && (!now.IsDir() || !os.SameFile(held, now)) {
			err = errors.New("it changed while it was opened")
		}
	}
	if err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	names := []string{abs}
	if physical != abs {
		names = append(names, physical)
	}
	return &root{kind: kind, names: names, handle: handle}, nil
}

// Open opens a regular file for reading. It never blocks on a FIFO or a device.
func (r *Roots) Open(name string) (*os.File, Path, error) {
	if f, p, ok := r.openDirect(name); ok {
		return f, p, nil
	}
	return r.openFollowing(name)
}

// openFollowing opens a file the long way, through links.
func (r *Roots) openFollowing(name string) (*os.File, Path, error) {
	var last error
	for range maxOpenAttempts {
		p, err := r.locate(name, forReading)
		if err != nil {
			return nil, Path{}, err
		}
		if err := wantFile(p, name); err != nil {
			return nil, Path{}, err
		}
		f, err := p.open()
		if err != nil {
			last = refuseSystem(name, err)
			continue
		}
		err = r.admit(f, p, name)
		if err == nil {
			return f, p.path, nil
		}
		_ = f.Close()
		if last = err; !errors.Is(err, errChanged) {
			return nil, Path{}, err
		}
	}
	return nil, Path{}, changing(name, last)
}

// errChanged says that a name no longer stands for what was opened.
var errChanged = errors.New("it changed while it was opened")

func changing(name string, last error) error {
	if pe := (*PathError)(nil); errors.As(last, &pe) {
		return pe
	}
	return refuseBecause(FaultUnreadable, name, "kept changing while it was opened; try again")
}

// admit looks at an opened file: still regular, still what the name stands for, and no credential.
func (r *Roots) admit(f *os.File, p place, name string) error {
	info, err := f.Stat()
	if err != nil {
		return refuseSystem(name, err)
	}
	if !p.holds(info) {
		return errChanged
	}
	if !info.Mode().IsRegular() {
		return Refuse(FaultSpecial, name)
	}
	if !r.inBlobs(p.path.Abs) && r.secrets.known(f, info, p.path.Abs) {
		return Refuse(FaultCredential, name)
	}
	return nil
}

func wantFile(p place, name string) error {
	switch {
	case p.info == nil:
		return Refuse(FaultMissing, name)
	case p.info.IsDir():
		return Refuse(FaultFolder, name)
	case !p.info.Mode().IsRegular():
		return Refuse(FaultSpecial, name)
	}
	return nil
}

// Stat describes what a name stands for, links followed inside the roots.
func (r *Roots) Stat(name string) (fs.FileInfo, Path, error) {
	p, err := r.locate(name, forReading)
	if err != nil {
		return nil, Path{}, err
	}
	if p.info == nil {
		return nil, Path{}, Refuse(FaultMissing, name)
	}
	return p.info, p.path, nil
}

// ReadDir lists a folder, sorted by name, at most maxDirEntries of them.
func (r *Roots) ReadDir(name string) ([]fs.DirEntry, Path, error) {
	for range maxOpenAttempts {
		p, err := r.locate(name, forReading)
		if err != nil {
			return nil, Path{}, err
		}
		if p.info == nil {
			return nil, Path{}, Refuse(FaultMissing, name)
		}
		if !p.info.IsDir() {
			return nil, Path{}, Refuse(FaultNotFolder, name)
		}
		entries, err := p.entries()
		if err == nil {
			return entries, p.path, nil
		}
		if !errors.Is(err, errChanged) {
			return nil, Path{}, refuseSystem(name, err)
		}
	}
	return nil, Path{}, changing(name, nil)
}

// entries reads a located folder.
func (p place) entries() ([]fs.DirEntry, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !p.holds(info) {
		return nil, errChanged
	}
	if p.root.only != "" {
		return nil, Refuse(FaultNotFolder, p.path.Abs)
	}
	entries, err := f.ReadDir(maxDirEntries)
	if err != nil && len(entries) == 0 && !errors.Is(err, errEOF) {
		return nil, err
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, nil
}

// Resolve says where a name leads without opening it; the last elements need not exist.
func (r *Roots) Resolve(name string) (Path, error) {
	p, err := r.locate(name, forNaming)
	return p.path, err
}

// InWorkspace reports whether an absolute name with its links resolved lies in the workspace.
func (r *Roots) InWorkspace(abs string) bool { return within(r.physical, abs) }

// Workspace is the workspace's absolute name with links resolved.
func (r *Roots) Workspace() string { return r.physical }

// Secrets is what the roots refuse as credentials.
func (r *Roots) Secrets() *Secrets { return r.secrets }

// Close lets the handles go. Files already open stay open.
func (r *Roots) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, x := range r.list {
		if x.handle != nil {
			errs = append(errs, x.handle.Close())
		}
		if x.folder != nil {
			errs = append(errs, x.folder.Close())
		}
	}
	r.list = nil
	return errors.Join(errs...)
}

func (r *Roots) roots() []*root {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.list)
}

func (r *Roots) inBlobs(abs string) bool { return r.inKind(rootBlobs, abs) }

func (r *Roots) inKind(kind rootKind, abs string) bool {
	return slices.ContainsFunc(r.roots(), func(x *root) bool {
		return x.kind == kind && within(x.physical(), abs)
	})
}

// absolute makes a name absolute: relative ones lie in the workspace, "~/" is the home folder. It keeps
// ".." for the walk, which knows where links lead.
func (r *Roots) absolute(name string) string {
	name = r.secrets.expandHome(name)
	if filepath.IsAbs(name) {
		return name
	}
	return r.workspace + string(filepath.Separator) + name
}

// display names an absolute name relative to the workspace where it lies inside.
func (r *Roots) display(abs string) string {
	if rel, ok := relativeTo(r.physical, abs); ok {
		return filepath.ToSlash(rel)
	}
	return abs
}

// within reports whether abs is dir or lies below it, element by element. Both are clean.
func within(dir, abs string) bool {
	_, ok := relativeTo(dir, abs)
	return ok
}

func relativeTo(dir, abs string) (string, bool) {
	if sameName(dir, abs) {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	if len(abs) > len(prefix) && sameName(abs[:len(prefix)], prefix) {
		return abs[len(prefix):], true
	}
	return "", false
}

func sameName(a, b string) bool {
	if foldNames {
		return strings.EqualFold(a, b)
	}
	return a == b
}
