package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	Serve()
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else every helper takes a second to end where races are looked for
	os.Exit(m.Run())
}

// world is a folder that may be written and one that may not, with a hidden folder beside a readable one.
type world struct {
	t                           *testing.T
	work, outside, hidden, open string
	keep, shut                  []string
	box                         *Box
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if missing := Missing(); missing != "" {
		t.Skip(missing)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	box := &Box{}
	t.Cleanup(func() { box.Close() })
	w := &world{t: t, box: box, work: filepath.Join(top, "work"), outside: filepath.Join(top, "home"), hidden: filepath.Join(top, "home", ".ssh"), open: filepath.Join(top, "home", "docs")}
	for _, dir := range []string{w.work, w.hidden, w.open} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("words of "+filepath.Base(dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// run runs a command with the folders as variables and returns what it printed.
func (w *world) run(command string, network bool) (string, error) {
	w.t.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", command)
	cmd.Dir = w.work
	cmd.Env = append(os.Environ(), "WORK="+w.work, "OUT="+w.outside, "HIDDEN="+w.hidden, "OPEN="+w.open)
	if err := w.box.Confine(cmd, Policy{Write: []string{w.work, filepath.Join(w.work, "not-there")}, Hide: []string{w.hidden}, Network: network, Keep: w.keep, Shut: w.shut}); err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestACommandWritesOnlyWhereItMay(t *testing.T) {
	w := newWorld(t)
	for _, command := range []string{
		"echo x > new && cat new", "mkdir -p a/b && mv file a/b/file && mv a/b/file file", "ln file hard && rm hard", "ln -s file soft && rm soft",
		"echo x > /dev/null", "truncate -s 3 new", "cat $OPEN/file", "cat $OUT/docs/file; ls $OUT", "chmod +x new", "cp /bin/true mine && ./mine", "(echo x | cat) && test -d /",
		"echo y > >(cat)", "cat /proc/self/status > /dev/null", "true 2> /dev/stderr",
	} {
		if out, err := w.run(command, false); err != nil {
			t.Errorf("%s ends with %v: %s", command, err, out)
		}
	}
	for _, command := range []string{
		"echo x > $OUT/new", "echo x >> $OPEN/file", "rm $OPEN/file", "mv $OPEN/file .", "mkdir $OUT/folder", "ln -s /etc $OUT/link", "ln $OPEN/file hard2 && echo x > hard2",
		"ln -s $OUT out && echo x > out/new", "truncate -s 0 $OPEN/file", ": > $OPEN/file", "mkfifo $OUT/pipe", "rmdir $OPEN", "bash -c 'echo x > $OUT/new'",
		"cp file ../new", "cd .. && echo x > here", "dd if=/dev/zero of=$OPEN/file bs=1 count=1",
	} {
		if out, err := w.run(command, false); err == nil {
			t.Errorf("%s went through: %s", command, out)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(w.open, "file")); string(got) != "words of docs" {
		t.Errorf("the file outside holds %q now", got)
	}
	if entries, _ := os.ReadDir(w.outside); len(entries) != 2 {
		t.Errorf("the folder outside holds %v now", entries)
	}
}

func TestACommandDoesNotReadWhatIsHidden(t *testing.T) {
	w := newWorld(t)
	for _, command := range []string{"cat $HIDDEN/file", "ln -s $HIDDEN h; cat h/file", "cat < $HIDDEN/file", "cp $HIDDEN/file .", "cd $HIDDEN && cat file",
		"cat /proc/self/root$HIDDEN/file", "cat /proc/" + strconv.Itoa(os.Getpid()) + "/environ", "cat /proc/" + strconv.Itoa(os.Getpid()) + "/root$HIDDEN/file"} {
		if out, err := w.run(command, false); err == nil || strings.Contains(out, "words of .ssh") {
			t.Errorf("%s went through: %s", command, out)
		}
	}
	if out, err := w.run("cat $OPEN/file /etc/passwd", false); err != nil || !strings.Contains(out, "words of docs") {
		t.Errorf("what is not hidden cannot be read: %v %s", err, out)
	}
}

func TestACommandReachesANetworkOnlyWhereItMay(t *testing.T) {
	w := newWorld(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	address := "/dev/tcp/" + strings.Replace(listener.Addr().String(), ":", "/", 1)
	if out, err := w.run("exec 3<>"+address, false); err == nil {
		t.Errorf("a connection was made: %s", out)
	}
	if out, err := w.run("exec 3<>"+address, true); err != nil {
		t.Errorf("no connection although it may: %v %s", err, out)
	}
	if out, err := w.run("exec 3<>"+address+" || true; echo x > $OUT/new", true); err == nil {
		t.Errorf("with the network the files are open: %s", out)
	}
}

func TestExitCodeAndArgumentsAreTheCommandsOwn(t *testing.T) {
	w := newWorld(t)
	out, err := w.run(`printf '%s|' "$0" a\ b; exit 7`, false)
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 7 || out != "bash|a b|" {
		t.Errorf("got %q, %v", out, err)
	}
	cmd := exec.Command("bash", "-c", "exit 0")
	if err := w.box.Confine(cmd, Policy{}); err != nil {
		t.Fatal(err)
	}
	cmd.Args[2] = "no policy"
	if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), "before it began") {
		t.Errorf("without a policy the command ran: %s %v", text, err)
	}
}

func BenchmarkAConfinedCommand(b *testing.B) {
	var box Box
	defer box.Close()
	for b.Loop() {
		cmd := exec.Command("/bin/true")
		if err := box.Confine(cmd, Policy{Write: []string{os.TempDir()}, Hide: []string{"/root/.ssh"}}); err != nil {
			b.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
	}
}
