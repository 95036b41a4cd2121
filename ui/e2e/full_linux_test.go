package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"espy/ui/terminal"
)

// small is a file system of a few kilobytes at a folder.
func small(t *testing.T, dir string, size string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") == "true" && os.Getuid() == 0 {
			t.Fatalf("no small file system can be mounted: %v", err)
		}
		t.Skipf("no small file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestAFullDiskIsOneClearLineAndNothingIsLost(t *testing.T) {
	w := newWorld(t)
	state := filepath.Join(w.root, "state")
	small(t, state, "160k")
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	filler := filepath.Join(state, "filler")
	fill(t, filler)

	picture := w.write("shot.png", shot(t, 800, 600, 1))
	term.Paste(picture)
	s := says(term, "no room left")
	if !strings.Contains(strings.ReplaceAll(composer(s), "\n", ""), "shot.png") {
		t.Errorf("the dropped path is gone:\n%s", s.Framed())
	}
	term.Send("\x15")
	term.Paste(strings.Repeat("words ", 2000)) // more than the log's last page still takes
	term.WaitFor("› [pasted 12,000 characters]")
	send(term, "this must not be lost")
	s = term.Until("the text back and a line", func(s terminal.Screen) bool {
		return strings.Contains(composer(s), "this must not be lost") && strings.Contains(unwrapped(s), "no room left") && !s.Contains("esc interrupts")
	})
	if said := strings.Count(unwrapped(s), "✗ no room left"); said != 1 {
		t.Errorf("it is said %d times:\n%s", said, s.Framed())
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	term.Send(terminal.Enter)
	term.WaitFor("text: 12021 characters")
	quit(t, term)
	wellFormed(t, w)
	w.expect(0, "request: 5 messages", "", "run", "--resume", sessionID(w), "hello")
}

// fill writes until there is no room for another byte.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 4096; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

func TestALimitOnTheSizeOfFilesIsToldLikeAFullDiskAndCanBeLifted(t *testing.T) {
	w := newWorld(t)
	p := w.program()
	p.Args = []string{"bash", "-c", "ulimit -S -f 32; exec '" + p.Args[0] + "'"} // KiB
	term := terminal.Start(t, p)
	term.WaitFor(ready)
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.Paste(strings.Repeat("words ", 6000))
	term.WaitFor("› [pasted 36,000 characters]")
	send(term, "this must not be lost")
	term.Until("the text back and a line", func(s terminal.Screen) bool {
		return strings.Contains(composer(s), "this must not be lost") && strings.Contains(unwrapped(s), "✗ no room left") && !s.Contains("esc interrupts")
	})
	room := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(term.Pid(), unix.RLIMIT_FSIZE, &room, nil); err != nil {
		t.Fatal(err)
	}
	term.Send(terminal.Enter)
	term.WaitFor("text: 36021 characters")
	quit(t, term)
	wellFormed(t, w)
}
