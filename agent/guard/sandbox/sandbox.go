// Package sandbox holds a command inside what it needs: it writes only below named folders, does not read the
// folders it is kept from, and opens no sockets to a network. On Linux the kernel does that, by Landlock and
// seccomp; on macOS sandbox-exec does.
//
// On Linux the restrictions are put on by a helper, which is the program itself started once more: Confine
// rewrites a command so that the helper starts it, and Serve, the first thing main calls, is that helper. A
// restriction that cannot be put on ends the helper: nothing runs less confined than was asked.
//
// The package knows folders and commands. It must not know a tool, a rule or why a folder is in a policy.
package sandbox

// Policy is what a command may do beyond reading. Paths are absolute; those that do not exist are left out.
type Policy struct {
	Write   []string `json:"write"`   // folders and files it may change
	Hide    []string `json:"hide"`    // folders it may not read, unless they lie in one it may change
	Network bool     `json:"network"` // it may open sockets to a network
}

// helperArgument is the first argument that makes the program the helper.
const helperArgument = "--confined-command"

// exitNotConfined is the helper's exit code where a restriction or the command itself cannot be put on: 126, as
// shells use it for what was found and cannot be started.
const exitNotConfined = 126

// alwaysWritten are devices that programs write to; they keep nothing.
var alwaysWritten = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// maxHidingRules bounds how many folders and files are opened one by one so that hidden ones stay closed: a home
// folder has hundreds of entries.
const maxHidingRules = 20_000
