package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (linux/seccomp.h); an argument's low half comes first on little-endian machines.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetFirst  = 16
)

// x32Calls is where the numbers of amd64's second, 32-bit table begin (__X32_SYSCALL_BIT).
const x32Calls = 0x40000000

// auditArch is what the kernel calls this machine; known is false where no filter was written for it.
func auditArch() (arch uint32, known bool) {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64, true
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64, true
	}
	return 0, false
}

// filtersCalls reports whether the kernel takes filters that answer with an error.
func filtersCalls() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}

// networkFilter lets sockets be made only within the machine (Unix and netlink) and of the families named, and refuses
// io_uring, which makes sockets without the call that is filtered. Calls of another machine's table end the
// process: their numbers mean something else.
func networkFilter(arch uint32, families ...uint32) []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		least = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	families = append([]uint32{unix.AF_UNIX, unix.AF_NETLINK}, families...)
	refuse := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	n := uint8(len(families)) // instructions between the look at a family and the refusal
	filter := []unix.SockFilter{
		{Code: load, K: offsetArch},
		{Code: equal, K: arch, Jt: 1},
		{Code: ret, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: offsetNumber},
		{Code: least, K: x32Calls, Jt: n + 3},                // to refuse
		{Code: equal, K: unix.SYS_IO_URING_SETUP, Jt: n + 2}, // to refuse
		{Code: equal, K: unix.SYS_SOCKET, Jf: n + 2},         // else to allow
		{Code: load, K: offsetFirst},
	}
	for i, family := range families {
		filter = append(filter, unix.SockFilter{Code: equal, K: family, Jt: n - uint8(i)}) // to allow
	}
	return append(filter, unix.SockFilter{Code: ret, K: refuse}, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}

// closeNetwork puts the filter on this thread and on what it becomes.
func closeNetwork(families ...uint32) error {
	arch, _ := auditArch()
	filter := networkFilter(arch, families...)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
