package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Entering a user namespace takes a process with a single thread (setns(2)), which no Go program is. A fork is: of
// the threads only the one that forks goes on in it. What runs there before it becomes another program is a few
// system calls on memory prepared before, as in package syscall's own fork: no allocation, no growing stack, no
// scheduler, no signal handler.

// stages of the child, by which it tells what failed.
const (
	stageUser = 1 + iota
	stageNetwork
	stageCapabilities
	stageSignals
	stageExec
)

var stageNames = [...]string{stageUser: "the user namespace", stageNetwork: "the network namespace",
	stageCapabilities: "the right to mount", stageSignals: "its signals", stageExec: "starting itself once more"}

// allSignals is a set of every signal, as rt_sigprocmask takes it; signals are numbered from 1 to 64.
const (
	allSignals  = ^uint64(0)
	lastSignal  = 64
	signalBytes = 8
)

// leap is all the child needs.
type leap struct {
	user, network uintptr // descriptors; network 0 is none
	mask          uint64  // of signals, as it was
	handler       sigaction
	fallback      sigaction
	caps          unix.CapUserHeader
	rights        [2]unix.CapUserData
	path          *byte
	argv, env     **byte
	report        uintptr
	failed        [2]uint64 // stage and errno
}

// sigaction is struct sigaction of linux/signal.h on 64-bit machines; all zero means the default.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// ignored is SIG_IGN.
const ignored = 1

// enter starts the helper once more inside the namespaces and returns its number.
func enter(o order, args []string) (child int, err error) {
	l, report, err := prepareLeap(o, args)
	if err != nil {
		return 0, err
	}
	defer report.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := allSignals
	if _, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&l.mask)), signalBytes, 0, 0); errno != 0 {
		return 0, errno
	}
	pid, errno := l.fork()
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&l.mask)), 0, signalBytes, 0, 0)
	_ = unix.Close(int(l.report))
	runtime.KeepAlive(l)
	if errno != 0 {
		return 0, fmt.Errorf("fork: %w", errno)
	}
	var failed [2]uint64
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&failed)), unsafe.Sizeof(failed))
	if n, _ := report.Read(raw); n == len(raw) && failed[0] < uint64(len(stageNames)) {
		return 0, fmt.Errorf("%s: %w", stageNames[failed[0]], syscall.Errno(failed[1]))
	}
	return int(pid), nil
}

func prepareLeap(o order, args []string) (*leap, *os.File, error) {
	o.Inside, o.Parent = true, os.Getpid()
	text, err := encode(o)
	if err != nil {
		return nil, nil, err
	}
	argv, err := syscall.SlicePtrFromStrings(append([]string{os.Args[0], helperArgument, text}, args...))
	if err != nil {
		return nil, nil, err
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return nil, nil, err
	}
	path, err := syscall.BytePtrFromString(itself)
	if err != nil {
		return nil, nil, err
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	l := &leap{user: uintptr(o.Spaces), path: path, argv: &argv[0], env: &env[0], report: uintptr(pipe[1]),
		caps: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}}
	unix.CloseOnExec(o.Spaces)
	unix.CloseOnExec(o.Spaces + 1)
	if !o.Network {
		l.network = uintptr(o.Spaces + 1)
	}
	return l, os.NewFile(uintptr(pipe[0]), "report"), nil
}

// fork goes on in the parent only.
//
//go:norace
//go:nosplit
//go:noinline
func (l *leap) fork() (pid uintptr, errno syscall.Errno) {
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	stage, errno := l.become()
	l.failed[0], l.failed[1] = stage, uint64(errno)
	syscall.RawSyscall6(unix.SYS_WRITE, l.report, uintptr(unsafe.Pointer(&l.failed)), unsafe.Sizeof(l.failed), 0, 0, 0)
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, exitNotConfined, 0, 0, 0, 0, 0)
	}
}

// become is the child. It returns only where something failed.
//
//go:norace
//go:nosplit
func (l *leap) become() (stage uint64, errno syscall.Errno) {
	if _, _, errno = syscall.RawSyscall6(unix.SYS_SETNS, l.user, unix.CLONE_NEWUSER, 0, 0, 0, 0); errno != 0 {
		return stageUser, errno
	}
	if l.network != 0 {
		if _, _, errno = syscall.RawSyscall6(unix.SYS_SETNS, l.network, unix.CLONE_NEWNET, 0, 0, 0, 0); errno != 0 {
			return stageNetwork, errno
		}
	}
	// The right to mount lasts over exec only as an ambient one, for who is not root.
	if _, _, errno = syscall.RawSyscall6(unix.SYS_CAPGET, uintptr(unsafe.Pointer(&l.caps)), uintptr(unsafe.Pointer(&l.rights)), 0, 0, 0, 0); errno != 0 {
		return stageCapabilities, errno
	}
	l.rights[0].Inheritable |= 1 << unix.CAP_SYS_ADMIN
	if _, _, errno = syscall.RawSyscall6(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&l.caps)), uintptr(unsafe.Pointer(&l.rights)), 0, 0, 0, 0); errno != 0 {
		return stageCapabilities, errno
	}
	if _, _, errno = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0, 0); errno != 0 {
		return stageCapabilities, errno
	}
	for signal := uintptr(1); signal <= lastSignal; signal++ { // as exec would; but the handlers must not run before
		syscall.RawSyscall6(unix.SYS_RT_SIGACTION, signal, 0, uintptr(unsafe.Pointer(&l.handler)), signalBytes, 0, 0)
		if l.handler.handler != ignored {
			syscall.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&l.fallback)), 0, signalBytes, 0, 0)
		}
	}
	if _, _, errno = syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&l.mask)), 0, signalBytes, 0, 0); errno != 0 {
		return stageSignals, errno
	}
	_, _, errno = syscall.RawSyscall6(unix.SYS_EXECVE, uintptr(unsafe.Pointer(l.path)), uintptr(unsafe.Pointer(l.argv)), uintptr(unsafe.Pointer(l.env)), 0, 0, 0)
	return stageExec, errno
}

// mirror waits for the child and ends as it did. Signals to the whole session reach the child too; this process
// stays to tell how it ended.
func mirror(child int) {
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE, unix.SIGALRM)
	for fd := range 3 {
		_ = unix.Close(fd) // whoever reads what the command prints waits for it alone
	}
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(child, &status, 0, nil); err != unix.EINTR {
			break
		}
	}
	if status.Signaled() {
		endBy(status.Signal())
	}
	os.Exit(status.ExitStatus())
}

// endBy ends this process by a signal, without a picture of its memory.
func endBy(s syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	fallback := sigaction{}
	syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&fallback)), 0, signalBytes, 0, 0)
	_ = unix.Kill(os.Getpid(), s)
	select {} // the signal is on its way
}
