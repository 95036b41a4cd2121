//go:build unix

package ui

import (
	"context"
	"os"
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

// wakeUnlessStopped brings espy back where the system did not stop it: the kernel ignores the request in a group
// of processes that no shell with job control watches, such as a script's, and nobody would ever wake it. While
// espy is stopped this is too, and afterwards one wake-up more changes nothing.
func wakeUnlessStopped(ctx context.Context) {
	tick := time.NewTicker(stopTime)
	defer tick.Stop()
	for range stopChecks {
		select {
		case <-tick.C:
			_ = unix.Kill(os.Getpid(), unix.SIGCONT)
		case <-ctx.Done():
			return
		}
	}
}
