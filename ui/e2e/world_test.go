//go:build unix

package e2e

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"espy/agent/extend/mcp/mcptest"
	"espy/ui/terminal"
)

const (
	// cols and rows are wide enough that a blob's whole name stands on one line of an answer.
	cols, rows = 140, 40
	// runDeadline is how long a run without a screen may take before it counts as hung.
	runDeadline = time.Minute
	// ready is what the composer of a program that is ready says.
	ready = "›  ask for "
)

// scratch is where the program is built; it goes when the tests have ended.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "espy-e2e") })

// built builds the program once, and only where a test runs it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "espy")
	args := append([]string{"build", "-o", out}, buildFlags()...)
	if said, err := exec.Command("go", append(args, "espy")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("the program does not build: %w\n%s", err, said)
	}
	return out, nil
})

func TestMain(m *testing.M) {
	mcptest.Main() // the tests' own program stands in for MCP servers
	code := m.Run()
	if dir, err := scratch(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func program(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// world is a machine of its own for one test: a home with nothing in it and an empty workspace.
type world struct {
	t    testing.TB
	root string
	work string   // the workspace
	env  []string // what leads there, and nothing else of this machine
}

func newWorld(t testing.TB) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, work: filepath.Join(root, "work")}
	for _, dir := range []string{"home", "state", "config/espy", "work", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	races := filepath.Join(root, "race")
	w.env = append(forgotten(), "HOME="+root+"/home", "XDG_STATE_HOME="+root+"/state", "XDG_CONFIG_HOME="+root+"/config",
		"XDG_CACHE_HOME="+root+"/home/.cache", "XDG_DATA_HOME="+root+"/home/.local/share", "TMPDIR="+root+"/tmp", "GORACE=log_path="+races)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.tree())
		}
		found, _ := filepath.Glob(races + ".*")
		for _, name := range found {
			report, _ := os.ReadFile(name)
			t.Errorf("the program has a race:\n%s", report)
		}
	})
	return w
}

// tree lists the files of the world with their sizes, for failures.
func (w *world) tree() string {
	var out strings.Builder
	_ = filepath.Walk(w.root, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintf(&out, "%9d %s\n", info.Size(), strings.TrimPrefix(path, w.root))
		}
		return nil
	})
	return out.String()
}

// contents is every file espy keeps, with a hash of what it holds, but for what lists are made from: whoever finds that
// out of step with its log makes it anew.
func (w *world) contents() string {
	var out strings.Builder
	_ = filepath.Walk(filepath.Join(w.root, "state"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || info.Name() == "meta.json" {
			return nil
		}
		data, _ := os.ReadFile(path)
		fmt.Fprintf(&out, "%x %s\n", sha256.Sum256(data), strings.TrimPrefix(path, w.root))
		return nil
	})
	return out.String()
}

// forgotten empties what this machine has set and a fresh one has not: desktops, keys, proxies, settings.
func forgotten() []string {
	var out []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		upper := strings.ToUpper(name)
		switch {
		case strings.HasSuffix(upper, "_KEY"), strings.HasSuffix(upper, "_TOKEN"), strings.HasSuffix(upper, "_PROXY"), strings.HasPrefix(upper, "ESPY_"):
			out = append(out, name+"=")
		}
	}
	return append(out, "DISPLAY=", "WAYLAND_DISPLAY=", "XDG_RUNTIME_DIR=", "XAUTHORITY=", "SSH_CONNECTION=", "SSH_TTY=", "SSH_CLIENT=", "WSL_DISTRO_NAME=", "VISUAL=", "EDITOR=")
}

// with returns the same world with more in its environment.
func (w *world) with(env ...string) *world {
	more := *w
	more.env = append(append([]string(nil), w.env...), env...)
	return &more
}

// configure writes the person's settings.
func (w *world) configure(toml string) {
	w.t.Helper()
	w.write(filepath.Join(w.root, "config/espy/config.toml"), []byte(toml))
}

// write writes a file; a relative name lies in the workspace. It returns the absolute name.
func (w *world) write(name string, data []byte) string {
	w.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(w.work, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// script sets the world up on a model that plays a script.
func (w *world) script(toml string) {
	w.t.Helper()
	name := w.write(filepath.Join(w.root, "script.toml"), []byte(toml))
	w.configure(fmt.Sprintf("model = \"played/one\"\n\n[providers.played]\nprotocol = \"fake\"\nscript = %q\n\n"+
		"[[models]]\nid = \"played/one\"\nimage_input = \"supported\"\ncontext_window = 200000\n", name))
}

// program describes the program in a terminal of the usual size.
func (w *world) program(args ...string) terminal.Program {
	return terminal.Program{Args: append([]string{program(w.t)}, args...), Env: w.env, Dir: w.work, Cols: cols, Rows: rows}
}

// open starts the program in a terminal.
func (w *world) open(args ...string) *terminal.Terminal {
	w.t.Helper()
	return terminal.Start(w.t, w.program(args...))
}

// opened is open, waited for until a request can be typed.
func (w *world) opened(args ...string) *terminal.Terminal {
	w.t.Helper()
	term := w.open(args...)
	term.Until("the composer of an opened session", func(s terminal.Screen) bool { return s.Contains(ready) && !s.Contains("opening…") })
	return term
}

// result is what a run without a screen left.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the program without a screen, with nothing on standard input.
func (w *world) run(args ...string) result {
	w.t.Helper()
	return w.runWith("", args...)
}

func (w *world) runWith(stdin string, args ...string) result {
	w.t.Helper()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	timer := time.AfterFunc(runDeadline, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("espy %s did not run: %v", strings.Join(args, " "), err)
	}
	r := result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
	if r.code < 0 {
		w.t.Fatalf("espy %s did not end by itself\nstdout: %s\nstderr: %s", strings.Join(args, " "), r.stdout, r.stderr)
	}
	return r
}

func (w *world) command(args ...string) *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command(program(w.t), args...)
	cmd.Dir, cmd.Env = w.work, append(os.Environ(), w.env...)
	return cmd
}

// ask runs one turn that must go well and returns its answer.
func (w *world) ask(args ...string) string {
	w.t.Helper()
	r := w.run(append([]string{"run"}, args...)...)
	if r.code != 0 {
		w.t.Fatalf("espy run %s ended with %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// sessions are the folders of the sessions there are.
func (w *world) sessions() []string {
	found, _ := filepath.Glob(filepath.Join(w.root, "state/espy/sessions/*/transcript.jsonl"))
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// session is the one session there is.
func (w *world) session() string {
	w.t.Helper()
	all := w.sessions()
	if len(all) != 1 {
		w.t.Fatalf("there are %d sessions, want one: %v", len(all), all)
	}
	return all[0]
}

// transcript is the log of the one session.
func (w *world) transcript() string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.session(), "transcript.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// everything is the name and the content of every file below a folder, for looking for what must not be there.
func everything(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
