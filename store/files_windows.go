package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Codes of a write that found no room (winerror.h).
const (
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

// diskFull reports whether a write failed for want of room.
func diskFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}

// openFlags opens a stored file for reading; openRegular checks what it is.
const openFlags = os.O_RDONLY

// syncDir does nothing: Windows offers no flush of a folder, and NTFS journals its names.
func syncDir(string) error { return nil }

// links is how many names a file has; a listing does not say, so sizes count in full.
func links(fs.FileInfo) int { return 1 }

// alive reports whether a process is there. An unknown one, 0, counts as alive.
func alive(pid int) bool {
	if pid <= 0 {
		return true
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	process.Release()
	return true
}
