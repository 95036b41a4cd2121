package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errNotRegular is what openRegular answers for a folder, link, pipe or device.
var errNotRegular = errors.New("not a regular file")

// openRegular opens a regular file for reading. Links are not followed and pipes are not waited for.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readSmall reads a regular file of at most most bytes. A larger one is an error.
func readSmall(path string, most int64) ([]byte, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// replaceFile puts data at path whole or not at all: a temporary file beside it, renamed over it. Durable
// means synced before the rename, and the folder after it.
func replaceFile(path string, data []byte, durable bool) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return finish(f, path, durable, err)
}

// finish closes the temporary file f and renames it to path; after an error it is removed instead.
func finish(f *os.File, path string, durable bool, err error) error {
	if err == nil && durable {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	if durable {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// sweepTemps removes temporary files a crash left behind. Only the holder of the session's lock may do so.
func sweepTemps(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) && e.Type().IsRegular() {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
