package config

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Trust is the file of what a person accepted: workspaces, each with the digest of the files that were shown, and
// paths outside a workspace that its sessions may read. It is read anew with every call and written under a lock.
// A file that cannot be read trusts nothing and is not written over.
type Trust struct{ dirs Dirs }

// TrustedWorkspace is what was accepted for one workspace.
type TrustedWorkspace struct {
	Path     string        // resolved, absolute
	Digest   string        // of the instruction files and .espy that were shown; "" not accepted
	Accepted time.Time     // when
	Paths    []TrustedPath // what /trust added
}

// TrustedPath is a file or folder outside the workspace. Another file put in its place is not trusted.
type TrustedPath struct {
	Path   string // resolved, absolute
	Device uint64
	Inode  uint64
}

// Holds reports whether the path still leads to the very file or folder that was trusted, with no link in between.
func (p TrustedPath) Holds() bool {
	resolved, err := filepath.EvalSymlinks(p.Path)
	if err != nil || resolved != p.Path {
		return false
	}
	device, inode, err := identify(p.Path)
	return err == nil && device == p.Device && inode == p.Inode
}

// OpenTrust uses <state>/trust.toml, making it with the first change.
func OpenTrust(dirs Dirs) *Trust { return &Trust{dirs} }

// Load returns everything that is trusted, in the order it was added.
func (t *Trust) Load() ([]TrustedWorkspace, error) {
	text, err := readFile(t.dirs.TrustFile())
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read, so nothing is trusted: %s", t.dirs.TrustFile(), cause(err))
	}
	file, err := t.decode(text)
	if err != nil {
		return nil, err
	}
	var all []TrustedWorkspace
	for _, w := range file.Workspaces {
		all = append(all, w.trusted())
	}
	return all, nil
}

// Workspace returns what is trusted for one workspace; nothing where it was never accepted. Links in the path are
// resolved.
func (t *Trust) Workspace(path string) (TrustedWorkspace, error) {
	path, err := resolve(path)
	if err != nil {
		return TrustedWorkspace{}, err
	}
	all, err := t.Load()
	if err != nil {
		return TrustedWorkspace{}, err
	}
	for _, w := range all {
		if w.Path == path {
			return w, nil
		}
	}
	return TrustedWorkspace{Path: path}, nil
}

// Accept notes that the person accepted a workspace as the files with this digest describe it.
func (t *Trust) Accept(ctx context.Context, workspace, digest string) error {
	return t.change(ctx, workspace, func(w *workspaceRow) error {
		w.Digest, w.Accepted = digest, time.Now().UTC().Truncate(time.Second)
		return nil
	})
}

// Forget takes the acceptance of a workspace back, and every path trusted in it.
func (t *Trust) Forget(ctx context.Context, workspace string) error {
	return t.change(ctx, workspace, func(w *workspaceRow) error {
		*w = workspaceRow{Path: w.Path}
		return nil
	})
}

// AddPath trusts a file or folder for the sessions of a workspace and returns it as it is kept: links resolved.
func (t *Trust) AddPath(ctx context.Context, workspace, path string) (TrustedPath, error) {
	resolved, err := resolve(path)
	if err != nil {
		return TrustedPath{}, fmt.Errorf("%s cannot be trusted: %w", path, err)
	}
	device, inode, err := identify(resolved)
	if err != nil {
		return TrustedPath{}, fmt.Errorf("%s cannot be trusted: %w", path, err)
	}
	trusted := TrustedPath{resolved, device, inode}
	return trusted, t.change(ctx, workspace, func(w *workspaceRow) error {
		w.drop(resolved)
		w.Paths = append(w.Paths, trusted.row())
		return nil
	})
}

// RemovePath takes a path back and reports whether it was trusted. The path may be gone by now.
func (t *Trust) RemovePath(ctx context.Context, workspace, path string) (bool, error) {
	names := []string{filepath.Clean(path)}
	if resolved, err := resolve(path); err == nil {
		names = append(names, resolved)
	}
	removed := false
	err := t.change(ctx, workspace, func(w *workspaceRow) error {
		for _, name := range names {
			removed = w.drop(name) || removed
		}
		return nil
	})
	return removed && err == nil, err
}

// change rewrites the row of one workspace under the lock. A row with nothing in it goes.
func (t *Trust) change(ctx context.Context, workspace string, edit func(*workspaceRow) error) error {
	workspace, err := resolve(workspace)
	if err != nil {
		return err
	}
	return update(ctx, t.dirs, t.dirs.TrustFile(), func(text []byte) ([]byte, error) {
		file, err := t.decode(text)
		if err != nil {
			return nil, err
		}
		if err := edit(file.row(workspace)); err != nil {
			return nil, err
		}
		file.Workspaces = slices.DeleteFunc(file.Workspaces, func(w workspaceRow) bool {
			return w.Digest == "" && len(w.Paths) == 0
		})
		return encode("What was accepted. espy writes this file whole; `/trust` changes it.", file)
	})
}

func (t *Trust) decode(text []byte) (trustFile, error) {
	var file trustFile
	if err := strict(t.dirs.TrustFile(), text, &file); err != nil {
		return trustFile{}, err
	}
	return file, nil
}

// resolve makes a path absolute and follows its links.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// trustFile is trust.toml. Devices and inodes are texts: TOML's numbers end at 63 bits.
type trustFile struct {
	Workspaces []workspaceRow `toml:"workspace"`
}

type workspaceRow struct {
	Path     string    `toml:"path"`
	Digest   string    `toml:"digest,omitempty"`
	Accepted time.Time `toml:"accepted,omitempty"`
	Paths    []pathRow `toml:"trusted,omitempty"`
}

type pathRow struct {
	Path   string `toml:"path"`
	Device string `toml:"device"`
	Inode  string `toml:"inode"`
}

func (f *trustFile) row(path string) *workspaceRow {
	for i := range f.Workspaces {
		if f.Workspaces[i].Path == path {
			return &f.Workspaces[i]
		}
	}
	f.Workspaces = append(f.Workspaces, workspaceRow{Path: path})
	return &f.Workspaces[len(f.Workspaces)-1]
}

func (w *workspaceRow) drop(path string) bool {
	before := len(w.Paths)
	w.Paths = slices.DeleteFunc(w.Paths, func(p pathRow) bool { return p.Path == path })
	return len(w.Paths) < before
}

func (w workspaceRow) trusted() TrustedWorkspace {
	t := TrustedWorkspace{Path: w.Path, Digest: w.Digest, Accepted: w.Accepted}
	for _, p := range w.Paths {
		device, one := strconv.ParseUint(p.Device, 10, 64)
		inode, two := strconv.ParseUint(p.Inode, 10, 64)
		if one == nil && two == nil {
			t.Paths = append(t.Paths, TrustedPath{p.Path, device, inode})
		}
	}
	return t
}

func (p TrustedPath) row() pathRow {
	return pathRow{p.Path, strconv.FormatUint(p.Device, 10), strconv.FormatUint(p.Inode, 10)}
}
