package tools

import "strings"

// sandboxNote tells a model, and the person who reads along, why a command may have failed.
const sandboxNote = "[the sandbox stopped this, by the look of its output: in it a command writes only to the workspace, trusted and temporary folders and tool caches, " +
	"changes no git hooks or settings, reads no credential folders or .env files, and has no network beyond the other commands. If it needs more, call shell again with outside_sandbox; the person is asked]"

// refusals are the words in which programs tell that the system refused them a file or a socket, in lower case.
var refusals = []string{
	"permission denied", "operation not permitted", "device or resource busy", "eacces", "eperm", "not permitted", "read-only file system", "bad system call", "no new privileges",
	"could not resolve host", "couldn't resolve", "temporary failure in name resolution", "name or service not known", "eai_again", "getaddrinfo", "no address associated",
	"network is unreachable", "failed to connect", "connection refused", "socket: ", "cannot open socket", "no such host", "access is denied", "before it began",
}

// Sandboxed reports whether the output of a failed command reads as if the system had refused it something.
func Sandboxed(output string) bool {
	output = strings.ToLower(output)
	for _, words := range refusals {
		if strings.Contains(output, words) {
			return true
		}
	}
	return false
}
