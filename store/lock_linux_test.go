package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// openTimes counts how often this process has a file open.
func openTimes(path string) (n int) {
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && target == path {
			n++
		}
	}
	return n
}

func TestALockThatAProgramOfADeadHolderStillHasOpenIsWaitedFor(t *testing.T) {
	s := Open(t.TempDir())
	id, _, _ := logOf(t, s, "one")
	path := filepath.Join(s.Dir(id), lockName)
	held := flock.New(path)
	if taken, err := held.TryLock(); !taken || err != nil {
		t.Fatal(taken, err)
	}
	gone := exec.Command(os.Args[0], "-test.run", "^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, []byte(fmt.Sprintf(" %-10d\n", gone.Process.Pid)))
	released := make(chan error, 1)
	go func() { // the resume is under way once it has the file open too
		for opened := 0; opened < 2; {
			opened = openTimes(path)
		}
		released <- held.Close()
	}()
	session, _ := resume(t, s, id)
	closing(t, session)
	if err := <-released; err != nil {
		t.Error(err)
	}
}
