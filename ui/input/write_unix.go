//go:build unix

package input

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// console is nothing on Unix: terminals understand what is written to them.
type console struct{}

func (console) take(*os.File) error { return nil }
func (console) give(*os.File) error { return nil }

// writeAll writes all of b. Another program that shares the terminal may have made it one that does not wait; then this
// waits.
func writeAll(f *os.File, b []byte) error {
	for len(b) > 0 {
		n, err := f.Write(b)
		b = b[n:]
		switch {
		case errors.Is(err, unix.EAGAIN):
			if err := writable(f); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// writable waits until a terminal takes something. It uses select, which unlike poll knows terminals on every Unix.
func writable(f *os.File) error {
	fd := int(f.Fd())
	if fd < 0 || fd >= unix.FD_SETSIZE {
		return unix.EBADF
	}
	for {
		var set unix.FdSet
		set.Set(fd)
		if _, err := unix.Select(fd+1, nil, &set, nil, nil); err != unix.EINTR {
			return err
		}
	}
}
