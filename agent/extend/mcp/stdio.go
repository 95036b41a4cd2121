package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/guard"
)

// usualVariables are what every program gets; anything else is named in the settings.
var usualVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", // a browser that shows its window
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"SystemRoot", "SystemDrive", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "COMSPEC", "PATHEXT", "TEMP", "TMP", "HOMEDRIVE", "HOMEPATH",
}

// program is a server that runs as a program, in a session of its own, spoken to over its pipes.
type program struct {
	name   string
	cmd    *exec.Cmd
	input  *os.File // espy's ends
	output *os.File
	log    *os.File
	sieve  *sieve
	said   *tail         // the end of what it printed beside messages
	died   chan struct{} // closed when it has ended
	exited chan struct{} // closed when nothing of its group is left either, and all it said was read
	reads  sync.WaitGroup
}

// launch starts the program.
func (s *server) launch(ctx context.Context) (*program, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	dir := s.opt.Workspace
	if s.config.Cwd != "" {
		if dir = s.config.Cwd; !filepath.IsAbs(dir) {
			dir = filepath.Join(s.opt.Workspace, dir)
		}
	}
	cmd, err := guard.DirectCommand(context.WithoutCancel(ctx), s.config.Command, dir, env) // close ends it, in order
	if err != nil {
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	p := &program{name: s.config.Command[0], cmd: cmd, said: &tail{limit: mostRemembered}, died: make(chan struct{}), exited: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	s.opt.Left.Started(cmd.Process)
	return p, nil
}

// environment is what the program gets.
func (s *server) environment() ([]string, error) {
	var env []string
	set := func(name, value string) {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, name+"="+value)
	}
	for _, e := range s.opt.Environ {
		if name, _, _ := strings.Cut(e, "="); slices.Contains(usualVariables, name) {
			env = append(env, e)
		}
	}
	for _, name := range s.config.Pass {
		value, err := s.variable(name)
		if err != nil {
			return nil, err
		}
		set(name, value)
	}
	for name, template := range s.config.Env {
		value, err := s.expand(template)
		if err != nil {
			return nil, err
		}
		set(name, value)
	}
	return env, nil
}

func (p *program) start() (err error) {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
		if err != nil {
			for _, f := range []*os.File{p.input, p.output, p.log} {
				if f != nil {
					_ = f.Close()
				}
			}
		}
	}()
	pipe := func(ours **os.File, reads bool) *os.File {
		if err != nil {
			return nil
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return nil
		}
		if reads {
			r, w = w, r
		}
		*ours = w
		theirs = append(theirs, r)
		return r
	}
	in, out, log := pipe(&p.input, false), pipe(&p.output, true), pipe(&p.log, true)
	if err != nil {
		return err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, log
	if err = p.cmd.Start(); err != nil {
		return err
	}
	p.sieve = newSieve(p.output, p.said.line)
	p.reads.Go(func() { _, _ = io.Copy(p.said, p.log) })
	go p.wait()
	return nil
}

// wait collects the program when it ends, with whatever it left running, and lets go of its pipes. What it said last
// is read before that.
func (p *program) wait() {
	defer close(p.exited)
	_ = p.cmd.Wait()
	close(p.died)
	_ = p.cmd.Cancel() // the rest of its group
	late := time.AfterFunc(inputGrace, func() { _ = p.log.Close() })
	p.reads.Wait()
	late.Stop()
	_ = p.log.Close()
	select {
	case <-p.sieve.drained:
	case <-time.After(inputGrace):
	}
	_ = p.output.Close()
	_ = p.input.Close()
}

func (p *program) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: io.NopCloser(p.sieve), Writer: p.input, MaxLineLength: mostMessage + 1<<20}
}

func (p *program) cut() {
	_ = p.input.Close()
	_ = p.cmd.Cancel()
	_ = p.output.Close()
}

// close closes the program's input, which asks it to end, and ends it where it does not.
func (p *program) close(end func()) {
	_ = p.input.Close()
	select {
	case <-p.exited:
	case <-time.After(inputGrace):
		_ = p.cmd.Cancel()
		<-p.exited
	}
	end()
}

// because says how the program ended, and its last words.
func (p *program) because(err error) error {
	if fault := p.sieve.fault(); fault != nil && !errors.Is(fault, os.ErrClosed) {
		err = fault
	} else if p.dead() {
		err = fmt.Errorf("%s ended (%s)", p.name, p.cmd.ProcessState)
	}
	if words := strings.TrimSpace(p.said.text()); words != "" {
		return fmt.Errorf("%w; it printed: %s", err, words)
	}
	return err
}

// dead reports whether the program has ended, or does in a moment: a program that ends in the middle of an exchange is
// seen to end a little later.
func (p *program) dead() bool {
	grace := inputGrace
	select {
	case <-p.sieve.drained: // it closed its output
		grace = endGrace
	default:
	}
	select {
	case <-p.died:
		<-p.exited
		return true
	case <-time.After(grace):
		return false
	}
}

// tail keeps the end of what is written to it. It is safe for use from several goroutines.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	limit int
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(len(b)-t.limit, 0):]...)
	t.kept = t.kept[max(len(t.kept)-t.limit, 0):]
	return len(b), nil
}

// line keeps a line.
func (t *tail) line(b []byte) { _, _ = t.Write(append(slices.Clip(b), '\n')) }

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.kept), "")
}
