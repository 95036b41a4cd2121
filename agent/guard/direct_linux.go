package guard

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openDirect is the short way for most names: below the workspace, without "..", and without any link, which
// the kernel itself makes sure of while it opens (openat2, Linux 5.6). done is false where the long way has
// to decide; it costs about a tenth of the long way, which counts when thousands of files are searched.
func (r *Roots) openDirect(name string) (f *os.File, p Path, done bool) {
	rel, folder, ok := r.directName(name)
	if !ok {
		return nil, Path{}, false
	}
	p = Path{Abs: filepath.Join(r.physical, rel), Display: filepath.ToSlash(rel)}
	if r.judge(place{path: p}, name, filepath.Clean(r.absolute(name)), forReading) != nil || r.inBlobs(p.Abs) {
		return nil, Path{}, false // the long way words the refusal
	}
	if f = openBeneath(folder, rel, p.Abs); f == nil {
		return nil, Path{}, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || r.secrets.known(f, info, p.Abs) {
		_ = f.Close()
		return nil, Path{}, false
	}
	return f, p, true
}

// directName returns a name relative to the workspace and the workspace's own handle.
func (r *Roots) directName(name string) (rel string, folder *os.File, ok bool) {
	if name == "" || len(name) > maxNameBytes || strings.ContainsRune(name, 0) {
		return "", nil, false
	}
	abs := r.absolute(name)
	for _, element := range strings.Split(abs, "/") {
		if element == ".." {
			return "", nil, false
		}
	}
	if abs = filepath.Clean(abs); !strings.HasPrefix(abs, "/") {
		return "", nil, false
	}
	if rel, ok = relativeTo(r.physical, abs); !ok {
		rel, ok = relativeTo(r.workspace, abs)
	}
	if !ok || rel == "." {
		return "", nil, false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.list) == 0 || r.list[0].folder == nil {
		return "", nil, false
	}
	return rel, r.list[0].folder, true
}

// openBeneath opens a regular file below a folder, following no link. The name is looked at first without
// opening it, so that nothing happens to a FIFO or a device.
func openBeneath(folder *os.File, rel, abs string) (f *os.File) {
	conn, err := folder.SyscallConn()
	if err != nil {
		return nil
	}
	_ = conn.Control(func(dir uintptr) {
		var before, after unix.Stat_t
		look, err := beneath(int(dir), rel, unix.O_PATH)
		if err != nil {
			return
		}
		err = unix.Fstat(look, &before)
		_ = unix.Close(look)
		if err != nil || before.Mode&unix.S_IFMT != unix.S_IFREG {
			return
		}
		fd, err := beneath(int(dir), rel, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
		if err != nil {
			return
		}
		if unix.Fstat(fd, &after) != nil || after.Dev != before.Dev || after.Ino != before.Ino {
			_ = unix.Close(fd)
			return
		}
		f = os.NewFile(uintptr(fd), abs)
	})
	return f
}

func beneath(dir int, rel string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(dir, rel, &how)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// openFolder opens a root's folder once more, for openDirect.
func openFolder(handle *os.Root) *os.File {
	f, err := handle.Open(".")
	if err != nil {
		return nil
	}
	return f
}
