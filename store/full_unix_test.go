//go:build unix

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// playSmall appends records until a file-size limit stops it, as a full disk would, then lifts the limit and
// goes on. It prints what happened.
func playSmall(state string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	room := limit
	limit.Cur = 20_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	session, err := Open(state).Create(context.Background(), "/work", "1.0")
	if err != nil {
		return err
	}
	written, err := fill(session)
	var full *WriteError
	if !errors.As(err, &full) || !full.Full || !strings.Contains(err.Error(), session.Dir()) || strings.Contains(err.Error(), "\n") {
		return fmt.Errorf("a full disk is told as %v", err)
	}
	if _, err := session.PutBlob(context.Background(), "png", strings.NewReader(strings.Repeat("x", 50_000))); !errors.As(err, &full) || !full.Full {
		return fmt.Errorf("a blob without room is told as %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	if err := session.Append(prompt("room again")); err != nil {
		return err
	}
	fmt.Println(session.ID(), written)
	return session.Close()
}

// fill appends until there is no room, and returns how many prompts were taken.
func fill(session *Session) (int, error) {
	if err := session.Append(session.Opening(start())); err != nil {
		return 0, err
	}
	for i := range 10_000 {
		if err := session.Append(prompt(fmt.Sprint(i, strings.Repeat("x", 900)))); err != nil {
			return i, err
		}
	}
	return 0, errors.New("there is always room")
}

func checkFilled(t *testing.T, s *Store, id string, written int) {
	t.Helper()
	loaded, err := s.Read(context.Background(), id)
	if err != nil || loaded.Damaged != 0 || len(texts(loaded)) != written+1 || !slices.Contains(texts(loaded), "room again") {
		t.Errorf("%d of %d prompts, %d damaged, %v", len(texts(loaded)), written+1, loaded.Damaged, err)
	}
	session, _ := resume(t, s, id)
	defer closing(t, session)
	for _, dir := range []string{session.Dir(), filepath.Join(session.Dir(), blobsName)} {
		if left, _ := filepath.Glob(filepath.Join(dir, ".part-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestAFullDiskStopsARecordWholeAndWorkGoesOnOnceThereIsRoom(t *testing.T) {
	state := t.TempDir()
	c, line := startChild(t, "small", state)
	c.finish(t)
	var id string
	var written int
	if _, err := fmt.Sscan(line, &id, &written); err != nil || written == 0 {
		t.Fatalf("the child says %q", line)
	}
	checkFilled(t, Open(state), id, written)
}

func TestAFullFileSystemStopsARecordWholeToo(t *testing.T) {
	state := t.TempDir()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("mounting a small file system takes root on Linux")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", state).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	defer exec.Command("umount", state).Run()
	ballast := filepath.Join(state, "ballast")
	overwrite(t, ballast, make([]byte, 128<<10))
	s := Open(state)
	session, err := s.Create(context.Background(), "/work", "1.0")
	if err != nil {
		t.Fatal(err)
	}
	written, err := fill(session)
	var full *WriteError
	if !errors.As(err, &full) || !full.Full {
		t.Fatalf("a full disk is told as %v", err)
	}
	os.Remove(ballast)
	if err := session.Append(prompt("room again")); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	checkFilled(t, s, session.ID(), written)
}
