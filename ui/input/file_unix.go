//go:build unix

package input

import (
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// file is the terminal. It embeds the *os.File so that Bubble Tea finds the descriptor it sets to raw mode and waits on.
type file struct{ *os.File }

// held is how the terminal was before it was set to raw mode, nil where it is that way now.
type held struct{ before *term.State }

func newFile(f *os.File) file { return file{f} }

// waits reports that ready can wait for input.
func waits() bool { return true }

// ready waits up to d for something to read. It uses select, which unlike poll knows terminals on every Unix.
func (f file) ready(d time.Duration) bool {
	fd := int(f.Fd())
	if fd < 0 || fd >= unix.FD_SETSIZE {
		return false
	}
	deadline := time.Now().Add(d)
	for {
		var set unix.FdSet
		set.Set(fd)
		wait := unix.NsecToTimeval(max(time.Until(deadline), 0).Nanoseconds())
		n, err := unix.Select(fd+1, &set, nil, nil, &wait)
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}
