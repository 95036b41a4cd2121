//go:build unix

package ui

import (
	"os"
	"os/signal"
	"time"

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

// stopUntilWoken stops espy and its group of processes, as ctrl+z does, and returns when it is in the foreground again. In
// a group that no shell with job control watches, such as a script's, the kernel ignores the request and nobody would
// ever wake espy; then it goes on after a moment.
func stopUntilWoken() error {
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, unix.SIGCONT)
	defer signal.Stop(woken)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return err
	}
	late := time.NewTimer(stopTime) // stopped, it does not run either
	defer late.Stop()
	select {
	case <-woken:
	case <-late.C:
	}
	return nil
}
