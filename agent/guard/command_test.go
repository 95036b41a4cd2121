//go:build unix

package guard

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func runShell(t *testing.T, command string, env []string) string {
	t.Helper()
	cmd, err := ShellCommand(context.Background(), command, t.TempDir(), env)
	if err != nil {
		t.Skip(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

func TestTheShellRunsNothingButTheCommand(t *testing.T) {
	start := filepath.Join(t.TempDir(), "start")
	if err := os.WriteFile(start, []byte("echo START-UP\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "BASH_ENV="+start, "ENV="+start, "BASH_FUNC_ls%%=() { echo FUNCTION; }", "PROMPT_COMMAND=echo PROMPT", "SHELLOPTS=xtrace", "PS4=$(echo TRACE)", "ANTHROPIC_API_KEY=k1", "OPENAI_API_KEY=k2", "KEEP=yes")
	out := runShell(t, `ls; echo "[$ANTHROPIC_API_KEY$OPENAI_API_KEY$KEEP]"`, CommandEnvironment(env, nil, nil))
	if strings.TrimSpace(out) != "[yes]" {
		t.Errorf("got %q", out)
	}
	if out := runShell(t, "ls", env); strings.TrimSpace(out) != "" {
		t.Errorf("an environment that was not cleaned: %q", out)
	}
	if out := runShell(t, `echo $OPENAI_API_KEY$ANTHROPIC_API_KEY`, CommandEnvironment(env, nil, []string{"OPENAI_API_KEY"})); strings.TrimSpace(out) != "k2" {
		t.Errorf("an allowed key: %q", out)
	}
}

func TestTheShellHasItsOwnSessionNoTerminalAndNoInput(t *testing.T) {
	out := runShell(t, `cat; ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat; echo $$; (: < /dev/tty) 2>/dev/null && echo TERMINAL; true`, os.Environ())
	fields := strings.Fields(out)
	if len(fields) != 2 || fields[0] != fields[1] {
		t.Errorf("session and process are %q", fields)
	}
}

func TestCancellingEndsEverythingTheCommandStarted(t *testing.T) {
	for name, command := range map[string]string{
		"willing":  `sleep 1000 & echo $!; sleep 1000`,
		"stubborn": `trap '' TERM; (trap '' TERM; sleep 1000) & echo $!; sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			cmd, err := ShellCommand(ctx, command, t.TempDir(), os.Environ())
			if err != nil {
				t.Skip(err)
			}
			pipe, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(pipe).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			child, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := cmd.Wait(); err == nil {
				t.Error("a cancelled command ended well")
			}
			deadline := time.After(10 * time.Second)
			for syscall.Kill(-cmd.Process.Pid, 0) != syscall.ESRCH && !zombies(cmd.Process.Pid) {
				select {
				case <-deadline:
					t.Fatalf("the group with child %d still runs", child)
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
}

// zombies reports a group whose processes all ended and that nobody has collected yet.
func zombies(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after) // state, parent, group, …
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" {
			return false
		}
	}
	return len(stats) > 0
}

// TestWordsAreWhatTheShellMakesOfThem compares every word that the judge holds for certain with what bash
// hands to a program.
func TestWordsAreWhatTheShellMakesOfThem(t *testing.T) {
	w := newWorld(t)
	g := New(Options{Roots: w.roots})
	if shell, err := FindShell(); err != nil || shell.Posix {
		if os.Getenv("CI") == "true" {
			t.Fatal("bash is not installed, and CI brings it")
		}
		t.Skip("bash is not installed")
	}
	for _, args := range []string{
		`a b`, `'a b' "c d"`, `a\ b`, `"a\"b" 'c"d'`, `"a\$b\\c\d"`, `$'a\tb\x41\u00e9'`, `{a,b}{1,2}`, `x{a,b}y`, `a{b`, `{a}`, `'{a,b}'`, `{"a",b}`, `{.e"n"v,x}`, `a{1..3}`, `~`, `~/x`, `"~/x"`, `a~`, `x=~/y`, `"$HOME/x"`,
		`--f={a,b}`, `a"b"'c'\d`, `""`, `'' x`, `a#b`, `\{a,b\}`, `{a,{b,c}}`, `{a,b`, `a,b}`, `{,x}`, `HEAD@{1}`, `\*`, `"*"`, `[`, `a\
b`, `"a\
b"`, `$'it\'s'`, `{a,b\,c}`, "\"$(cat <<'EOF'\na 'b' \\$x\n\nEOF\n)\"", `$"x"`, `é{ü,ö}`,
	} {
		j := g.JudgeShell("program " + args)
		if len(j.Commands) == 0 || !j.Commands[0].Known || len(j.Faults) > 0 {
			t.Logf("%s is not certain: %v", args, j.Faults)
			continue
		}
		cmd, err := ShellCommand(context.Background(), `printf '%s\0' `+args, w.ws, append(os.Environ(), "HOME="+w.home))
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if want := j.Commands[0].Words[1:]; !slices.Equal(got, want) {
			t.Errorf("%s: the shell makes %q of it, the judge %q", args, got, want)
		}
	}
}

func FuzzJudgingNeverFailsAndNeverCallsAHiddenRemovalReading(f *testing.F) {
	for _, c := range commandTable {
		f.Add(c.line)
	}
	w := newWorld(f)
	g := New(Options{Roots: w.roots})
	f.Fuzz(func(t *testing.T, line string) {
		j := g.JudgeShell(line)
		if !j.ReadOnly {
			return
		}
		for _, c := range j.Commands {
			if len(c.Words) == 0 || !c.ReadOnly && !c.Carrier {
				t.Fatalf("%q is called reading with %+v", line, c)
			}
		}
		if j := g.JudgeShell(line + "\nrm -rf x"); j.ReadOnly && !strings.HasSuffix(strings.TrimRight(line, " \t"), "\\") && !strings.Contains(line, "<<") {
			t.Fatalf("%q hides what follows it", line)
		}
	})
}
