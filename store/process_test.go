package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The test binary is also the second process of these tests: roleVar names what it is to do.
const roleVar = "ESPY_STORE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := play(role, strings.Split(os.Getenv(roleVar+"_ARGS"), "\n")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play does what a child process is for. It prints a line when it is ready and works on when it reads one.
func play(role string, args []string) error {
	ctx := context.Background()
	switch role {
	case "hold": // state, id: hold the session until standard input ends
		session, _, err := Open(args[0]).Resume(ctx, args[1])
		if err != nil {
			return err
		}
		return holdAndWait(session)
	case "draft": // state: store a draft, then wait to be killed
		session, err := Open(args[0]).Create(ctx, "/work", "1.0")
		if err != nil {
			return err
		}
		ref, err := session.Draft().PutBlob(ctx, "png", strings.NewReader("unsent"))
		if err != nil {
			return err
		}
		if err := session.Draft().Save([]byte(`{"text":"half a thought","row":["` + ref + `"]}`)); err != nil {
			return err
		}
		fmt.Println(session.ID())
		waitForInput()
	case "history": // state, name, count
		count, _ := strconv.Atoi(args[2])
		fmt.Println("ready")
		waitForInput()
		for i := range count {
			if err := OpenHistory(args[0]).Add(ctx, HistoryEntry{Text: fmt.Sprint(args[1], i), Folder: "/work"}); err != nil {
				return err
			}
		}
	case "small": // state: write until the file-size limit is met
		return playSmall(args[0])
	}
	return nil
}

func holdAndWait(session *Session) error {
	if err := session.Append(prompt("from the child")); err != nil {
		return err
	}
	fmt.Println("ready")
	waitForInput()
	return session.Close()
}

func waitForInput() { bufio.NewReader(os.Stdin).ReadString('\n') }

// child is a second process.
type child struct {
	*exec.Cmd
	in  interface{ Close() error }
	out *bufio.Reader
}

// startChild starts a child and returns the first line it prints.
func startChild(t *testing.T, role string, args ...string) (*child, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, roleVar+"_ARGS="+strings.Join(args, "\n"))
	cmd.Stderr = os.Stderr
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
	c := &child{cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	first, _ := c.out.ReadString('\n')
	return c, strings.TrimSpace(first)
}

// finish lets the child work on and waits for its end.
func (c *child) finish(t *testing.T) {
	t.Helper()
	c.in.Close()
	rest, _ := c.out.ReadString(0)
	if err := c.Wait(); err != nil {
		t.Errorf("the child failed: %v: %s", err, rest)
	}
}

func TestTwoProcessesNeverWriteOneSession(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	id, _, _ := logOf(t, s, "one")
	holder, ready := startChild(t, "hold", state, id)
	if ready != "ready" {
		t.Fatal(ready)
	}
	_, _, err := s.Resume(context.Background(), id)
	inUse, ok := err.(*InUseError)
	if !ok || inUse.PID != holder.Process.Pid {
		t.Fatalf("the holder is process %d, the answer %v", holder.Process.Pid, err)
	}
	if loaded, err := s.Read(context.Background(), id); err != nil || len(texts(loaded)) != 2 {
		t.Errorf("reading beside the holder: %v, %v", texts(loaded), err)
	}
	holder.finish(t)
	session, loaded := resume(t, s, id)
	defer closing(t, session)
	if len(texts(loaded)) != 2 || loaded.Damaged != 0 {
		t.Errorf("after it ended: %v", texts(loaded))
	}
}

func TestAKilledHolderLeavesNoLock(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	id, _, _ := logOf(t, s, "one")
	holder, ready := startChild(t, "hold", state, id)
	if ready != "ready" {
		t.Fatal(ready)
	}
	holder.Process.Kill()
	holder.Wait()
	session, _ := resume(t, s, id)
	closing(t, session)
}

func TestADraftOutlivesAKilledProcess(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	holder, id := startChild(t, "draft", state)
	holder.Process.Kill()
	holder.Wait()
	list, err := s.List(context.Background(), "/work", 0)
	if err != nil || len(list) != 1 || list[0].ID != id || list[0].Title != untitled {
		t.Fatalf("the list is %v, %v", list, err)
	}
	session, loaded := resume(t, s, id)
	defer closing(t, session)
	saved, err := session.Draft().Load()
	if err != nil || !strings.Contains(string(saved), "half a thought") || len(loaded.Records) != 0 {
		t.Errorf("the draft is %s, %v", saved, err)
	}
	ref, ok := session.FindBlob("blob:" + hashOf("unsent")[:12])
	if !ok || content(t, session, ref) != "unsent" {
		t.Errorf("its picture is %q, %v", ref, ok)
	}
	if session.Folder() != "/work" {
		t.Errorf("its folder is %q", session.Folder())
	}
}

func TestManyProcessesAddToHistoryAndNoneLosesAnEntry(t *testing.T) {
	state := t.TempDir()
	const each, processes = 150, 4
	var children []*child
	for i := range processes {
		c, _ := startChild(t, "history", state, fmt.Sprint("p", i, "-"), fmt.Sprint(each))
		children = append(children, c)
	}
	for _, c := range children {
		c.in.Close()
	}
	for _, c := range children {
		c.finish(t)
	}
	entries, err := OpenHistory(state).Entries("/work", 0)
	if err != nil || len(entries) != each*processes {
		t.Fatalf("%d entries of %d, %v", len(entries), each*processes, err)
	}
	next := map[string]int{}
	for i := len(entries) - 1; i >= 0; i-- {
		name, number, _ := strings.Cut(entries[i].Text, "-")
		if number != strconv.Itoa(next[name]) {
			t.Fatalf("process %s: entry %s where %d is next", name, number, next[name])
		}
		next[name]++
	}
}
