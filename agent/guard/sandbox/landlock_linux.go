package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock, from the kernel's documentation (userspace-api/landlock): the second lets files move
// between folders, the third knows truncation, the sixth keeps abstract sockets apart.
const (
	leastLandlock     = 2
	landlockTruncates = 3
	landlockScopes    = 6
)

// Rights. Those to files also hold for a rule about one file.
const (
	readRight   = unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	deviceRights = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK // given nowhere
	fileRights   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// ruleset is a Landlock ruleset being filled.
type ruleset struct {
	fd      int
	handled uint64
	rules   int
}

// confineFiles lets this thread write only where the policy says and read everything but what it hides.
//
// Landlock opens; it cannot close a folder inside an open one. So a hidden folder is left out: every folder above
// it is opened entry by entry, all others whole. A file made meanwhile beside such entries cannot be read until
// the next command.
func confineFiles(p Policy) error {
	version := landlockVersion()
	attr := unix.LandlockRulesetAttr{Handled_access_fs: writeRights | deviceRights}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= landlockTruncates {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if len(p.Hide) > 0 {
		attr.Handled_access_fs |= readRight
	}
	if version >= landlockScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	rules := &ruleset{fd: int(fd), handled: attr.Handled_access_fs}
	defer unix.Close(rules.fd)
	for _, name := range slices.Concat(p.Write, alwaysWritten) {
		rules.open(name, rules.handled&^deviceRights)
	}
	if len(p.Hide) > 0 {
		if err := rules.openAround("/", p.Hide); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules.fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// open gives rights below a folder, or to one file. Where that fails, because it is not there, or lies on a file
// system that does not answer, it stays closed: rules only open.
func (r *ruleset) open(name string, rights uint64) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights & r.handled
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, _ = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
}

// openAround lets everything below a folder be read but what is hidden. Links are passed over: what they lead to
// is opened, or not, where it lies.
func (r *ruleset) openAround(dir string, hidden []string) error {
	below := slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(h, strings.TrimSuffix(dir, "/")+"/") })
	if !below {
		r.open(dir, readRight)
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // who may not list a folder gives nothing below it away, and gets nothing
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.Type()&os.ModeSymlink != 0 || slices.Contains(hidden, name) {
			continue
		}
		if r.rules++; r.rules > maxHidingRules {
			return fmt.Errorf("more than %d files and folders lie beside those that are hidden", maxHidingRules)
		}
		if !e.IsDir() {
			r.open(name, readRight)
		} else if err := r.openAround(name, hidden); err != nil {
			return err
		}
	}
	return nil
}
