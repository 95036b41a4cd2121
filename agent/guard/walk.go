package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// ErrWalkBound ends a walk that saw too many entries or went too deep: what was seen is not everything.
var ErrWalkBound = errors.New("the folder holds more entries than one walk looks at")

// Walk calls visit for every entry below a folder, in order of names, folders before what they hold. It
// follows no link: a link to something inside the roots is visited as a link, one that leads out is left
// out. Folders that cannot be read and credential folders are visited and not entered. visit may return
// fs.SkipDir or fs.SkipAll. A single file is visited alone.
func (r *Roots) Walk(ctx context.Context, name string, visit func(Path, fs.DirEntry) error) error {
	p, err := r.locate(name, forReading)
	if err != nil {
		return err
	}
	if p.info == nil {
		return Refuse(FaultMissing, name)
	}
	if !p.info.IsDir() {
		if err := visit(p.path, fs.FileInfoToDirEntry(p.info)); err != nil && err != fs.SkipAll && err != fs.SkipDir {
			return err
		}
		return nil
	}
	if p.root.only != "" {
		return Refuse(FaultNotFolder, name)
	}
	folder, err := p.root.handle.OpenRoot(p.relName())
	if err != nil {
		return refuseSystem(name, err)
	}
	defer folder.Close()
	if info, err := folder.Stat("."); err != nil || !p.holds(info) {
		return changing(name, nil)
	}
	t := tour{ctx: ctx, roots: r, visit: visit, left: maxWalkEntries}
	if err := t.folder(folder, p.path.Abs, 0); err != nil && err != fs.SkipAll {
		return err
	}
	return nil
}

// tour is one walk under way.
type tour struct {
	ctx   context.Context
	roots *Roots
	visit func(Path, fs.DirEntry) error
	left  int // entries that may still be seen
}

func (t *tour) folder(dir *os.Root, abs string, depth int) error {
	entries, err := t.list(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.entry(dir, filepath.Join(abs, e.Name()), e, depth); err != nil {
			return err
		}
	}
	return nil
}

// list reads a folder in chunks, so that a huge one neither outlives its context nor the bound.
func (t *tour) list(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, nil // not readable: visited, not entered
	}
	defer f.Close()
	var all []fs.DirEntry
	for {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		chunk, err := f.ReadDir(dirChunk)
		all = append(all, chunk...)
		if t.left -= len(chunk); t.left < 0 {
			return nil, ErrWalkBound
		}
		if err != nil || len(chunk) == 0 {
			break
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name() < all[j].Name() })
	return all, nil
}

func (t *tour) entry(dir *os.Root, abs string, e fs.DirEntry, depth int) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if e.Type()&fs.ModeSymlink != 0 {
		if _, err := t.roots.Resolve(abs); err != nil {
			return nil // leads out, or nowhere
		}
	}
	err := t.visit(Path{Abs: abs, Display: t.roots.display(abs)}, e)
	if !e.IsDir() {
		if err == fs.SkipDir {
			return nil
		}
		return err
	}
	if err == fs.SkipDir || (err == nil && t.roots.closed(abs)) {
		return nil
	}
	if err != nil {
		return err
	}
	if depth+1 >= maxWalkDepth {
		return ErrWalkBound
	}
	return t.enter(dir, e, abs, depth+1)
}

// closed reports folders that are visited and not entered: credentials, and the kernel's own.
func (r *Roots) closed(abs string) bool { return r.secrets.named(abs) || kernelPath(abs) }

// enter goes into a folder, if it still is the folder that was listed and no link.
func (t *tour) enter(dir *os.Root, e fs.DirEntry, abs string, depth int) error {
	sub, err := dir.OpenRoot(e.Name())
	if err != nil {
		return nil
	}
	defer sub.Close()
	listed, err := dir.Lstat(e.Name())
	if err != nil || !listed.IsDir() {
		return nil
	}
	if held, err := sub.Stat("."); err != nil || !os.SameFile(held, listed) {
		return nil
	}
	return t.folder(sub, abs, depth)
}
