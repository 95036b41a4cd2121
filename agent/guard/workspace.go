package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// instructionNames are the files that instruct an agent. In each folder the first one that exists counts.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md"}

// projectFolder holds a project's own settings, tools and commands.
const projectFolder = ".espy"

// WorkspaceFile is a file that instructs espy or extends it, and therefore waits for the person's word.
type WorkspaceFile struct {
	Abs         string // links resolved
	Display     string // relative to the workspace, with slashes
	Instruction bool   // AGENTS.md or CLAUDE.md; otherwise it lies in .espy
	Data        []byte // the whole file, or its first maxInstructionBytes
	Truncated   bool   // there is more than Data holds
	Sum         string // SHA-256 of the whole file, in hexadecimal
}

// Workspace is what a folder brings along: its instruction files from the repository root down to the
// workspace, then the contents of .espy, in the order of their names. It was read once: what was accepted is
// what is used.
type Workspace struct {
	Files []WorkspaceFile
	// Digest names exactly these files and contents; "" where there are none. Acceptance is bound to it.
	Digest string
	// Problems are sentences about files that were left out: links that lead out, special files, too many.
	Problems []string
}

// WorkspaceFiles reads the instruction files and the .espy folder of a workspace. It looks no higher than the
// repository root, and outside a repository not above the workspace; the home folder and what lies above
// it are never looked at, unless the workspace is the home folder itself. No link is followed out of the
// repository, and credential files are left out.
func WorkspaceFiles(ctx context.Context, workspace string, secrets *Secrets) (Workspace, error) {
	physical, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return Workspace{}, fmt.Errorf("workspace %s: %w", Printable(workspace), err)
	}
	if physical, err = filepath.Abs(physical); err != nil {
		return Workspace{}, err
	}
	folders := instructionFolders(physical, secrets.expandHome("~"))
	roots, err := NewRoots(folders[0], nil, secrets)
	if err != nil {
		return Workspace{}, err
	}
	defer roots.Close()
	r := gathering{roots: roots, workspace: physical}
	for _, folder := range folders {
		for _, name := range instructionNames {
			if r.add(filepath.Join(folder, name), true) {
				break
			}
		}
	}
	if err := r.project(ctx); err != nil {
		return Workspace{}, err
	}
	r.found.Digest = digest(r.found.Files)
	return r.found, nil
}

// instructionFolders lists the folders from the repository root down to the workspace.
func instructionFolders(workspace, home string) []string {
	folders := []string{workspace}
	for dir := workspace; ; {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return folders
		}
		parent := filepath.Dir(dir)
		if parent == dir || sameName(parent, home) || within(parent, home) {
			return []string{workspace} // no repository below home: only the workspace speaks
		}
		dir = parent
		folders = append([]string{dir}, folders...)
	}
}

// gathering reads files through roots that end at the repository root.
type gathering struct {
	roots     *Roots
	workspace string
	found     Workspace
}

func (g *gathering) problem(format string, args ...any) {
	g.found.Problems = append(g.found.Problems, fmt.Sprintf(format, args...))
}

// add reads one file and reports whether the name exists at all, read or not.
func (g *gathering) add(name string, instruction bool) bool {
	f, p, err := g.roots.Open(name)
	if err != nil {
		if fault := (*PathError)(nil); errors.As(err, &fault) && fault.Kind == FaultMissing {
			if _, err := os.Lstat(name); err != nil {
				return false
			}
		}
		g.problem("%s is left out: %v", Printable(g.display(name)), err)
		return true
	}
	defer f.Close()
	file := WorkspaceFile{Abs: p.Abs, Display: g.display(name), Instruction: instruction}
	if err := file.fill(f); err != nil {
		g.problem("%s is left out: %v", Printable(file.Display), err)
		return true
	}
	if file.Truncated && instruction {
		g.problem("%s is longer than %d KiB; only its beginning is read", Printable(file.Display), maxInstructionBytes>>10)
	}
	g.found.Files = append(g.found.Files, file)
	return true
}

// fill reads the beginning of a file and sums all of it: a program in .espy may be long, and a change at its
// end is a change.
func (f *WorkspaceFile) fill(r io.Reader) error {
	sum := sha256.New()
	var head bytes.Buffer
	n, err := io.CopyN(io.MultiWriter(sum, &head), r, maxInstructionBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	rest, err := io.Copy(sum, io.LimitReader(r, maxWorkspaceFileBytes-n+1))
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	if n+rest > maxWorkspaceFileBytes {
		return fmt.Errorf("it is larger than %d MiB", maxWorkspaceFileBytes>>20)
	}
	f.Data, f.Truncated, f.Sum = head.Bytes(), rest > 0, hex.EncodeToString(sum.Sum(nil))
	return nil
}

func (g *gathering) display(abs string) string {
	rel, err := filepath.Rel(g.workspace, abs)
	if err != nil {
		return abs
	}
	return filepath.ToSlash(rel)
}

// project reads what .espy holds.
func (g *gathering) project(ctx context.Context) error {
	folder := filepath.Join(g.workspace, projectFolder)
	info, err := os.Lstat(folder)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		g.problem("%s is left out: it is no folder", projectFolder)
		return nil
	}
	var names []string
	err = g.roots.Walk(ctx, folder, func(p Path, e fs.DirEntry) error {
		if e.IsDir() {
			return nil
		}
		if len(names) == maxWorkspaceFiles {
			g.problem("%s holds more than %d files; the rest is left out", projectFolder, maxWorkspaceFiles)
			return fs.SkipAll
		}
		names = append(names, p.Abs)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		g.problem("%s cannot be read whole: %v", projectFolder, err)
	}
	sort.Strings(names)
	for _, name := range names {
		g.add(name, false)
	}
	return ctx.Err()
}

// digest names files by role, name and content, each length first so that no two sets read alike.
func digest(files []WorkspaceFile) string {
	if len(files) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%t %d %s %s\n", f.Instruction, len(f.Display), f.Display, f.Sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}
