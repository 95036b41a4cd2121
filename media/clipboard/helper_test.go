//go:build unix

package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"espy/media/clipboard/desktop"
)

// fakes makes real programs of shell scripts and an Env that finds no others.
func fakes(t *testing.T, env Env, scripts map[string]string) Env {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env.LookPath = func(name string) (string, error) {
		if filepath.IsAbs(name) {
			return exec.LookPath(name)
		}
		return exec.LookPath(filepath.Join(dir, name))
	}
	return env
}

// saved puts bytes in a file that a script can cat.
func saved(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// lists is a wl-paste that offers flavours and prints a file for any of them.
func lists(flavours, file string) string {
	return fmt.Sprintf("[ \"$1\" = --list-types ] && { printf '%s\\n'; exit 0; }\nexec cat %s\n", flavours, file)
}

func TestAFailingWaylandHelperFallsThroughToX(t *testing.T) {
	display := desktop.X11(t)
	want := pngOf(t, 8)
	desktop.OfferImage(t, display, want)
	for name, script := range map[string]string{
		"exit 1":                    "echo no compositor >&2; exit 1",
		"exit 0 with nothing":       "exit 0",
		"lists PNG, prints nothing": lists("image/png", "/dev/null"),
		"lists PNG, prints text":    lists("image/png", saved(t, []byte("an error message"))),
		"lists BMP only, damaged":   lists("image/bmp", saved(t, []byte("BM damaged"))),
		"lists PNG, fails to print": "[ \"$1\" = --list-types ] && { echo image/png; exit 0; }; exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			env := fakes(t, session("WAYLAND_DISPLAY=wayland-9", "DISPLAY="+display), map[string]string{"wl-paste": script})
			if got := mustRead(t, env); !bytes.Equal(got.Image, want) || got.Via != "X11" {
				t.Errorf("got %d bytes, text %q via %s; want the picture via X11", len(got.Image), got.Text, got.Via)
			}
		})
	}
	t.Run("not installed", func(t *testing.T) {
		env := fakes(t, session("WAYLAND_DISPLAY=wayland-9", "DISPLAY="+display), nil)
		if got := mustRead(t, env); !bytes.Equal(got.Image, want) {
			t.Errorf("got %+v, want the picture via X11", got)
		}
	})
}

func TestXclipStandsInWhereTheServerCannotBeReached(t *testing.T) {
	file := saved(t, pngOf(t, 8))
	script := fmt.Sprintf("[ \"$5\" = TARGETS ] && { printf 'TARGETS\\nimage/png\\n'; exit 0; }\nexec cat %s\n", file)
	env := fakes(t, session("DISPLAY=/nowhere:7"), map[string]string{"xclip": script})
	if got := mustRead(t, env); len(got.Image) == 0 || got.Via != "xclip" {
		t.Errorf("got %+v, want the picture via xclip", got)
	}
}

func TestAnEmptyAnswerWithSuccessIsAFailure(t *testing.T) {
	env := fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": lists("image/png", "/dev/null")})
	if e := faultOf(t, env); e.Fault != FaultUndecodable || !strings.Contains(e.Sentence, "nothing") {
		t.Errorf("fault %s: %s", e.Fault, e)
	}
}

// alive says whether a process runs: not gone, and not merely waiting to be collected.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestAHelperThatHangsIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := fmt.Sprintf("sleep 60 &\necho $! >%s.new; mv %s.new %s\nsleep 60", pidFile, pidFile, pidFile)
	env := fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": script})
	env.waits = waits{read: 5 * time.Second, list: 3 * time.Second}
	if e := faultOf(t, env); e.Fault != FaultTimeout || !strings.Contains(e.Sentence, "wl-paste") {
		t.Errorf("fault %s: %s", e.Fault, e)
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	desktop.Until(t, "the helper's child to be gone", func() bool { return !alive(pid) })
}

func TestAHelperThatLeavesAChildWithItsPipeDoesNotHoldTheRead(t *testing.T) {
	t.Parallel()
	file := saved(t, pngOf(t, 8))
	env := fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": "sleep 60 &\n" + lists("image/png", file)})
	if e := faultOf(t, env); e.Fault != FaultUnavailable {
		t.Errorf("fault %s: %s", e.Fault, e)
	}
}

func TestAHelperThatFloodsIsStopped(t *testing.T) {
	t.Parallel()
	flood := "head -c 500000000 /dev/zero"
	env := fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": "[ \"$1\" = --list-types ] && { echo image/png; exit 0; }\n" + flood})
	if e := faultOf(t, env); e.Fault != FaultUndecodable || !strings.Contains(e.Sentence, "64 MiB") {
		t.Errorf("fault %s: %s", e.Fault, e)
	}
	env = fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": flood})
	if e := faultOf(t, env); e.Fault != FaultUnavailable {
		t.Errorf("flooding the list: fault %s: %s", e.Fault, e)
	}
}

func TestAGoodBMPIsTakenWhereNothingBetterIsOffered(t *testing.T) {
	data, err := bmpFromDIB(dibOf(t, noise(4)))
	if err != nil {
		t.Fatal(err)
	}
	env := fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-paste": lists("image/bmp", saved(t, data))})
	if got := mustRead(t, env); !bytes.Equal(got.Image, data) || got.MediaTypeOffered != "image/bmp" {
		t.Errorf("got %d bytes of %s, want the BMP", len(got.Image), got.MediaTypeOffered)
	}
}

// answers is a powershell.exe that prints what ours would.
func answers(lines ...string) string {
	return "cat <<'EOF'\r\n" + strings.Join(lines, "\r\n") + "\r\nEOF\n"
}

func TestUnderWSLWindowsIsAskedFirst(t *testing.T) {
	picture := pngOf(t, 8)
	code := func(data string) string { return base64.StdEncoding.EncodeToString([]byte(data)) }
	wsl := session("WSL_DISTRO_NAME=Ubuntu", "WAYLAND_DISPLAY=wayland-9")
	broken := lists("image/bmp", saved(t, []byte("BM damaged")))
	good := lists("image/png", saved(t, picture))
	for name, c := range map[string]struct {
		shell, wlPaste string
		want           string
	}{
		"a picture, where WSLg has only a damaged BMP": {answers("image/png "+code(string(picture)), "end"), broken, "powershell.exe"},
		"interop is off":        {"exit 1", good, "wl-paste"},
		"an answer cut short":   {answers("image/png " + code(string(picture))), good, "wl-paste"},
		"nothing but chatter":   {"echo Welcome", good, "wl-paste"},
		"bytes that are no PNG": {answers("image/png "+code("no"), "end"), good, "wl-paste"},
		"damaged Base64":        {answers("image/png !!!", "end"), good, "wl-paste"},
		"it holds only nothing": {answers("end"), good, "wl-paste"},
		"picture after chatter": {answers("profile loaded", "image/png "+code(string(picture)), "end"), broken, "powershell.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			env := fakes(t, wsl, map[string]string{"powershell.exe": strings.ReplaceAll(c.shell, "\r\nEOF", "\nEOF"), "wl-paste": c.wlPaste})
			got := mustRead(t, env)
			if got.Via != c.want || !bytes.Equal(got.Image, picture) {
				t.Errorf("got %d bytes, text %q via %s; want the picture via %s", len(got.Image), got.Text, got.Via, c.want)
			}
		})
	}
}

func TestUnderWSLCopiedFilesAreMappedToTheirMount(t *testing.T) {
	mnt := t.TempDir()
	at := plant(t, mnt, "c/Users/u/a b.png")
	env := session("WSL_DISTRO_NAME=Ubuntu")
	env.ReadFile = func(name string) ([]byte, error) {
		if name == "/etc/wsl.conf" {
			return []byte("# comment\n[automount]\nroot = " + mnt + "/\n"), nil
		}
		return nil, os.ErrNotExist
	}
	list := base64.StdEncoding.EncodeToString([]byte(`C:\Users\u\a b.png`))
	env = fakes(t, env, map[string]string{"powershell.exe": "echo files " + list + "\necho end"})
	got := mustRead(t, env)
	if len(got.Files) != 1 || got.Files[0] != at("c/Users/u/a b.png") {
		t.Errorf("got files %q", got.Files)
	}
}

func TestPowerShellIsFoundOnTheSystemDriveWhereItIsNotOnPath(t *testing.T) {
	mnt := t.TempDir()
	place := filepath.Join(mnt, "c/Windows/System32/WindowsPowerShell/v1.0")
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho text " + base64.StdEncoding.EncodeToString([]byte("words")) + "\necho end\n"
	if err := os.WriteFile(filepath.Join(place, "powershell.exe"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	env := session("WSL_DISTRO_NAME=Ubuntu")
	env.ReadFile = func(name string) ([]byte, error) { return []byte("[automount]\nroot=" + mnt + "\n"), nil }
	if got := mustRead(t, fakes(t, env, nil)); got.Text != "words" {
		t.Errorf("got %+v", got)
	}
}

func TestWSLIsKnownByItsKernelToo(t *testing.T) {
	env := session()
	env.ReadFile = func(name string) ([]byte, error) {
		if name == "/proc/version" {
			return []byte("Linux version 5.15.153.1-microsoft-standard-WSL2"), nil
		}
		return nil, os.ErrNotExist
	}
	if e := faultOf(t, fakes(t, env, nil)); !strings.Contains(e.Sentence, "powershell.exe") || !strings.Contains(e.Sentence, "interop") {
		t.Errorf("the sentence names neither what was tried nor what to do: %s", e)
	}
}

func TestOnMacOSClassesAreAskedForInOrder(t *testing.T) {
	picture := pngOf(t, 4)
	hexData := fmt.Sprintf("«data PNGf%X»", picture)
	dir := t.TempDir()
	at := plant(t, dir, "a b.png")
	mac := session()
	mac.GOOS = "darwin"
	for name, c := range map[string]struct {
		scripts map[string]string
		check   func(Content) bool
	}{
		"a picture": {map[string]string{"osascript": "case \"$2\" in 'clipboard info') echo '«class PNGf», 99, TIFF picture, 88' ;; *PNGf*) cat " +
			saved(t, []byte(hexData)) + " ;; *) exit 1 ;; esac"}, func(c Content) bool { return bytes.Equal(c.Image, picture) && c.Via == "osascript" }},
		"a picture only pngpaste can have": {map[string]string{"osascript": "exit 1", "pngpaste": "cat " + saved(t, picture)},
			func(c Content) bool { return bytes.Equal(c.Image, picture) && c.Via == "pngpaste" }},
		"a copied file, with the icon the Finder adds": {map[string]string{"osascript": "[ \"$2\" = 'clipboard info' ] && echo '«class furl», 20, «class PNGf», 99'\n" +
			"[ \"$1\" = -l ] && echo 'file://" + dir + "/a%20b.png'\nexit 0"}, func(c Content) bool { return len(c.Files) == 1 && c.Files[0] == at("a b.png") && c.Image == nil }},
		"text": {map[string]string{"osascript": "echo '«class utf8», 5, string, 5'", "pbpaste": "printf words"},
			func(c Content) bool { return c.Text == "words" }},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mustRead(t, fakes(t, mac, c.scripts)); !c.check(got) {
				t.Errorf("got %d bytes, files %q, text %q via %s", len(got.Image), got.Files, got.Text, got.Via)
			}
		})
	}
}

func TestFailuresSayWhatWasTriedAndWhatToInstall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   Env
		fault Fault
		words []string
	}{
		"SSH without a display":   {session("SSH_CONNECTION=10.0.0.1 5 10.0.0.2 22"), FaultRemote, []string{"SSH", "scp", "/attach PATH"}},
		"no desktop at all":       {session(), FaultUnavailable, []string{"no desktop session", "/attach PATH"}},
		"Wayland without helpers": {session("WAYLAND_DISPLAY=wayland-9"), FaultUnavailable, []string{"wl-paste: not installed", "install wl-clipboard"}},
		"X without a server":      {session("DISPLAY=/nowhere:7"), FaultUnavailable, []string{"xclip", "/nowhere:7", "install xclip"}},
		"a DISPLAY that is none":  {session("DISPLAY=nonsense"), FaultUnavailable, []string{"nonsense"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := faultOf(t, fakes(t, c.env, nil))
			if e.Fault != c.fault {
				t.Errorf("fault %s, want %s", e.Fault, c.fault)
			}
			for _, word := range c.words {
				if !strings.Contains(e.Sentence, word) {
					t.Errorf("%q is not in: %s", word, e.Sentence)
				}
			}
		})
	}
}

func TestTheTextLibraryIsWaitedForOnlySoLongAndNotBelieved(t *testing.T) {
	t.Parallel()
	env := fakes(t, session(), nil)
	env.LastText = func() (string, error) { return "words", nil }
	if got := mustRead(t, env); got.Text != "words" {
		t.Errorf("got %+v", got)
	}
	env.LastText = func() (string, error) { return "\x89PNG\r\n\x1a\n", nil }
	if e := faultOf(t, env); e.Fault != FaultUnavailable {
		t.Errorf("picture bytes passed as text: %s", e)
	}
	env.waits.read = 100 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	env.LastText = func() (string, error) { <-release; return "", nil }
	if e := faultOf(t, env); e.Fault != FaultTimeout {
		t.Errorf("fault %s: %s", e.Fault, e)
	}
}

func TestWritingWithoutAHelperIsAnErrorForTheCaller(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]Env{
		"nothing installed": fakes(t, session("WAYLAND_DISPLAY=wayland-9", "DISPLAY=:9"), nil),
		"no desktop":        fakes(t, session(), nil),
		"SSH":               fakes(t, session("SSH_CONNECTION=x"), nil),
		"a failing helper":  fakes(t, session("WAYLAND_DISPLAY=wayland-9"), map[string]string{"wl-copy": "exit 1"}),
		"a hanging helper":  fakes(t, hasty(session("WAYLAND_DISPLAY=wayland-9")), map[string]string{"wl-copy": "sleep 60"}),
	} {
		var e *Error
		if err := WriteText(context.Background(), env, "words"); !errors.As(err, &e) {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
}

func TestUnderWSLTextIsWrittenAsWindowsReadsIt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	env := fakes(t, session("WSL_DISTRO_NAME=Ubuntu"), map[string]string{"clip.exe": "cat >" + out})
	if err := WriteText(context.Background(), env, "ü🙂"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if want := "\xff\xfe\xfc\x00\x3d\xd8\x42\xde"; err != nil || string(got) != want {
		t.Errorf("clip.exe was given %q, %v; want %q", got, err, want)
	}
}

func TestACopiedTextOnMacOSGoesToPbcopy(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	env := session()
	env.GOOS = "darwin"
	env = fakes(t, env, map[string]string{"pbcopy": "cat >" + out})
	if err := WriteText(context.Background(), env, "words"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "words" {
		t.Errorf("pbcopy was given %q", got)
	}
}
