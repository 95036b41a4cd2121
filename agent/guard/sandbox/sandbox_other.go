//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"os/exec"
	"runtime"
)

// Missing says what this system lacks for a sandbox, in a sentence.
func Missing() string { return "no sandbox is known for " + runtime.GOOS }

// Box is where the commands of one session would run.
type Box struct{}

// Features says what the box has: nothing.
func (*Box) Features() Features { return Features{Why: Missing()} }

// Close does nothing here.
func (*Box) Close() error { return nil }

// Confine refuses: nothing may run less confined than was asked.
func (*Box) Confine(*exec.Cmd, Policy) error { return errors.New(Missing()) }

// Serve does nothing here.
func Serve() {}
