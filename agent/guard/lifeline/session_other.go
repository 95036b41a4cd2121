//go:build unix && !linux

package lifeline

import (
	"errors"
	"syscall"
)

// birth is when a process began; it cannot be told here without more ado.
type birth string

const unborn birth = ""

func bornAt(int) birth { return unborn }

// lives reports whether anything is left of the group a session begins with. Other groups of it cannot be listed
// here without more ado.
func lives(session int) bool { return !errors.Is(syscall.Kill(-session, 0), syscall.ESRCH) }

// signalSession sends a signal to that group. What may not be signalled is not this user's.
func signalSession(session int, signal syscall.Signal) { _ = syscall.Kill(-session, signal) }
