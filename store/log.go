package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// logFile is a file of lines open for appending by the holder of its lock: a transcript or the prompt history.
//
// What must hold: a record starts at the start of a line. A batch that could not be written and synced whole is
// cut off again; where even that fails, or a crash left a fragment, the next batch starts with a newline, so
// that nothing half-written is ever joined to a record.
type logFile struct {
	path string
	file *os.File
	size int64 // up to the end of the last batch that is on disk
}

func openLog(dir string) (*logFile, error) {
	log, err := openAppend(filepath.Join(dir, logName))
	return log, writeError(dir, err)
}

func openAppend(path string) (*logFile, error) {
	fresh := !exists(path)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err == nil && fresh {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &logFile{path: path, file: file, size: info.Size()}, nil
}

func (l *logFile) close() error { return l.file.Close() }

// append writes one batch of whole lines with one write and one sync.
func (l *logFile) append(batch []byte) error {
	start, err := l.tail()
	if err != nil {
		return writeError(filepath.Dir(l.path), err)
	}
	if start.torn {
		batch = append([]byte{'\n'}, batch...)
	}
	n, err := l.file.Write(batch)
	if err == nil && n < len(batch) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		// Best effort: a tail that stays is found by the next append.
		return writeError(filepath.Dir(l.path), errors.Join(err, l.file.Truncate(start.size)))
	}
	l.size = start.size + int64(len(batch))
	return nil
}

// tail is where the file ends, and whether it ends inside a line.
type tail struct {
	size int64
	torn bool
}

// tail looks at the file's end. A log that somebody removed or replaced is an error: what is written to it would
// be lost.
func (l *logFile) tail() (tail, error) {
	held, err := l.file.Stat()
	if err != nil {
		return tail{}, err
	}
	named, err := os.Stat(l.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, named) {
		return tail{}, fmt.Errorf("%s was removed while it was in use", filepath.Base(l.path))
	}
	if err != nil || held.Size() == 0 {
		return tail{}, err
	}
	last := make([]byte, 1)
	if _, err := l.file.ReadAt(last, held.Size()-1); err != nil {
		return tail{}, err
	}
	return tail{held.Size(), last[0] != '\n'}, nil
}
