//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard/sandbox"
	"espy/ui/terminal"
)

// connecting is what a script holds that connects to a listener of the test's, which lives as long as the test.
func connecting(t *testing.T) string {
	t.Helper()
	if missing := sandbox.Missing(); missing != "" {
		t.Skip(missing)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return "exec 3<>/dev/tcp/127.0.0.1/" + port + " && echo reached"
}

func TestCommandsOfTheProgramRunInTheSandboxUnlessItIsLeftOpenly(t *testing.T) {
	command := connecting(t)
	for _, c := range []struct {
		name    string
		config  string
		flags   []string
		outside bool
		want    string // what the result says
	}{
		{"as it comes", "", []string{"--allow", "shell"}, false, "the sandbox stopped this"},
		{"network allowed", "[permissions]\nnetwork = \"allow\"\n", []string{"--allow", "shell"}, false, "reached"},
		{"switched off", "[permissions]\nsandbox = \"off\"\n", []string{"--allow", "shell"}, false, "reached"},
		{"mode full", "", []string{"--mode", "full"}, false, "reached"},
		{"outside with a rule for the shell only", "", []string{"--allow", "shell"}, true, "outside the sandbox"},
		{"outside with a rule for outside", "", []string{"--allow", "shell_outside"}, true, "reached"},
	} {
		w := newWorld(t)
		w.configure(c.config)
		w.write("connect.sh", []byte(command+"\n"))
		w.run(append(append([]string{"run"}, c.flags...), fmt.Sprintf(`call shell {"command":"bash connect.sh","outside_sandbox":%t}`, c.outside))...)
		var results []string
		for _, line := range strings.Split(w.transcript(), "\n") {
			if strings.Contains(line, `"kind":"result"`) {
				results = append(results, line)
			}
		}
		if len(results) != 1 || !strings.Contains(results[0], c.want) {
			t.Errorf("%s: the result is %v, want it to say %q", c.name, results, c.want)
		}
	}
}

func TestTheProgramSaysWhetherCommandsRunInTheSandbox(t *testing.T) {
	command := connecting(t)
	w := newWorld(t)
	w.write("connect.sh", []byte(command+"\n"))
	if out := w.run("doctor").stdout; !strings.Contains(out, "sandbox        commands write only to") {
		t.Errorf("doctor says %s", out)
	}
	term := w.opened()
	term.Until("the status", func(s terminal.Screen) bool { return strings.Contains(composer(s), "sandboxed") })
	send(term, `call shell {"command":"bash connect.sh","outside_sandbox":true}`)
	term.WaitFor("shell: run this command outside the sandbox?")
	answer(t, term, "outside the sandbox?", "y")
	term.WaitFor("result of shell")
	send(term, "!touch "+filepath.Join(w.root, "typed")) // the person's own line is held by nothing
	term.WaitFor("exit code 0")
	if _, err := os.Stat(filepath.Join(w.root, "typed")); err != nil {
		t.Error(err)
	}
	quit(t, term)
	w.configure("[permissions]\nsandbox = \"off\"\n")
	term = w.opened()
	if s := term.WaitFor(" ask "); strings.Contains(composer(s), "sandboxed") {
		t.Errorf("without a sandbox the status says there is one:\n%s", s.Framed())
	}
	quit(t, term)
}
