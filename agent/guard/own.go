package guard

import (
	"os"
	"path/filepath"
	"strings"
)

// OpenOwn opens a file the person named themselves (/attach, paste, drop, --attach): anywhere they can read,
// except credential files; regular files only, never blocking. Relative names are relative to the folder
// espy was started in, "~/" is the home folder.
func OpenOwn(name string, secrets *Secrets) (*os.File, Path, error) {
	if name == "" || strings.ContainsRune(name, 0) || len(name) > maxNameBytes {
		return nil, Path{}, Refuse(FaultMissing, name)
	}
	abs, err := filepath.Abs(secrets.expandHome(name))
	if err != nil {
		return nil, Path{}, refuseSystem(name, err)
	}
	for range maxOpenAttempts {
		f, physical, err := openOwn(name, abs, secrets)
		if err != nil {
			return nil, Path{}, err
		}
		if f != nil {
			return f, Path{Abs: physical, Display: name}, nil
		}
	}
	return nil, Path{}, changing(name, nil)
}

// openOwn makes one attempt; a nil file without an error says that the name changed meanwhile.
func openOwn(name, abs string, secrets *Secrets) (*os.File, string, error) {
	physical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, "", refuseSystem(name, err)
	}
	if secrets.named(abs) || secrets.named(physical) {
		return nil, "", Refuse(FaultCredential, name)
	}
	if kernelPath(physical) {
		return nil, "", Refuse(FaultSpecial, name)
	}
	before, err := os.Lstat(physical)
	if err != nil {
		return nil, "", refuseSystem(name, err)
	}
	if err := wantFile(place{info: before}, name); err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(physical, openFlags, 0)
	if err != nil {
		return nil, "", refuseSystem(name, err)
	}
	info, err := f.Stat()
	again, linkErr := filepath.EvalSymlinks(abs)
	switch {
	case err != nil:
		_ = f.Close()
		return nil, "", refuseSystem(name, err)
	case linkErr != nil || again != physical || !os.SameFile(before, info):
		_ = f.Close()
		return nil, "", nil
	case secrets.known(f, info, physical):
		_ = f.Close()
		return nil, "", Refuse(FaultCredential, name)
	}
	return f, physical, nil
}
