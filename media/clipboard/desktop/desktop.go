//go:build unix

// Package desktop starts real desktops for tests: an X server (Xvfb), a Wayland compositor (sway), and owners
// of their clipboards, well-behaved and otherwise.
//
// Everything ends with the test that started it, and also if the test program dies: each server runs under a
// shell that kills the whole group once its input closes. Where a program is missing the test is skipped with
// the reason; with CI=true in the environment it fails instead.
//
// It is for tests only and must not be imported by the program.
package desktop

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	// startDeadline is how long a server may take to be ready; it is under a second on an idle machine.
	startDeadline = time.Minute
	// pollPause is the pause between two looks at whether something is ready.
	pollPause = 5 * time.Millisecond
	// nobody is the user sway runs as where the test is root: sway refuses root.
	nobody = 65534
)

// keeper starts "$@" and, when its own input ends, asks it to end, and at last kills its whole process group,
// itself included.
const keeper = `"$@" & child=$!; exec 3>&-; read -r _; kill -TERM $child; (sleep 2; kill -KILL 0) & wait $child; kill -KILL 0`

// Need skips the test where a program is missing, and fails it under CI=true.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, and under CI nothing may be skipped", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// X11 starts an X server of its own and returns its DISPLAY. Anyone on this machine may use it, unless more
// arguments for Xvfb say otherwise: "-auth", FILE.
func X11(t testing.TB, more ...string) (display string) {
	t.Helper()
	Need(t, "Xvfb", "sh")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	args := []string{"Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"}
	start(t, nil, write, append(args, more...)...)
	write.Close()
	_ = read.SetReadDeadline(time.Now().Add(startDeadline))
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb did not say its display: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// Wayland starts a headless compositor and returns the variables that lead to it.
func Wayland(t testing.TB) (env []string) {
	t.Helper()
	Need(t, "sway", "sh")
	run, owner := runtimeFolder(t)
	config := filepath.Join(run, "config")
	if err := os.WriteFile(config, []byte("xwayland disable\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(owner, "sway", "-c", config)
	start(t, []string{"WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1",
		"XDG_RUNTIME_DIR=" + run, "HOME=" + run, "WAYLAND_DISPLAY=", "DISPLAY="}, nil, args...)
	var socket string
	Until(t, "sway to open its socket", func() bool {
		found, _ := filepath.Glob(filepath.Join(run, "wayland-?"))
		if len(found) > 0 {
			socket = filepath.Base(found[0])
		}
		return socket != ""
	})
	return []string{"XDG_RUNTIME_DIR=" + run, "WAYLAND_DISPLAY=" + socket}
}

// runtimeFolder makes the folder the compositor's socket lies in. Its name is short, as a socket's must be, and
// it belongs to the user the compositor runs as, whom the returned words switch to.
func runtimeFolder(t testing.TB) (dir string, as []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sway")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Getuid() != 0 {
		return dir, nil
	}
	Need(t, "setpriv")
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return dir, []string{"setpriv", fmt.Sprintf("--reuid=%d", nobody), fmt.Sprintf("--regid=%d", nobody), "--clear-groups"}
}

// start runs a server under the keeper; fd becomes its descriptor 3 where it is not nil.
func start(t testing.TB, env []string, fd *os.File, args ...string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", keeper, "sh"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	log := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if fd != nil {
		cmd.ExtraFiles = []*os.File{fd}
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
		if t.Failed() && log.Len() > 0 {
			t.Logf("%s said:\n%s", args[0], log)
		}
	})
}

// Until waits for a condition, and fails the test when it does not come.
func Until(t testing.TB, what string, ready func() bool) {
	t.Helper()
	deadline := time.Now().Add(startDeadline)
	for !ready() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", startDeadline, what)
		}
		time.Sleep(pollPause)
	}
}

// OfferImage puts a PNG on the clipboard of an X display. xclip answers for it until the display ends.
func OfferImage(t testing.TB, display string, png []byte) {
	t.Helper()
	Need(t, "xclip")
	offerX(t, display, png, "xclip", "-selection", "clipboard", "-t", "image/png", "-i")
}

// OfferText puts text on the clipboard of an X display.
func OfferText(t testing.TB, display, text string) {
	t.Helper()
	Need(t, "xclip")
	offerX(t, display, []byte(text), "xclip", "-selection", "clipboard", "-i")
}

// offerX also waits for the clipboard to change hands: xclip leaves before the server has heard of it.
func offerX(t testing.TB, display string, data []byte, args ...string) {
	t.Helper()
	quiet()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before := ownerOf(t, conn)
	offer(t, []string{"DISPLAY=" + display}, data, args...)
	Until(t, "xclip to own the clipboard", func() bool {
		now := ownerOf(t, conn)
		return now != before && now != xproto.WindowNone
	})
}

func ownerOf(t testing.TB, conn *xgb.Conn) xproto.Window {
	t.Helper()
	atom, err := xproto.InternAtom(conn, false, uint16(len("CLIPBOARD")), "CLIPBOARD").Reply()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := xproto.GetSelectionOwner(conn, atom.Atom).Reply()
	if err != nil {
		t.Fatal(err)
	}
	return reply.Owner
}

// OfferWayland puts data on the clipboard of a compositor that Wayland started.
func OfferWayland(t testing.TB, env []string, mediaType string, data []byte) {
	t.Helper()
	Need(t, "wl-copy", "wl-paste")
	offer(t, env, data, "wl-copy", "--type", mediaType)
	Until(t, "wl-copy to own the clipboard", func() bool {
		cmd := exec.Command("wl-paste", "--no-newline", "--type", mediaType)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		return err == nil && bytes.Equal(out, data)
	})
}

// offer runs a program that takes data and stays behind to answer for it. Its output goes nowhere: what
// stays behind would keep a pipe open.
func offer(t testing.TB, env []string, data []byte, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(stdin, bytes.NewReader(data))
	stdin.Close()
	if waited := cmd.Wait(); err != nil || waited != nil {
		t.Fatalf("%s did not take %d bytes: %v, %v", args[0], len(data), err, waited)
	}
}
