package clipboard

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	atotto "github.com/atotto/clipboard"
)

// Env is the machine and session the clipboard belongs to. The zero value is this process's own.
type Env struct {
	Getenv   func(string) string
	GOOS     string
	LookPath func(string) (string, error)
	// ReadFile reads small system files: /proc/version, /etc/wsl.conf, the X authority file.
	ReadFile func(string) ([]byte, error)
	// Prove says whether bytes are really a picture: the gate's check. By default the signature decides.
	Prove func([]byte) error
	// LastText reads text when no other way exists. It may hang and may return anything.
	LastText func() (string, error)

	waits waits // the usual ones where zero
}

func (e Env) withDefaults() Env {
	if e.LastText == nil && e.Getenv == nil && !atotto.Unsupported {
		e.LastText = atotto.ReadAll
	}
	if e.Getenv == nil {
		e.Getenv = os.Getenv
	}
	if e.GOOS == "" {
		e.GOOS = runtime.GOOS
	}
	if e.LookPath == nil {
		e.LookPath = exec.LookPath
	}
	if e.ReadFile == nil {
		e.ReadFile = os.ReadFile
	}
	if e.Prove == nil {
		e.Prove = proveSignature
	}
	if e.waits == (waits{}) {
		e.waits = usualWaits()
	}
	return e
}

func proveSignature(data []byte) error {
	if pictureKind(data) == "" {
		return errors.New("it is not a picture")
	}
	return nil
}

func (e Env) finder() *Finder { return NewFinder(e) }

// isRemote says that the desktop is another machine's: an SSH session without a forwarded display.
func (e Env) isRemote() bool {
	if e.Getenv("SSH_CONNECTION") == "" && e.Getenv("SSH_TTY") == "" {
		return false
	}
	return e.Getenv("DISPLAY") == "" && e.Getenv("WAYLAND_DISPLAY") == ""
}

// isWSL says that this Linux runs inside Windows.
func (e Env) isWSL() bool {
	if e.GOOS != "linux" {
		return false
	}
	if e.Getenv("WSL_DISTRO_NAME") != "" {
		return true
	}
	version, err := e.ReadFile("/proc/version")
	return err == nil && strings.Contains(strings.ToLower(string(version)), "microsoft")
}

// driveRoot is where Windows drives are mounted: "/mnt" unless /etc/wsl.conf says otherwise.
func (e Env) driveRoot() string {
	conf, err := e.ReadFile("/etc/wsl.conf")
	if err != nil {
		return "/mnt"
	}
	section := ""
	for line := range strings.SplitSeq(string(conf), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[]"))
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section != "automount" || strings.TrimSpace(key) != "root" {
			continue
		}
		if root := strings.Trim(strings.TrimSpace(value), `"`); strings.HasPrefix(root, "/") {
			return strings.TrimSuffix(root, "/")
		}
	}
	return "/mnt"
}

// ways lists the ways to the clipboard that this session may have, best first.
func (e Env) ways() []source {
	switch e.GOOS {
	case "windows":
		return windowsWays()
	case "darwin":
		return []source{&macSource{env: e}, &pngpaste{env: e}}
	}
	var ways []source
	if e.isWSL() {
		ways = append(ways, &powershell{env: e})
	}
	if e.Getenv("WAYLAND_DISPLAY") != "" {
		ways = append(ways, wlPaste(e))
	}
	if e.Getenv("DISPLAY") != "" {
		ways = append(ways, &x11Source{env: e})
	}
	return ways
}

// slow is a source whose helper starts a runtime of its own.
type slow interface{ slow() }

// patience is how long one question may take: listing, or fetching what was listed.
func (e Env) patience(way source, usual time.Duration) time.Duration {
	if _, ok := way.(slow); ok {
		return e.waits.slow
	}
	return usual
}
