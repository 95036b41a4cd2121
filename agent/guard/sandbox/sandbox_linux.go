package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// itself is the running program, also after its file was replaced by a newer version.
const itself = "/proc/self/exe"

// Missing says what this system lacks for a sandbox, in a sentence; "" where it has everything.
func Missing() string {
	if _, known := auditArch(); !known {
		return "no sandbox is known for Linux on " + runtime.GOARCH
	}
	if version := landlockVersion(); version < leastLandlock {
		return fmt.Sprintf("the kernel offers no Landlock of version %d or later (found %d); Linux 5.19 and later have it unless it is switched off", leastLandlock, version)
	}
	if !filtersCalls() {
		return "the kernel does not filter system calls (seccomp)"
	}
	return ""
}

func encode(o order) (string, error) {
	text, err := json.Marshal(o)
	return string(text), err
}

// Serve is the helper: where the program was started as such it confines itself, becomes the command and does not
// return. Otherwise it does nothing.
func Serve() {
	if len(os.Args) == 2 && os.Args[1] == makerArgument {
		serveSpaces()
	}
	if len(os.Args) == 4 && os.Args[1] == trialArgument {
		serveTrial(os.Args[2], os.Args[3])
	}
	if len(os.Args) < 5 || os.Args[1] != helperArgument {
		return
	}
	err := serve(os.Args[2], os.Args[3:])
	fmt.Fprintln(os.Stderr, "espy: the sandbox stopped the command before it began:", err)
	os.Exit(exitNotConfined)
}

// serve does what an order says to the program at args[0] with the arguments args[1:]. It returns only where that
// failed.
func serve(text string, args []string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("its policy cannot be read: %w", err)
	}
	if o.Spaces == 0 || o.Inside {
		return o.become(args[0], args[1:])
	}
	child, err := enter(o, args)
	if err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	mirror(child)
	return nil
}

// become puts a policy on and replaces the program. What is put on holds for one thread, which is the one that
// goes on as the command.
func (o order) become(path string, args []string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if o.Inside {
		if err := changeView(o.Policy, o.Shelter); err != nil {
			return err
		}
	}
	if err := dropPowers(o.Inside); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := confineFiles(o.Policy); err != nil {
		return fmt.Errorf("rules for files (Landlock): %w", err)
	}
	switch {
	case o.Inside && !o.Network:
		if err := closeNetwork(unix.AF_INET, unix.AF_INET6); err != nil {
			return fmt.Errorf("filter of system calls (seccomp): %w", err)
		}
	case !o.Network:
		if err := closeNetwork(); err != nil {
			return fmt.Errorf("filter of system calls (seccomp): %w", err)
		}
	}
	if err := endWith(o.Parent); err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}

// endWith has the kernel kill what this thread becomes when its parent ends. Whoever started this process may have
// wished for that already; but the wish is a thread's own, and entering a user namespace takes it back.
func endWith(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("ending with its parent: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("whoever wanted it has ended")
	}
	return nil
}

// powers are what root could use to get round the restrictions: other processes' memory, devices, mounts, modules.
var powers = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_SYS_PTRACE, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT,
	unix.CAP_DAC_READ_SEARCH, unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_SYSLOG, unix.CAP_NET_ADMIN, unix.CAP_MKNOD,
}

// dropPowers keeps them from what the program becomes. Who may not drop them has none to drop; one that the
// kernel does not know is not there. Who has the right to mount in a
// namespace of its own lays that down as well; root keeps what it has over its own files.
func dropPowers(inside bool) error {
	for _, power := range powers {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, power, 0, 0, 0)
		if errors.Is(err, unix.EPERM) {
			break
		}
		if err != nil && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	if !inside {
		return nil
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var rights [2]unix.CapUserData
	if err := unix.Capget(&header, &rights[0]); err != nil {
		return err
	}
	for _, power := range powers {
		rights[power/32].Permitted &^= 1 << (power % 32)
	}
	for i := range rights {
		rights[i].Effective, rights[i].Inheritable = rights[i].Permitted, 0
	}
	return unix.Capset(&header, &rights[0])
}
