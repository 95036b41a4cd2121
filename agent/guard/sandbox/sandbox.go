// Package sandbox holds a command inside what it needs: it writes only below named folders, does not read the
// folders it is kept from, and opens no sockets to a network. On Linux the kernel does that, by Landlock and
// seccomp; on macOS sandbox-exec does.
//
// On Linux the restrictions are put on by a helper, which is the program itself started once more: Confine
// rewrites a command so that the helper starts it, and Serve, the first thing main calls, is that helper. A
// restriction that cannot be put on ends the helper: nothing runs less confined than was asked.
//
// Where Linux lets an ordinary user make namespaces, the commands of one Box share a network of their own, which
// leads nowhere but to itself, so that what listens in one is reached from the next; and each has a view of the
// files in which some below a folder it may change cannot be changed or read.
//
// The package knows folders and commands. It must not know a tool, a rule or why a folder is in a policy.
package sandbox

// Policy is what a command may do beyond reading. Paths are absolute; those that do not exist are left out.
type Policy struct {
	Write   []string `json:"write"`   // folders and files it may change
	Hide    []string `json:"hide"`    // folders it may not read, unless they lie in one it may change
	Network bool     `json:"network"` // it may open sockets to a network

	// Keep are files and folders inside Write that it may not change, nor move away the folder they lie in; Shut
	// are files it may not read either. Both hold where Features.Files says so.
	Keep []string `json:"keep"`
	Shut []string `json:"shut"`
}

// Features are what a box has beyond the least a sandbox is.
type Features struct {
	Loopback bool   // commands without a network have one that leads nowhere but to themselves
	Files    bool   // Policy.Keep and Policy.Shut hold
	Why      string // why some are missing, in words that follow a colon; "" where none is
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
