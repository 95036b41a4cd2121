package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// Confine makes a prepared command run under a policy. The program's main must call Serve.
func Confine(cmd *exec.Cmd, p Policy) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	cmd.Args = append([]string{cmd.Args[0], helperArgument, string(text), cmd.Path}, cmd.Args...)
	cmd.Path = itself
	return nil
}

// Serve is the helper: where the program was started as such it confines itself, becomes the command and does not
// return. Otherwise it does nothing.
func Serve() {
	if len(os.Args) < 5 || os.Args[1] != helperArgument {
		return
	}
	err := become(os.Args[2], os.Args[3], os.Args[4:])
	fmt.Fprintln(os.Stderr, "espy: the sandbox stopped the command before it began:", err)
	os.Exit(exitNotConfined)
}

// become puts a policy on and replaces the program. What is put on holds for one thread, which is the one that
// goes on as the command.
func become(policy, path string, args []string) error {
	var p Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return fmt.Errorf("its policy cannot be read: %w", err)
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropPowers(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := confineFiles(p); err != nil {
		return fmt.Errorf("rules for files (Landlock): %w", err)
	}
	if !p.Network {
		if err := closeNetwork(); err != nil {
			return fmt.Errorf("filter of system calls (seccomp): %w", err)
		}
	}
	return syscall.Exec(path, args, os.Environ())
}

// powers are what root could use to get round the restrictions: other processes' memory, devices, mounts, modules.
var powers = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_SYS_PTRACE, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT,
	unix.CAP_DAC_READ_SEARCH, unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_SYSLOG, unix.CAP_NET_ADMIN, unix.CAP_MKNOD,
}

// dropPowers keeps them from what the program becomes. Who may not drop them has none to drop; one that the
// kernel does not know is not there.
func dropPowers() error {
	for _, power := range powers {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, power, 0, 0, 0)
		if errors.Is(err, unix.EPERM) {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	return nil
}
