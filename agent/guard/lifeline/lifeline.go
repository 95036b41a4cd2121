// Package lifeline ends what a program started where the program itself no longer can: it was killed, it crashed, or
// the system ran out of memory and chose it.
//
// On Unix a second, small process does that, the watcher, which is the program itself started once more. It is told
// of every session a command was started in and reads a pipe that the program holds open. When the pipe ends
// without a goodbye, the program is gone, and the watcher ends what is left of those sessions. On Windows a job
// object does the same. Programs that left their session on purpose, as daemons do, are left alone, as they are
// where a command is cancelled.
//
// The package knows processes. It must not know a command, a tool or a policy.
package lifeline

import "time"

const (
	// watcherArgument is the first argument that makes the program the watcher.
	watcherArgument = "--lifeline"
	// goodbye is the line with which an orderly end is told from a sudden one.
	goodbye = "goodbye"

	// grace is how long processes have between SIGTERM and SIGKILL: enough for a server to save, not enough to
	// be waited for.
	grace = 2 * time.Second
	// poll is how often processes that were asked to end are looked at.
	poll = 20 * time.Millisecond
	// forgetEvery is how often the watcher forgets sessions that have ended, so that their numbers mean nothing
	// once the system has given them to somebody else.
	forgetEvery = 10 * time.Second
)
