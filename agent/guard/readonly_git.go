package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// gitLooks are the git commands that read, with a check of their arguments where some of their forms write.
func gitLooks(command string, args []string) bool {
	switch command {
	case "status", "log", "diff", "show", "blame", "shortlog", "describe", "rev-parse", "rev-list", "ls-files", "ls-tree", "cat-file",
		"name-rev", "merge-base", "grep", "count-objects", "for-each-ref", "show-ref", "whatchanged", "diff-tree", "diff-files", "diff-index",
		"check-ignore", "check-attr", "version", "cherry", "range-diff", "annotate":
		return true
	case "branch":
		return branchLists(args)
	case "tag":
		return tagLists(args)
	case "remote":
		return len(args) == 0 || len(args) == 1 && args[0] == "-v" || args[0] == "get-url"
	case "stash":
		return len(args) > 0 && (args[0] == "list" || args[0] == "show")
	case "reflog":
		return len(args) == 0 || args[0] == "show"
	case "worktree":
		return len(args) > 0 && args[0] == "list"
	}
	return false
}

func branchLists(args []string) bool {
	for _, a := range args {
		if !slices.Contains([]string{"-a", "-r", "-v", "-vv", "-l", "--all", "--remotes", "--list", "--show-current", "--merged", "--no-merged"}, a) &&
			!strings.HasPrefix(a, "--sort=") && !strings.HasPrefix(a, "--format=") && !strings.HasPrefix(a, "--contains=") {
			return false
		}
	}
	return true
}

func tagLists(args []string) bool {
	if len(args) == 0 {
		return true
	}
	return (args[0] == "-l" || args[0] == "--list") && !slices.ContainsFunc(args[1:], func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "-n") && !strings.HasPrefix(a, "--sort=")
	})
}

// gitCommand splits git's own options from its command; ok is false for options that are not plain.
func gitCommand(args []string) (command string, rest []string, ok bool) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-C" && len(args) > 1:
			args = args[1:] // gitPrograms went there
		case slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version"}, args[0]):
			if args[0] == "--version" {
				return "version", nil, true
			}
		default:
			return "", nil, false
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return "", nil, false
	}
	return args[0], args[1:], true
}

// gitReads reports whether a git command only looks: by its form, and by what the repository would run.
func (s *shellJudge) gitReads(words []word) bool {
	command, rest, ok := gitCommand(texts(words[1:]))
	if !ok || !gitLooks(command, rest) || slices.ContainsFunc(rest, gitRuns) {
		return false
	}
	for _, folder := range s.folders {
		if key := s.repositoryRuns(folder); key != "" {
			s.touch(fmt.Sprintf("this repository's own git configuration runs a program (%s)", Printable(key)))
			return false
		}
		if printsTracked(command, rest) {
			s.trackedCredentials(folder)
		}
	}
	return true
}

// printsTracked reports git commands that print lines of whatever files are tracked.
func printsTracked(command string, args []string) bool {
	switch command {
	case "grep", "diff", "show", "diff-tree", "diff-files", "diff-index", "whatchanged", "stash", "range-diff":
		return true
	case "log", "reflog":
		return slices.ContainsFunc(args, func(a string) bool {
			return len(a) > 1 && a[0] == '-' && strings.ContainsAny(a[1:2], "puSGLUcm") || strings.HasPrefix(a, "--p") || strings.HasPrefix(a, "--c") || strings.HasPrefix(a, "--u")
		})
	}
	return false
}

// trackedCredentials looks for credential files among the tracked ones.
func (s *shellJudge) trackedCredentials(folder string) {
	ctx, cancel := context.WithTimeout(context.Background(), gitConfigWait)
	defer cancel()
	out, err := Git(ctx, folder, "ls-files", "-z", "--full-name", ":/")
	if err != nil {
		return // no repository: git prints nothing either
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && s.roots.secrets.named("/"+name) {
			s.touch("git tracks " + Printable(name) + ", a credential file, and may print it")
			return
		}
	}
}

// gitRuns reports arguments that make a reading git command run a program or write a file.
func gitRuns(arg string) bool {
	for _, option := range []string{"--output", "--ext-diff", "--textconv", "--open-files-in-pager", "--exec", "--upload-pack", "--show-signature", "--filters", "--contents", "--paginate", "--no-index", "--untracked"} {
		name, _, _ := strings.Cut(arg, "=")
		if len(name) > 4 && strings.HasPrefix(option, name) || name == option {
			return true
		}
	}
	return strings.HasPrefix(arg, "-O") || strings.Contains(arg, "%G")
}

// repositoryRuns looks a folder's repository up once a line.
func (s *shellJudge) repositoryRuns(folder string) string {
	if found, ok := s.repos[folder]; ok {
		return found
	}
	if s.repos == nil {
		s.repos = map[string]string{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitConfigWait)
	defer cancel()
	s.repos[folder] = RepositoryRuns(ctx, folder)
	return s.repos[folder]
}

// gitPrograms refuses what makes git run programs, whatever its command.
func (s *shellJudge) gitPrograms(args []word) {
	list := texts(args)
	for i, a := range list {
		switch {
		case !strings.HasPrefix(a, "-"):
			s.gitCommandPrograms(a, list[i+1:])
			return
		case a == "-C":
			if i+1 < len(list) {
				s.moveTo(list[i+1])
				s.gitPrograms(args[i+2:])
			}
			return
		case strings.HasPrefix(a, "-c") || strings.HasPrefix(a, "--config-env") || strings.HasPrefix(a, "--exec-path="):
			s.fault("git is given configuration that can run programs")
			return
		case strings.HasPrefix(a, "--git-dir") || strings.HasPrefix(a, "--work-tree") || strings.HasPrefix(a, "--namespace"):
			s.fault("git is pointed at another repository")
			return
		}
	}
}

func (s *shellJudge) gitCommandPrograms(command string, args []string) {
	has := func(options ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.ContainsFunc(options, func(o string) bool {
				return a == o || strings.HasPrefix(a, o+"=") || len(o) == 2 && strings.HasPrefix(a, o)
			})
		})
	}
	switch command {
	case "config":
		if !has("--get", "--get-all", "--get-regexp", "-l", "--list", "get", "list") {
			s.touch("git config changes what git runs")
		}
	case "rebase":
		if has("--exec", "-x") {
			s.fault("git is told to run a program")
		}
	case "bisect", "submodule", "hook", "filter-branch", "difftool", "mergetool", "send-email", "credential", "for-each-repo", "instaweb":
		if command != "submodule" && command != "bisect" || has("run", "foreach") {
			s.fault("git " + command + " runs programs")
		}
	case "grep":
		if has("-O", "--open-files-in-pager") {
			s.fault("git is told to run a program")
		}
	}
	if has("--upload-pack", "--receive-pack", "--ext-diff", "--exec") || slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "ext::") }) ||
		command == "clone" && has("-u", "-c", "--config", "--template") {
		s.fault("git is told to run a program")
	}
}
