//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"os/exec"
	"runtime"
)

// Missing says what this system lacks for a sandbox, in a sentence.
func Missing() string { return "no sandbox is known for " + runtime.GOOS }

// Confine refuses: nothing may run less confined than was asked.
func Confine(*exec.Cmd, Policy) error { return errors.New(Missing()) }

// Serve does nothing here.
func Serve() {}
