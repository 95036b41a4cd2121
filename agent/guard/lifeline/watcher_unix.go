//go:build unix

package lifeline

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Serve is the watcher: where the program was started as such it does not return before the program that started it
// is gone. Otherwise it does nothing.
func Serve() {
	if len(os.Args) != 2 || os.Args[1] != watcherArgument {
		return
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT) // it ends with its pipe
	End(watch(os.Stdin)...)
	os.Exit(0)
}

// watch reads sessions to the end of the pipe and returns those still to be ended: none after a goodbye.
func watch(pipe io.Reader) []int {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	watched := make(map[int]birth)
	forgetting := time.NewTicker(forgetEvery)
	defer forgetting.Stop()
	for {
		select {
		case line, more := <-lines:
			if !more {
				forget(watched)
				return sessionsOf(watched)
			}
			if line == goodbye {
				return nil
			}
			if session, err := strconv.Atoi(line); err == nil && session > 1 {
				watched[session] = bornAt(session)
			}
		case <-forgetting.C:
			forget(watched)
		}
	}
}

// forget drops sessions that have ended, and those whose number belongs to somebody else by now: while a session has
// a member, no new process gets its number.
func forget(watched map[int]birth) {
	for session, born := range watched {
		if now := bornAt(session); !Lives(session) || now != unborn && now != born {
			delete(watched, session)
		}
	}
}

func sessionsOf(watched map[int]birth) []int {
	var sessions []int
	for session := range watched {
		sessions = append(sessions, session)
	}
	return sessions
}
