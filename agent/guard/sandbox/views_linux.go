package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// pseudoTerminals is where the kernel shows terminals, each a device that its owner may read and write.
const pseudoTerminals = "/dev/pts"

// changeView gives this thread, and what it becomes, a view of the files in which those to keep cannot be changed,
// those that are shut are an unreadable file, and terminals are only those it makes. It needs the right to mount and must come before Landlock, which
// takes it away for good. What is not there, or no longer, is left out.
func changeView(p Policy, shelter string) error {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("a view of the files of its own: %w", err)
	}
	// Nothing of this leaves: in a namespace of other users every mount only follows the one it was copied from.
	if err := ownTerminals(); err != nil {
		return err
	}
	// Something is mounted on the folders around what is kept too, so that they cannot be moved away to make room
	// for others.
	for _, folder := range parentsOf(p.Keep) {
		if err := cover(folder, folder, false); err != nil {
			return err
		}
	}
	for _, name := range p.Keep {
		if err := cover(name, name, true); err != nil {
			return err
		}
	}
	if len(p.Shut) == 0 {
		return nil
	}
	f, err := os.CreateTemp(shelter, "espy-shut-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // what was mounted stays
	if err := errors.Join(f.Chmod(0), f.Close()); err != nil {
		return err
	}
	for _, name := range p.Shut {
		if err := cover(f.Name(), name, true); err != nil {
			return err
		}
	}
	return nil
}

// ownTerminals puts an empty set of terminals over the user's: who reads one takes the keys typed there, and who writes
// to one speaks to the program that shows it, in espy's name. Programs still make terminals for others to run in.
func ownTerminals() error {
	if _, err := os.Lstat(pseudoTerminals); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// Where /dev/ptmx is a link to the one in the folder, everybody may open it, as the device itself.
	if err := unix.Mount("devpts", pseudoTerminals, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0600"); err != nil {
		return fmt.Errorf("terminals of its own: %w", err)
	}
	return nil
}

// cover mounts a file or folder over a name. Links are not followed.
func cover(what, at string, readOnly bool) error {
	err := coverAt(what, at, readOnly)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("covering %s: %w", at, err)
	}
	return nil
}

func coverAt(what, at string, readOnly bool) error {
	target, err := unix.Open(at, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	tree, err := unix.OpenTree(unix.AT_FDCWD, what, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if readOnly {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return err
		}
	}
	return unix.MoveMount(tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}
