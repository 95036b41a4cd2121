//go:build unix

package lifeline

import (
	"slices"
	"syscall"
	"time"
)

// Lives reports whether anything runs in a session.
func Lives(session int) bool { return lives(session) }

// End asks everything in these sessions to end and makes it: SIGTERM, and SIGKILL where that was not enough. It
// returns when all are gone or were killed. A session is known by its leader's number.
func End(sessions ...int) {
	sessions = slices.DeleteFunc(slices.Clone(sessions), func(s int) bool { return s <= 1 || !Lives(s) })
	if len(sessions) == 0 {
		return
	}
	for _, session := range sessions {
		signalSession(session, syscall.SIGTERM)
		signalSession(session, syscall.SIGCONT) // what is stopped hears nothing
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); <-ticker.C {
		if !slices.ContainsFunc(sessions, Lives) {
			return
		}
	}
	for _, session := range sessions {
		signalSession(session, syscall.SIGKILL)
	}
}
