package clipboard

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// headBytes is how much of a copied file is read to tell a picture; every signature lies within.
const headBytes = 64

// copied reads a list of copied files: a text/uri-list, GNOME's list (whose first line says copy or cut), or
// plain names, one a line. Files that do not exist here are left out. A file counts as a picture by its first
// bytes, or by its name, so that a broken one reaches the gate and is refused in words.
func (f *Finder) copied(list string) (pictures, others []string) {
	here := *f
	here.shares = true
	for line := range strings.SplitSeq(strings.ReplaceAll(list, "\x00", "\n"), "\n") {
		line = strings.Trim(line, "\r")
		if line == "" || line[0] == '#' || line == "copy" || line == "cut" {
			continue
		}
		if len(pictures)+len(others) == maxCopiedFiles {
			break
		}
		found, ok := here.one(line)
		switch {
		case !ok:
		case isPictureFile(found.Path):
			pictures = append(pictures, found.Path)
		default:
			others = append(others, found.Path)
		}
	}
	return pictures, others
}

func isPictureFile(path string) bool {
	names := []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif"}
	if slices.Contains(names, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	file, err := openRegular(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(file, head)
	return pictureKind(head[:n]) != ""
}

// openRegular opens a regular file; a FIFO or device that took its place since it was looked at neither
// blocks nor is read.
func openRegular(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, os.ErrInvalid
	}
	return file, nil
}
