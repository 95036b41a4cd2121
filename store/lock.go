package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lock is a held session. The operating system lets it go when its process ends, however it ends.
//
// The holder's PID stands in the same file from its second byte on: Windows refuses other processes the
// locked first byte, and nothing else.
type lock struct{ file *flock.Flock }

// acquire takes the lock of a session's folder. A held one is an *InUseError; a folder that was removed while
// waiting is fs.ErrNotExist.
func acquire(dir, id string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	file := flock.New(path, flock.SetPermissions(fileMode))
	taken, err := file.TryLock()
	if err == nil && !taken && !alive(readPID(path)) {
		taken, err = outlive(file)
	}
	if err != nil {
		file.Close()
		return nil, writeError(dir, err)
	}
	if !taken {
		file.Close()
		return nil, &InUseError{ID: id, PID: readPID(path)}
	}
	l := &lock{file}
	if err := l.still(path); err != nil {
		l.release()
		return nil, err
	}
	if err := writePID(path); err != nil {
		l.release()
		return nil, writeError(dir, err)
	}
	return l, nil
}

// outlive waits for a lock whose holder is dead. A program that the holder was just starting when it was killed
// still has the holder's files open, until the moment it runs.
func outlive(file *flock.Flock) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), outliveFor)
	defer cancel()
	taken, err = file.TryLockContext(ctx, outlivePoll)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return taken, err
}

// still checks that the locked file is the one a newcomer would find: a session may have been removed between
// opening the file and locking it.
func (l *lock) still(path string) error {
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(held, named) {
		return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return nil
}

func (l *lock) release() error { return l.file.Close() }

func writePID(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%-10d\n", os.Getpid())
	_, err = f.WriteAt([]byte(text), 1)
	return errors.Join(err, f.Close())
}

func readPID(path string) int {
	f, _, err := openRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 1, 11))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
