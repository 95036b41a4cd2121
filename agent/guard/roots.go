package guard

import (
	"io/fs"
	"os"
)

// Roots opens files for tools, inside the workspace and the trusted paths only.
type Roots struct{}

// Path is a name as Roots resolved it.
type Path struct {
	Abs     string // absolute, links resolved
	Display string // how to name it to people and models: relative to the workspace where it lies inside
}

// NewRoots holds the workspace and the trusted paths open until Close.
func NewRoots(workspace string, trusted []string, secrets *Secrets) (*Roots, error) {
	panic("placeholder")
}

// Open opens a regular file for reading. It never blocks on a FIFO or a device.
func (r *Roots) Open(name string) (*os.File, Path, error) { panic("placeholder") }

// Stat describes what a name stands for, links followed inside the roots.
func (r *Roots) Stat(name string) (fs.FileInfo, Path, error) { panic("placeholder") }

// ReadDir lists a folder.
func (r *Roots) ReadDir(name string) ([]fs.DirEntry, Path, error) { panic("placeholder") }

// Resolve says where a name leads without opening it; the last element need not exist.
func (r *Roots) Resolve(name string) (Path, error) { panic("placeholder") }

// WriteFile replaces or creates a file whole: temp file beside it, fsync, rename; the mode is kept. Missing
// folders are made. A link inside the roots has its target written.
func (r *Roots) WriteFile(name string, data []byte) (Path, error) { panic("placeholder") }

// Close lets the handles go.
func (r *Roots) Close() error { panic("placeholder") }

// Secrets knows credential files, by identity as well as by name.
type Secrets struct{}

// OpenOwn opens a file the person named themselves (/attach, paste, drop, --attach): anywhere they can read,
// except credential files; regular files only, never blocking.
func OpenOwn(name string, secrets *Secrets) (*os.File, Path, error) { panic("placeholder") }

// PathError is a refused name, in one sentence that says what was found and what to do.
type PathError struct {
	Name     string
	Kind     PathFault
	Sentence string
}

func (e *PathError) Error() string { return e.Sentence }

// PathFault says why a name was refused.
type PathFault string

const (
	FaultMissing    PathFault = "missing"
	FaultFolder     PathFault = "folder"     // a folder where a file was wanted
	FaultNotFolder  PathFault = "not-folder" // a file where a folder was wanted
	FaultSpecial    PathFault = "special"    // FIFO, device, socket
	FaultOutside    PathFault = "outside"    // outside the workspace and trusted paths
	FaultCredential PathFault = "credential"
	FaultUnreadable PathFault = "unreadable" // permission, I/O
)
