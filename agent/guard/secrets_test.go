//go:build unix

package guard

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCredentialNamesAreKnownWhereverTheyLie(t *testing.T) {
	s := NewSecrets(SecretOptions{Home: "/home/u", Own: []string{"/home/u/.config/espy"}, Add: []string{"*.secret", "~/vault", "conf/private"}, Exempt: []string{"testdata/**/*.key", ".env.ci", "/home/u/.config/espy/x"}})
	for name, want := range map[string]bool{
		"/w/.env": true, "/w/.env.local": true, "/w/a/.envrc": true, "/w/.ENV": true, "/w/.env.example": false, "/w/.env.sample": false, "/w/.env.template": false, "/w/env": false, "/w/x.env.go": false, "/w/.env.ci": false,
		"/w/server.key": true, "/w/testdata/a/server.key": false, "/w/id_rsa": true, "/w/id_rsa.pub": false, "/w/deploy_rsa": true, "/w/a.p12": true, "/w/a.pfx": true, "/w/a.jks": true, "/w/cert.pem": false, "/w/privatekey.pem": true, "/w/key.go": false,
		"/home/u/.ssh/config": true, "/w/.ssh/x": true, "/home/u/.aws/credentials": true, "/home/u/.config/gh/hosts.yml": true, "/home/u/.config/git/config": false, "/home/u/.docker/config.json": true, "/home/u/.docker/x": false, "/home/u/.kube/config": true,
		"/home/u/.gnupg/x": true, "/home/u/.npmrc": true, "/w/.pypirc": true, "/home/u/.netrc": true, "/home/u/.mozilla/firefox/x": true, "/home/u/.claude/x": true, "/w/.claude/x": false, "/home/u/.codex/auth.json": true, "/home/u/.config/opencode/x": true,
		"/home/u/.config/espy/config.toml": true, "/home/u/.config/espy/x": true, "/home/u/.config/espyx": false, "/w/a.secret": true, "/home/u/vault/x": true, "/w/conf/private/x": true, "/w/conf/privately": false, "/w/main.go": false, "/w/.envoy/x": false,
	} {
		if got := s.Named(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	var none *Secrets
	if !none.Named("/w/.env") || none.Named("/w/a.go") || !(&Secrets{}).Named("/x/.ssh/id") {
		t.Error("without options the built-in names are not known")
	}
}

func TestKeysThatSSHOrTheEnvironmentPointAtAreCredentials(t *testing.T) {
	w := newWorld(t)
	w.write("home/.ssh/config", "Host x\n  IdentityFile ~/work/deploy\n  identityfile="+w.path("ws/odd name")+"\n")
	w.write("home/work/deploy", "k")
	w.write("ws/service.json", "k")
	s := NewSecrets(SecretOptions{Home: w.home, Getenv: func(name string) string {
		return map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": w.path("ws/service.json")}[name]
	}})
	for _, name := range []string{"home/work/deploy", "ws/odd name", "ws/service.json"} {
		if !s.Named(w.path(name)) {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestAPersonsOwnFileOpensAnywhereUnlessItIsACredentialOrNoFile(t *testing.T) {
	w := newWorld(t)
	w.write("out/shot.png", "picture")
	w.write("home/.ssh/id_ed25519", "k")
	w.write("out/chain.pem", "-----BEGIN PRIVATE KEY-----")
	w.write("state/log", "k")
	w.link(w.path("out/shot.png"), "out/link.png")
	w.link(w.path("home/.ssh/id_ed25519"), "out/link-key")
	w.link("nowhere", "out/dangling")
	if err := os.Link(w.path("home/.ssh/id_ed25519"), w.path("out/hard.png")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(w.path("out/fifo.png"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out/shot.png", "out/link.png", "out/dir/../shot.png"} {
		f, p, err := OpenOwn(w.path(name), w.secrets)
		if err != nil || p.Abs != w.path("out/shot.png") {
			t.Errorf("%s: %v %v", name, p, err)
			continue
		}
		if data, _ := io.ReadAll(f); string(data) != "picture" {
			t.Errorf("%s: %q", name, data)
		}
		f.Close()
	}
	for name, want := range map[string]PathFault{
		"out/link-key": FaultCredential, "out/hard.png": FaultCredential, "out/chain.pem": FaultCredential, "state/log": FaultCredential, "out/fifo.png": FaultSpecial, "out": FaultFolder, "out/dangling": FaultMissing, "out/none": FaultMissing,
	} {
		if f, _, err := OpenOwn(w.path(name), w.secrets); fault(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
			if f != nil {
				f.Close()
			}
		}
	}
	for _, name := range []string{"/proc/self/environ", "/dev/zero", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"} {
		if f, _, err := OpenOwn(name, w.secrets); fault(err) != FaultSpecial && fault(err) != FaultMissing {
			t.Errorf("%s: %v", name, err)
			if f != nil {
				f.Close()
			}
		}
	}
	if f, _, err := OpenOwn("~/notes.txt", NewSecrets(SecretOptions{Home: filepath.Join(w.base, "out")})); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("the home folder is not looked in: %v", err)
		if f != nil {
			f.Close()
		}
	}
}
