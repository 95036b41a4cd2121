package sandbox

import (
	"os"
	"os/exec"
	"slices"
)

// sandboxExec ships with macOS.
const sandboxExec = "/usr/bin/sandbox-exec"

// Missing says what this system lacks for a sandbox, in a sentence; "" where it has everything.
func Missing() string {
	if _, err := os.Stat(sandboxExec); err != nil {
		return sandboxExec + " is not there"
	}
	return ""
}

// Box is where the commands of one session run. The zero value is ready.
type Box struct{}

// Features says what the box has.
func (*Box) Features() Features {
	return Features{Files: true, Why: "macOS gives a program no network of its own"}
}

// Close does nothing here.
func (*Box) Close() error { return nil }

// Confine makes a prepared command run under a policy.
func (*Box) Confine(cmd *exec.Cmd, p Policy) error {
	text, parameters := profile(p)
	cmd.Args = slices.Concat([]string{"sandbox-exec", "-p", text}, parameters, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = sandboxExec
	return nil
}

// Serve does nothing here: sandbox-exec is the helper.
func Serve() {}
