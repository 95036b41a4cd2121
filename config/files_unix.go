//go:build unix

package config

import (
	"fmt"
	"os"
	"syscall"
)

// syncDir makes the names of a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closing := d.Close(); err == nil {
		err = closing
	}
	return err
}

// identify returns the device and the inode of a path, which a file or folder keeps when it is renamed and does
// not share with one put in its place.
func identify(path string) (device, inode uint64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("%s has no inode", path)
	}
	return uint64(stat.Dev), uint64(stat.Ino), nil
}
