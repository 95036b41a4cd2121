package clipboard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FS is how names are looked up. Both methods follow links and must not open anything but folders.
type FS interface {
	Stat(name string) (fs.FileInfo, error)
	// Names lists a folder's entries, at most limit of them in any order.
	Names(folder string, limit int) ([]string, error)
}

// Disk is the machine's own file system.
type Disk struct{}

// Stat describes a file without opening it.
func (Disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Names lists a folder. The trailing separator makes the system refuse anything that is not one, so that a
// FIFO put in its place cannot block.
func (Disk) Names(folder string, limit int) ([]string, error) {
	d, err := os.Open(strings.TrimRight(folder, `/`) + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(limit)
	if len(names) > 0 {
		return names, nil
	}
	return nil, err
}

// Found is a file that exists.
type Found struct {
	Asked string // the name as it was pasted, typed or retyped, without quotes and codes
	Path  string // the file's true, absolute name
}

// Renamed says that the true name differs from the one asked for, in a way worth telling.
func (f Found) Renamed() bool { return f.Path != f.Asked && f.Path != filepath.Clean(f.Asked) }

// ErrAmbiguous is a name that several files of a folder answer to.
var ErrAmbiguous = errors.New("several files answer to that name")

// ResolveName finds the regular file a retyped name means. People, layers between and models change odd
// spaces (U+202F before AM/PM), accents (NFC, NFD) and apostrophes, and lose spaces altogether. The exact
// name is tried first, then ever looser readings, each of which must mean one file only. name must be
// absolute. The error is fs.ErrNotExist, ErrAmbiguous, or what the file system said.
func ResolveName(name string, fsys FS) (Found, error) {
	found, err := lookUp(name, fsys, fold)
	if errors.Is(err, fs.ErrNotExist) {
		found, err = lookUp(name, fsys, foldAll)
	}
	return found, err
}

// lookUp finds a regular file: exact, NFC, NFD, then the one sibling that is equal under key.
func lookUp(name string, fsys FS, key func(string) string) (Found, error) {
	if !filepath.IsAbs(name) || strings.IndexByte(name, 0) >= 0 {
		return Found{}, fs.ErrNotExist
	}
	path, info, err := climb(name, fsys, key, maxFoldedFolders)
	if err != nil {
		return Found{}, err
	}
	if !info.Mode().IsRegular() {
		return Found{}, fs.ErrNotExist
	}
	return Found{Asked: name, Path: path}, nil
}

// climb resolves a name of any kind; a folder that is missing is itself looked for, up to depth of them.
func climb(name string, fsys FS, key func(string) string, depth int) (string, fs.FileInfo, error) {
	for _, spelling := range spellings(name) {
		if info, err := fsys.Stat(spelling); err == nil {
			return tidy(spelling), info, nil
		}
	}
	parent, base := filepath.Split(filepath.Clean(name))
	folder := filepath.Clean(parent)
	if depth == 0 || base == "" || folder == filepath.Clean(name) {
		return "", nil, fs.ErrNotExist
	}
	folder, info, err := climb(folder, fsys, key, depth-1)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return "", nil, fs.ErrNotExist
	}
	path, err := sibling(folder, base, fsys, key)
	if err != nil {
		return "", nil, err
	}
	info, err = fsys.Stat(path)
	return path, info, err
}

// sibling finds the one entry of a folder that equals base under key.
func sibling(folder, base string, fsys FS, key func(string) string) (string, error) {
	names, err := fsys.Names(folder, maxSiblings+1)
	if err != nil || len(names) > maxSiblings {
		return "", fs.ErrNotExist
	}
	want, match := key(base), ""
	for _, name := range names {
		if key(name) != want {
			continue
		}
		if match != "" {
			return "", ErrAmbiguous
		}
		match = name
	}
	if match == "" {
		return "", fs.ErrNotExist
	}
	return filepath.Join(folder, match), nil
}

// spellings are the readings of a name that need no folder to be listed.
func spellings(name string) []string {
	all := []string{name}
	for _, s := range []string{norm.NFC.String(name), norm.NFD.String(name)} {
		if s != name {
			all = append(all, s)
		}
	}
	return all
}

// tidy cleans a name, except where ".." could lead elsewhere once a link is cut out.
func tidy(name string) string {
	if strings.Contains(filepath.ToSlash(name), "/../") {
		return name
	}
	return filepath.Clean(name)
}

// fold makes names equal that differ in kinds of spaces, in composition and in apostrophes.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r == '\u2019':
			return '\''
		}
		return r
	}, norm.NFC.String(s))
}

// foldAll also drops every space: a model that retypes a name loses those it has no token for.
func foldAll(s string) string { return strings.ReplaceAll(fold(s), " ", "") }
