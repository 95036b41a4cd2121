package guard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ErrNoShell says that the system has no shell whose grammar is known.
var ErrNoShell = errors.New("no bash and no POSIX sh was found; install bash (on Windows: Git for Windows) to let the model run commands")

// Shell is the shell that commands run in: the one they are judged for.
type Shell struct {
	Path  string
	Posix bool // a POSIX sh; Options.Posix of the guard must say the same
}

// FindShell looks for bash, then for a POSIX sh. ErrNoShell where there is neither.
func FindShell() (Shell, error) {
	for _, candidate := range shellCandidates() {
		if path, err := exec.LookPath(candidate.Path); err == nil {
			return Shell{Path: path, Posix: candidate.Posix}, nil
		}
	}
	return Shell{}, ErrNoShell
}

// arguments start the shell without reading any start-up file.
func (s Shell) arguments(command string) []string {
	if s.Posix {
		return []string{"-c", command}
	}
	return []string{"--noprofile", "--norc", "-c", command}
}

// ShellCommand prepares a judged command to be run: the shell and the text that were judged, no start-up files, its
// own session without a terminal. env is the whole environment, made by CommandEnvironment; nil is espy's own,
// cleaned. The standard input is empty. Without a shell whose grammar is known it returns ErrNoShell.
//
// When ctx ends, everything in its session gets SIGTERM and, two seconds later, SIGKILL. The caller sets Stdout and
// Stderr and calls Start, Leftovers.Started and Wait; output that a stray child keeps open is cut off shortly
// after. On Linux the command itself also ends with this program.
func ShellCommand(ctx context.Context, command, dir string, env []string) (*exec.Cmd, error) {
	shell, err := FindShell()
	if err != nil {
		return nil, err
	}
	return DirectCommand(ctx, append([]string{shell.Path}, shell.arguments(command)...), dir, env)
}

// DirectCommand prepares a program with its arguments, run without any shell, in its own session and ended as
// ShellCommand's are. env is its whole environment.
func DirectCommand(ctx context.Context, argv []string, dir string, env []string) (*exec.Cmd, error) {
	if len(argv) == 0 {
		return nil, errors.New("there is no program to run")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	cmd.Dir = dir
	cmd.Env = startClean(env)
	ownSession(cmd)
	return cmd, nil
}

// shellStartVariables make a shell or the programs below it run something first.
var shellStartVariables = []string{"BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "PS4", "CDPATH", "GLOBIGNORE", "BASH_XTRACEFD", "IFS"}

// providerVariables are the keys of model providers: no command needs them.
var providerVariables = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "XAI_API_KEY",
	"DEEPSEEK_API_KEY", "OPENROUTER_API_KEY", "TOGETHER_API_KEY", "FIREWORKS_API_KEY", "CEREBRAS_API_KEY", "COHERE_API_KEY", "PERPLEXITY_API_KEY", "AZURE_OPENAI_API_KEY",
	"HF_TOKEN", "HUGGINGFACE_API_KEY", "MOONSHOT_API_KEY", "DASHSCOPE_API_KEY", "ZHIPU_API_KEY", "ZAI_API_KEY", "MINIMAX_API_KEY", "REPLICATE_API_TOKEN", "NVIDIA_API_KEY",
}

// CommandEnvironment is an environment for commands of the model: without what makes a shell run something
// first, without exported functions, and without the keys of model providers and those named in secret,
// unless allowed by name. Pagers and prompts are off: nobody is there to answer.
func CommandEnvironment(env, secret, allowed []string) []string {
	kept := slices.DeleteFunc(withoutStart(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return (slices.Contains(providerVariables, strings.ToUpper(name)) || slices.Contains(secret, name)) && !slices.Contains(allowed, name) ||
			slices.Contains([]string{"PAGER", "GIT_PAGER", "MANPAGER", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "TERM"}, name)
	})
	return append(kept, "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "TERM=dumb")
}

// withoutStart leaves out what makes a shell run something first.
func withoutStart(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(shellStartVariables, name) || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(value, "() {")
	})
}

// startClean is the environment a shell is started with, whoever made it.
func startClean(env []string) []string {
	if env == nil {
		return CommandEnvironment(os.Environ(), nil, nil)
	}
	return withoutStart(env)
}
