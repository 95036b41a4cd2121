//go:build unix

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// suspendable reports whether there is a shell that would bring espy back: a program whose parent is in
// another session is stopped by nobody and woken by nobody.
func suspendable() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parent, err := unix.Getsid(os.Getppid())
	return err == nil && parent == own
}
