package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitConfigWait bounds the look at a repository's configuration; git answers in about 3 ms.
const gitConfigWait = 2 * time.Second

// ErrGitOutput says that git printed more than maxGitOutput; what came before is returned with it.
var ErrGitOutput = errors.New("git printed more than is read")

// GitError is a git call that failed.
type GitError struct {
	Command string // the git command, as in "ls-files"
	Stderr  string // its first line
	Err     error
}

func (e *GitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *GitError) Unwrap() error { return e.Err }

// gitSettings override what a repository's own configuration may run. Command-line settings win over every
// file, and only they can set safe.bareRepository.
var gitSettings = []string{
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.pager=cat", "core.editor=false", "core.sshCommand=false", "core.askPass=", "core.gitProxy=",
	"core.alternateRefsCommand=", "diff.external=", "credential.helper=", "protocol.allow=never", "safe.bareRepository=explicit", "gpg.program=false", "gpg.ssh.program=false",
	"log.showSignature=false", "submodule.recurse=false", "core.untrackedCache=false", "maintenance.auto=false", "gc.auto=0", "trace2.eventTarget=", "core.quotePath=false",
}

// gitDiffers are commands that take the options against external diff programs.
var gitDiffers = []string{"diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged"}

// Git runs git in a folder so that nothing of the repository's own configuration runs: no fsmonitor, hooks,
// external diff, text conversion, filters, pager, editor, signing, credential helper or remote; no prompts
// and no locks taken on the side. Output is bounded; the whole process group ends with the context.
//
// Where the repository configures content filters, commands that would run them fail.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if len(args) == 0 {
		return nil, errors.New("git needs a command")
	}
	var full []string
	for _, setting := range gitSettings {
		full = append(full, "-c", setting)
	}
	settings := append(userSettings(ctx), filterSettings(ctx, dir, args[0])...)
	full = append(full, "--no-pager", args[0])
	switch {
	case slices.Contains(gitDiffers, args[0]):
		full = append(full, "--no-ext-diff", "--no-textconv")
	case args[0] == "blame" || args[0] == "grep":
		full = append(full, "--no-textconv")
	}
	return runGit(ctx, dir, settings, append(full, args[1:]...))
}

// setting is one key of git's configuration, handed over through the environment: a repository may choose
// keys that the command line cannot carry.
type setting struct{ key, value string }

func runGit(ctx context.Context, dir string, settings []setting, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitEnvironment(os.Environ()), "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, s := range settings {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	return finishGit(ctx, cmd, args)
}

func finishGit(ctx context.Context, cmd *exec.Cmd, args []string) ([]byte, error) {
	cmd.WaitDelay = gitWait
	ownGroup(cmd)
	out := &boundedBuffer{left: maxGitOutput}
	complaint := &boundedBuffer{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.full:
		return out.Bytes(), ErrGitOutput
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return out.Bytes(), &GitError{Command: gitName(args), Stderr: line, Err: err}
	}
	return out.Bytes(), nil
}

// gitName finds the command among the settings in front of it.
func gitName(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// gitEnvironment keeps what git needs and takes away what points it elsewhere or lets it ask.
func gitEnvironment(env []string) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(strings.ToUpper(name), "GIT_") || name == "SSH_ASKPASS" || name == "PAGER" || name == "EDITOR" || name == "VISUAL"
	})
	return append(kept, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_ASKPASS=false", "GIT_EDITOR=false", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C")
}

// boundedBuffer keeps the first bytes and swallows the rest.
type boundedBuffer struct {
	bytes.Buffer
	left int
	full bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if n > b.left {
		b.full = true
		p = p[:b.left]
	}
	b.left -= len(p)
	if _, err := b.Buffer.Write(p); err != nil {
		return 0, err
	}
	if b.full {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// userSettings are the two keys of the user's own configuration that say what a repository is and which
// files it ignores. They name no program.
func userSettings(ctx context.Context) []setting {
	args := []string{"config", "--list", "-z"}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = string(os.PathSeparator)
	cmd.Env = gitEnvironment(os.Environ())
	cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool {
		return strings.HasPrefix(e, "GIT_CONFIG_GLOBAL=") || strings.HasPrefix(e, "GIT_CONFIG_NOSYSTEM=")
	})
	out, err := finishGit(ctx, cmd, args)
	if err != nil {
		return nil
	}
	var settings []setting
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if key, value, ok := strings.Cut(entry, "\n"); ok && (key == "safe.directory" || key == "core.excludesfile") {
			settings = append(settings, setting{key, value})
		}
	}
	return settings
}

// filterSettings turn off the content filters and diff programs that a repository names itself, for the
// commands that would run them: status and diff clean changed files.
func filterSettings(ctx context.Context, dir, command string) []setting {
	if command == "config" || command == "rev-parse" || command == "ls-files" {
		return nil
	}
	var settings []setting
	for _, own := range repositoryConfig(ctx, dir) {
		section, rest, _ := strings.Cut(own.key, ".")
		last := strings.ToLower(rest[strings.LastIndex(rest, ".")+1:])
		switch {
		case section == "filter" && (last == "clean" || last == "smudge" || last == "process"),
			section == "diff" && (last == "command" || last == "textconv"):
			settings = append(settings, setting{own.key, ""})
		case section == "filter" && last == "required":
			settings = append(settings, setting{own.key, "false"})
		}
	}
	return settings
}

// repositoryConfig lists what a repository itself sets, its includes too.
func repositoryConfig(ctx context.Context, dir string) []setting {
	settings, _ := readRepositoryConfig(ctx, dir)
	return settings
}

func readRepositoryConfig(ctx context.Context, dir string) ([]setting, error) {
	out, err := runGit(ctx, dir, userSettings(ctx), []string{"config", "--list", "--includes", "--show-scope", "-z"})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(string(out), "\x00")
	var settings []setting
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "local" || fields[i] == "worktree" {
			key, value, _ := strings.Cut(fields[i+1], "\n")
			settings = append(settings, setting{key, value})
		}
	}
	return settings, nil
}

// RepositoryRuns returns the first key of a repository's own configuration that makes an ordinary, reading
// git command run a program, or "". A configuration that cannot be read counts as one.
func RepositoryRuns(ctx context.Context, dir string) string {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	settings, err := readRepositoryConfig(ctx, dir)
	if errors.Is(err, exec.ErrNotFound) {
		return ""
	}
	if err != nil {
		if noRepository(err) {
			return ""
		}
		return "it cannot be read"
	}
	for _, s := range settings {
		if runsPrograms(strings.ToLower(s.key), s.value) {
			return s.key
		}
	}
	return indexHook(ctx, dir)
}

// indexHook names the one hook that reading commands run: they write the index when they refresh it.
func indexHook(ctx context.Context, dir string) string {
	const hook = "post-index-change"
	out, err := runGit(ctx, dir, userSettings(ctx), []string{"rev-parse", "--git-path", "hooks/" + hook})
	if noRepository(err) {
		return ""
	}
	if err != nil {
		return "its hooks cannot be found"
	}
	path := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if _, err := os.Lstat(path); err == nil {
		return "the hook " + hook
	}
	return ""
}

func noRepository(err error) bool {
	var ge *GitError
	return errors.As(err, &ge) && strings.Contains(ge.Stderr, "not a git repository")
}

func runsPrograms(key, value string) bool {
	switch key {
	case "core.fsmonitor":
		return value != "false" && value != "true" && value != "" // true is git's own daemon
	case "core.pager", "diff.external", "core.sshcommand", "core.alternaterefscommand", "gpg.program", "gpg.ssh.program", "core.askpass", "core.editor", "core.gitproxy",
		"core.worktree": // reads files elsewhere
		return true
	case "log.showsignature":
		return value != "false"
	}
	section, rest, _ := strings.Cut(key, ".")
	last := rest[strings.LastIndex(rest, ".")+1:]
	switch section {
	case "filter":
		return last == "clean" || last == "smudge" || last == "process"
	case "diff":
		return last == "command" || last == "textconv"
	case "pager", "alias", "credential":
		return true
	case "remote":
		return last == "promisor" || last == "partialclonefilter" || last == "vcs" || last == "uploadpack"
	}
	return false
}

// ListFiles lists the files below a folder that git tracks or would track, names relative to it with
// slashes, sorted as git does. Outside a repository it returns a *GitError.
func ListFiles(ctx context.Context, dir string) ([]string, error) {
	out, err := Git(ctx, dir, "ls-files", "-co", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Ignored lists the folders and files below a folder that git ignores, names relative to it with slashes;
// an ignored folder stands for all it holds and ends in a slash.
func Ignored(ctx context.Context, dir string) ([]string, error) {
	out, err := Git(ctx, dir, "ls-files", "-oi", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" }), nil
}
