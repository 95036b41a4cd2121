package lifeline

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// birth is when a process began, in clock ticks since the machine did: with its number it is the process's identity.
type birth string

// unborn is the birth of a process that is not there.
const unborn birth = ""

func bornAt(pid int) birth {
	fields := statFields(strconv.Itoa(pid))
	if len(fields) < 20 {
		return unborn
	}
	return birth(fields[19])
}

// members lists the running processes of sessions. Those that have ended and only wait to be noticed by their parent
// are none.
func members(sessions ...int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		fields := statFields(e.Name())
		if len(fields) < 20 || string(fields[0]) == "Z" || string(fields[0]) == "X" {
			continue
		}
		if session, err := strconv.Atoi(string(fields[3])); err == nil && slices.Contains(sessions, session) {
			found = append(found, pid)
		}
	}
	return found
}

// lives reports whether anything runs in a session, in whichever group.
func lives(session int) bool { return len(members(session)) > 0 }

// signalSession sends a signal to everything in a session: the group it begins with at once, then what a shell with
// job control (set -m) has put into other groups. What may not be signalled is not this user's.
func signalSession(session int, signal syscall.Signal) {
	_ = syscall.Kill(-session, signal)
	for _, pid := range members(session) {
		if group, err := syscall.Getpgid(pid); err == nil && group != session {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// statFields are the fields of /proc/PID/stat from the third on, the state (proc_pid_stat(5)): the second is a name
// in parentheses, which may hold anything.
func statFields(pid string) [][]byte {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}
