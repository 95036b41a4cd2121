//go:build unix

package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// openFlags keep an open from waiting: a FIFO swapped in after the check opens at once and is refused then.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// kernelPath reports names whose files are made up by the kernel: they look regular and are not.
func kernelPath(abs string) bool {
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if within(dir, abs) {
			return !within("/dev/shm", abs)
		}
	}
	return false
}

// hardLinked reports whether a file may have a second name.
func hardLinked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink > 1
}

// keepOwner gives a file that replaces another its owner, where that is possible and needed.
func keepOwner(f *os.File, old fs.FileInfo) {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if now, err := f.Stat(); err == nil {
		if mine, ok := now.Sys().(*syscall.Stat_t); ok && mine.Uid == st.Uid && mine.Gid == st.Gid {
			return
		}
	}
	_ = f.Chown(int(st.Uid), int(st.Gid)) // only a privileged user may; the content matters more
}

// syncFolder makes a rename last through a crash.
func syncFolder(dir *os.Root) {
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	_ = f.Sync() // some file systems cannot; the rename has happened all the same
	_ = f.Close()
}

func splitName(abs string) (volume string, elements []string) {
	return string(filepath.Separator), strings.Split(abs, string(filepath.Separator))
}
