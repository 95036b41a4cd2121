//go:build unix

package e2e

import (
	"errors"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// wire listens on loopback and counts who calls.
func wire(t *testing.T) (address string, calls *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = new(atomic.Int32)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				calls.Add(1)
				conn.Close()
			}
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String(), calls
}

// proxied is a world in which every road to the network leads to an address.
func proxied(t *testing.T, address string) *world {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env = append(env, name+"=http://"+address)
	}
	return newWorld(t).with(append(env, "NO_PROXY=", "no_proxy=")...)
}

func TestOnTheOfflineModelNoConnectionIsEverOpened(t *testing.T) {
	address, calls := wire(t)
	w := proxied(t, address)
	w.write("shot.png", shot(t, 640, 400, 1))
	w.write("notes.txt", []byte("see https://example.com/shot.png\n"))
	term := w.opened()
	term.Paste(w.work + "/shot.png")
	term.WaitFor("1 shot.png 640x400")
	send(term, "what is this, and https://example.com/other.png")
	term.WaitFor("image/png, 640x400")
	term.Paste("https://example.com/pasted.png")
	term.WaitFor("pasted.png")
	send(term, " @notes.txt")
	term.WaitFor("request: 3 messages")
	quit(t, term)
	w.ask("hello", "--attach", "shot.png")
	for _, args := range [][]string{{"doctor"}, {"models"}, {"look", "shot.png"}, {"sessions"}, {"config", "check"}} {
		w.run(args...)
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d connections were opened", n)
	}
}

func TestTheListenerForConnectionsSeesOneThatIsMeant(t *testing.T) {
	address, calls := wire(t)
	w := proxied(t, address)
	w.serve("http://models.example.com").with(w.env...).run("run", "hello") // fails: what listens is no proxy
	deadline := time.Now().Add(runDeadline)
	for calls.Load() == 0 && time.Now().Before(deadline) {
		w.serve("http://models.example.com").run("run", "hello")
	}
	if calls.Load() == 0 {
		t.Error("a request through the proxy was not seen, so that seeing none proves nothing")
	}
}

// networked are the packages that may open a connection, and to whom: docs/privacy.md promises no other.
func networked() map[string]string {
	return map[string]string{
		"espy/providers":       "the model's service",
		"espy/media/clipboard": "the desktop, over its socket",
		"espy/agent/extend":    "tools and servers that the person declared",
	}
}

func TestNoPackageButThoseThePrivacyPageNamesCanReachTheNetwork(t *testing.T) {
	const format = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-f", format, "espy/...")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(packages) < 20 {
			t.Fatalf("only %d packages were listed", len(packages))
		}
		for _, line := range packages {
			name, imports, _ := strings.Cut(line, " ")
			if mayConnect(name) {
				continue
			}
			for _, imported := range strings.Fields(imports) {
				if imported == "net" || imported == "net/http" || strings.HasPrefix(imported, "net/http/") || imported == "net/rpc" || imported == "net/smtp" || imported == "crypto/tls" {
					t.Errorf("on %s %s imports %s", goos, name, imported)
				}
			}
		}
	}
}

func mayConnect(name string) bool {
	for root := range networked() {
		if name == root || strings.HasPrefix(name, root+"/") {
			return true
		}
	}
	return false
}
