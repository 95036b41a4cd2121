//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// setSize tells the kernel the window's size without making the file block, as asking it for its descriptor
// would.
func setSize(f *os.File, cols, rows int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	if err != nil {
		return err
	}
	return set
}
