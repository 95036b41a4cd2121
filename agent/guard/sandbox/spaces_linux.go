package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// makerArgument is the first argument that makes the program the maker of namespaces.
	makerArgument = "--sandbox-spaces"
	// spacesReady is what the maker prints once they can be used.
	spacesReady = "ready"
	// makerWait bounds the maker, which takes about 10 ms, and the trial, on a machine that is busy with other things.
	makerWait = 10 * time.Second
)

// spaces are namespaces that commands share: one for users, which owns the other, a network without any way out.
// They live as long as these files are open, or a process is in them.
type spaces struct{ user, network *os.File }

func (s *spaces) close() error { return errors.Join(s.user.Close(), s.network.Close()) }

// makeSpaces has a short-lived process born in new namespaces and keeps those.
func makeSpaces() (*spaces, error) {
	cmd := exec.Command(itself, makerArgument)
	cmd.Dir, cmd.Env = "/", []string{}
	users, err := mapping("/proc/self/uid_map", os.Geteuid())
	if err != nil {
		return nil, err
	}
	groups, err := mapping("/proc/self/gid_map", os.Getegid())
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: users, GidMappings: groups, GidMappingsEnableSetgroups: os.Geteuid() == 0,
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
		Pdeathsig:   syscall.SIGKILL,
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(makerWait, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	defer cmd.Wait()
	defer stdin.Close()
	said, _ := bufio.NewReader(stdout).ReadString('\n')
	if said = strings.TrimSpace(said); said != spacesReady {
		if said == "" {
			said = "the process in them ended"
		}
		return nil, errors.New(said)
	}
	return openSpaces(cmd.Process.Pid)
}

func openSpaces(pid int) (*spaces, error) {
	user, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", pid))
	if err != nil {
		return nil, err
	}
	network, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, errors.Join(err, user.Close())
	}
	return &spaces{user: user, network: network}, nil
}

// mapping keeps every number it may: root keeps all that it has itself, anybody else only their own.
func mapping(file string, own int) ([]syscall.SysProcIDMap, error) {
	if os.Geteuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var maps []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s holds %q", file, line)
		}
		first, err := strconv.Atoi(fields[0])
		if err != nil {
			return nil, err
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, err
		}
		maps = append(maps, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return maps, nil
}

// serveSpaces is the process born in the namespaces: it brings up the network's own address, tries it, and stays
// until it was looked at.
func serveSpaces() {
	said := spacesReady
	if err := errors.Join(raiseLoopback(), tryLoopback()); err != nil {
		said = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	fmt.Println(said)
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// raiseLoopback switches on the interface lo: a new network's is off.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request))); errno != 0 {
		return fmt.Errorf("its loopback interface: %w", errno)
	}
	return nil
}

// tryLoopback connects to itself, with bare system calls: nothing of this package can reach a network otherwise.
func tryLoopback() error {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return err
	}
	address, err := unix.Getsockname(listener)
	if err != nil {
		return err
	}
	caller, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(caller)
	return unix.Connect(caller, address)
}
