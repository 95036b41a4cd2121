//go:build unix

package guard

func shellCandidates() []Shell {
	return []Shell{{Path: "bash"}, {Path: "/bin/bash"}, {Path: "sh", Posix: true}}
}
