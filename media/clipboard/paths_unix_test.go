//go:build unix

package clipboard

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesAndDevicesAreNotFilesAndDoNotBlock(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "pipe.png")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no FIFO here:", err)
	}
	for _, name := range []string{fifo, "/dev/zero", "/dev/stdin", fifo + "/x.png"} {
		if got := ParsePaths(name, Disk{}); got != nil {
			t.Errorf("%s was taken for a file: %v", name, got)
		}
	}
	if _, err := openRegular(fifo); err == nil {
		t.Error("a FIFO was opened")
	}
}
