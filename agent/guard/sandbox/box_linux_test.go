package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// newBoxWorld is a world in which namespaces can be had.
func newBoxWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	if f := w.box.Features(); !f.Loopback || !f.Files {
		t.Skip(f.Why)
	}
	return w
}

// repository makes a repository's folder in the workspace, whose hooks and settings are kept, and an .env that is shut.
func (w *world) repository() {
	w.t.Helper()
	for name, text := range map[string]string{".git/hooks/pre-commit": "#!/bin/sh\n", ".git/config": "[core]\n", ".git/HEAD": "ref: refs/heads/main\n", "sub/.env": "KEY=words of env\n"} {
		at := filepath.Join(w.work, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	w.keep = []string{filepath.Join(w.work, ".git", "hooks"), filepath.Join(w.work, ".git", "config"), filepath.Join(w.work, ".git", "not-there")}
	w.shut = []string{filepath.Join(w.work, "sub", ".env"), filepath.Join(w.work, "sub", ".env.not-there")}
}

func TestWhatListensInOneCommandIsReachedFromTheNext(t *testing.T) {
	w := newBoxWorld(t)
	server := `exec 2>&1; python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
open("port", "w").write(str(s.getsockname()[1]))
c, _ = s.accept(); c.sendall(b"hello"); c.close()' >out`
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3, which listens here")
	}
	done := make(chan string)
	go func() {
		out, err := w.run(server, false)
		done <- fmt.Sprint(out, err)
	}()
	port := ""
	for deadline := time.Now().Add(30 * time.Second); port == ""; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(w.work, "port"))
		port = string(text)
		if time.Now().After(deadline) {
			t.Fatal("nothing ever listened")
		}
	}
	if _, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
		t.Error("it is reached from outside")
	}
	if out, err := w.run("cat < /dev/tcp/127.0.0.1/"+port, false); err != nil || out != "hello" {
		t.Errorf("it is not reached: %q %v", out, err)
	}
	if out := <-done; out != "<nil>" {
		t.Errorf("the server ends with %s", out)
	}
}

func TestTheNetworkOfItsOwnLeadsNowhere(t *testing.T) {
	w := newBoxWorld(t)
	out, err := w.run("cat /proc/net/dev", false)
	if err != nil || strings.Count(out, ":") != 1 || !strings.Contains(out, "lo:") {
		t.Errorf("its interfaces are %s %v", out, err)
	}
	abstract, err := net.Listen("unix", "@espy-test-"+fmt.Sprint(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	for _, command := range []string{
		"exec 3<>/dev/tcp/192.0.2.1/80", // TEST-NET-1 (RFC 5737)
		"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0espy-test-" + fmt.Sprint(os.Getpid()) + "\")'",
		"python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'", // AF_VSOCK: the machine below a virtual one
		"python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
		"nsenter --net=/proc/" + fmt.Sprint(os.Getpid()) + "/ns/net true",
		"unshare -Urm umount -l /", "mount -t tmpfs none /mnt", "chroot / true 2>&1 && mount -t proc none /proc",
	} {
		if out, err := w.run(command, false); err == nil {
			t.Errorf("%s goes through: %s", command, out)
		}
	}
}

func TestWhatIsKeptIsNotChangedAndWhatIsShutIsNotRead(t *testing.T) {
	w := newBoxWorld(t)
	w.repository()
	for _, command := range []string{
		"echo x > .git/hooks/pre-commit", "echo x > .git/hooks/new", "rm .git/hooks/pre-commit", "mv .git/hooks .git/h", "rm -r .git/hooks", "chmod 777 .git/hooks/pre-commit",
		"echo x > .git/config", "mv .git/HEAD .git/config", "rm .git/config", "mv .git g", "umount .git/hooks", "mount -o remount,rw .git/hooks", "ln .git/hooks/pre-commit x",
		"cat sub/.env", "cat < sub/.env", "cp sub/.env x", "echo x > sub/.env", "rm sub/.env", "mv sub s && cat s/.env", "mv sub/.env e", "ln sub/.env e && cat e",
		"umount sub/.env", "unshare -Urm umount sub/.env", "cat /proc/" + fmt.Sprint(os.Getpid()) + "/cwd/../work/sub/.env; false",
	} {
		out, err := w.run(command, false)
		reads := strings.Contains(command, "cat") || strings.HasPrefix(command, "cp")
		if err == nil && !(reads && os.Geteuid() == 0) || strings.Contains(out, "words of env") { // to root it reads as empty
			t.Errorf("%s goes through: %s", command, out)
		}
		w.run("mv s sub", false)
	}
	for name, want := range map[string]string{".git/hooks/pre-commit": "#!/bin/sh\n", ".git/config": "[core]\n", "sub/.env": "KEY=words of env\n"} {
		if text, err := os.ReadFile(filepath.Join(w.work, name)); string(text) != want {
			t.Errorf("%s holds %q now: %v", name, text, err)
		}
	}
	for _, command := range []string{"cat .git/hooks/pre-commit .git/config", "echo x > .git/HEAD && mv .git/HEAD .git/H && mv .git/H .git/HEAD", "echo x > sub/other && mv sub/other other"} {
		if out, err := w.run(command, false); err != nil {
			t.Errorf("%s fails: %v %s", command, err, out)
		}
	}
	if entries, _ := filepath.Glob(filepath.Join(os.TempDir(), "espy-shut-*")); len(entries) > 0 {
		t.Errorf("%v lie about", entries)
	}
}

func TestACommandSeesNoTerminalButItsOwn(t *testing.T) {
	w := newBoxWorld(t)
	screen, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer terminal.Close()
	if err := os.WriteFile(filepath.Join(w.work, "own.py"), []byte(ownTerminal), 0o600); err != nil {
		t.Fatal(err)
	}
	name := terminal.Name()
	for _, command := range []string{"echo 1 > " + name, "head -c 0 < " + name, "head -c 0 < /proc/" + fmt.Sprint(os.Getpid()) + "/fd/" + fmt.Sprint(terminal.Fd())} {
		if out, err := w.run(command, false); err == nil {
			t.Errorf("%s goes through: %s", command, out)
		}
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3, which makes a terminal here")
	}
	if out, err := w.run("python3 own.py", false); err != nil || out != "hello" {
		t.Errorf("no terminal can be made: %v %s", err, out)
	}
}

// ownTerminal makes a terminal, writes into it and prints what arrived on the other side.
const ownTerminal = `
import os, pty
screen, terminal = pty.openpty()
name = os.ttyname(terminal)
os.close(os.open(name, os.O_RDWR | os.O_NOCTTY))
os.write(terminal, b"hello")
os.write(1, os.read(screen, 5))
`

func TestACommandInNamespacesHasNoRightsButRootsOverFiles(t *testing.T) {
	w := newBoxWorld(t)
	out, err := w.run("grep -E 'Cap(Inh|Amb|Eff)' /proc/self/status", false)
	if err != nil {
		t.Fatal(out, err)
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		rights, err := strconv.ParseUint(value, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if name != "CapEff" || os.Geteuid() != 0 {
			if rights != 0 {
				t.Errorf("%s is %x", name, rights)
			}
			continue
		}
		for _, power := range powers {
			if rights&(1<<power) != 0 {
				t.Errorf("root has the right %d", power)
			}
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if out, err := w.run("echo x > owned && chown 65534:65534 owned && cat owned && rm owned", false); err != nil {
		t.Errorf("root may not do with its own files what it may: %v %s", err, out)
	}
}

func TestACommandInNamespacesEndsAsItDoesOutside(t *testing.T) {
	w := newBoxWorld(t)
	for command, want := range map[string]string{
		"exit 0": "exit status 0", "exit 3": "exit status 3", "kill -TERM $$": "signal: terminated", "kill -KILL $$": "signal: killed", "kill -SEGV $$": "signal: segmentation fault",
		"kill -USR1 $$": "signal: user defined signal 1", "trap 'exit 5' TERM; kill -TERM 0; exit 6": "exit status 5",
	} {
		cmd := exec.Command("bash", "-c", command)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := w.box.Confine(cmd, Policy{Write: []string{w.work}}); err != nil {
			t.Fatal(err)
		}
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.String(); got != want {
			t.Errorf("%s ends as %s, want %s: %s", command, got, want, out)
		}
	}
}

func TestACommandInNamespacesEndsWithItsHelper(t *testing.T) {
	w := newBoxWorld(t)
	cmd := exec.Command("bash", "-c", "echo $$; exec sleep 1000")
	if err := w.box.Confine(cmd, Policy{Write: []string{w.work}}); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || pid == cmd.Process.Pid {
		t.Fatalf("%d runs below %d: %v", pid, cmd.Process.Pid, err)
	}
	cmd.Process.Kill()
	if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("it said more")
	} // the end of the pipe: nobody holds it any more
	cmd.Wait()
}

func TestTheOutputOfACommandEndsWhereItClosesIt(t *testing.T) {
	w := newBoxWorld(t)
	cmd := exec.Command("bash", "-c", "echo said; exec >&- 2>&-; read line; [ \"$line\" = go ]")
	if err := w.box.Confine(cmd, Policy{Write: []string{w.work}}); err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text [64]byte
	n, _ := out.Read(text[:])
	if m, err := out.Read(text[n:]); m != 0 || err == nil {
		t.Errorf("after %q comes %q", text[:n], text[n:n+m])
	}
	fmt.Fprintln(in, "go")
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestNothingIsConfinedAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.box.Close()
	if err := w.box.Confine(exec.Command("true"), Policy{}); err == nil {
		t.Error("a command was prepared in a box that is gone")
	}
}

// ordinaryVariable says that the tests run as an ordinary user already.
const ordinaryVariable = "ESPY_TEST_ORDINARY_USER"

func TestAllOfThisHoldsForAnOrdinaryUser(t *testing.T) {
	if os.Getenv(ordinaryVariable) != "" || os.Geteuid() != 0 {
		t.Skip("it is one")
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv, which makes an ordinary user of root")
	}
	newWorld(t)
	dir, err := os.MkdirTemp("", "espy-ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "tests"), binary, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o700),
			os.Chown(filepath.Join(dir, "tmp"), 65534, 65534), os.Chmod(dir, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", filepath.Join(dir, "tests"), "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), ordinaryVariable+"=1", "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestACommandWritesOnlyWhereItMay") {
		t.Errorf("%v:\n%s", err, out)
	}
}
