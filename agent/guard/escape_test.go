//go:build unix

package guard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// attempt is a name that leads out of the workspace, or to something that must stay closed. With says what
// trusting the neighbour folder makes of it.
type attempt struct {
	name  string
	fault PathFault
	with  string // "" still refused, "file" opens, "folder" lists, "new" can be written
}

// attempts builds the traps and names them. base is the folder that holds ws, out and home.
func attempts(w *world) []attempt {
	w.trap()
	out := w.path("out/secret.txt")
	long := strings.Repeat("../", 4000)
	return []attempt{
		{"../out/secret.txt", FaultOutside, "file"}, {out, FaultOutside, "file"}, {"dir/../../out/secret.txt", FaultOutside, "file"},
		{"./../out/secret.txt", FaultOutside, "file"}, {"../ws/../out/secret.txt", FaultOutside, "file"}, {"..//out///./secret.txt", FaultOutside, "file"},
		{w.path("ws") + "/../out/secret.txt", FaultOutside, "file"}, {"/" + out, FaultOutside, "file"}, {"../out/dir/../secret.txt", FaultOutside, "file"},
		{"link-file", FaultOutside, "file"}, {"link-file-relative", FaultOutside, "file"}, {"link-chain", FaultOutside, "file"}, {"dir/link-up/out/secret.txt", FaultOutside, "file"},
		{"link-folder/secret.txt", FaultOutside, "file"}, {"link-folder-relative/secret.txt", FaultOutside, "file"}, {"link-folder/dir/deep.txt", FaultOutside, "file"},
		{"link-root" + out, FaultOutside, "file"}, {"link-up/out/secret.txt", FaultOutside, "file"}, {"link-folder/../out/secret.txt", FaultOutside, "file"},
		{"link-folder/dir/../secret.txt", FaultOutside, "file"}, {"link-to-link/secret.txt", FaultOutside, "file"}, {"~/../out/secret.txt", FaultOutside, "file"},
		{"link-folder", FaultOutside, "folder"}, {"link-folder/", FaultOutside, "folder"}, {"../out", FaultOutside, "folder"}, {"link-folder/dir", FaultOutside, "folder"}, {w.path("out"), FaultOutside, "folder"},
		{"link-folder/new.txt", FaultOutside, "new"}, {"../out/new/deep.txt", FaultOutside, "new"}, {w.path("out/other.txt"), FaultOutside, "new"},
		{"link-dangling-out", FaultOutside, ""}, {"link-dangling-folder/new.txt", FaultOutside, ""}, {"link-dangling-in", FaultMissing, ""}, {"link-loop", FaultUnreadable, ""}, {"link-loop/x", FaultUnreadable, ""},
		{"..", FaultOutside, ""}, {"../..", FaultOutside, ""}, {"/", FaultOutside, ""}, {"link-up", FaultOutside, ""}, {"link-root", FaultOutside, ""}, {"link-root/etc/passwd", FaultOutside, ""}, {"/etc/passwd", FaultOutside, ""}, {"/etc/shadow", FaultOutside, ""},
		{"../ws2/secret.txt", FaultOutside, ""}, {w.path("ws2/secret.txt"), FaultOutside, ""}, {w.path("out2/secret.txt"), FaultOutside, ""}, {"../out2/secret.txt", FaultOutside, ""}, {"../home/notes.txt", FaultOutside, ""}, {"~/notes.txt", FaultOutside, ""}, {"~", FaultOutside, ""},
		{long + strings.TrimPrefix(w.path("ws2/secret.txt"), "/"), FaultOutside, ""},
		{"/proc/self/environ", FaultSpecial, ""}, {"/proc/self/cwd/../out/secret.txt", FaultSpecial, ""}, {"/proc/self/root" + out, FaultSpecial, ""}, {"/proc/self/fd/0", FaultSpecial, ""}, {"/proc/1/environ", FaultSpecial, ""},
		{"/dev/fd/0", FaultSpecial, ""}, {"/dev/fd/3", FaultSpecial, ""}, {"/dev/stdin", FaultSpecial, ""}, {"/dev/zero", FaultSpecial, ""}, {"/dev/null", FaultSpecial, ""}, {"/dev/tty", FaultSpecial, ""}, {"/sys/kernel/notes", FaultSpecial, ""},
		{"link-zero", FaultSpecial, ""}, {"link-environ", FaultSpecial, ""}, {"link-fd", FaultSpecial, ""}, {"link-proc/environ", FaultSpecial, ""},
		{"fifo", FaultSpecial, ""}, {"link-fifo", FaultSpecial, ""}, {"socket", FaultSpecial, ""}, {"dir/fifo", FaultSpecial, ""},
		{"", FaultMissing, ""}, {"a.txt\x00/../../out/secret.txt", FaultMissing, ""}, {strings.Repeat("x", maxNameBytes+1), FaultMissing, ""}, {"a.txt/../../out/secret.txt", FaultOutside, "file"}, {"a.txt/x", FaultNotFolder, ""},
		{".env", FaultCredential, ""}, {".env.local", FaultCredential, ""}, {"dir/.env.production", FaultCredential, ""}, {".ENV", FaultCredential, ""}, {"link-env", FaultCredential, ""}, {"id_rsa", FaultCredential, ""}, {"server.key", FaultCredential, ""},
		{".npmrc", FaultCredential, ""}, {".netrc", FaultCredential, ""}, {".aws/credentials", FaultCredential, ""}, {".ssh/config", FaultCredential, ""}, {"store.jks", FaultCredential, ""}, {"chain.pem", FaultCredential, ""}, {"link-pem", FaultCredential, ""},
		{"hard-link.txt", FaultCredential, ""}, {"link-key", FaultOutside, ""}, {"~/.ssh/id_rsa", FaultOutside, ""}, {"../state/sessions/x", FaultOutside, ""}, {"link-state", FaultOutside, ""}, {"link-folder/.env", FaultOutside, ""},
	}
}

// trap puts the links, special files and credentials into the world.
func (w *world) trap() {
	w.t.Helper()
	for _, name := range []string{"ws2/secret.txt", "out2/secret.txt", "home/notes.txt", "state/sessions/x", "out/.env", "ws/.env", "ws/.env.local", "ws/dir/.env.production", "ws/id_rsa", "ws/server.key",
		"ws/.npmrc", "ws/.netrc", "ws/.aws/credentials", "ws/.ssh/config", "ws/store.jks"} {
		w.write(name, w.forbidden)
	}
	w.write("ws/chain.pem", "-----BEGIN CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n"+w.forbidden)
	for name, target := range map[string]string{
		"link-file": w.path("out/secret.txt"), "link-file-relative": "../out/secret.txt", "link-chain": "link-file", "dir/link-up": "../..", "link-folder": w.path("out"),
		"link-folder-relative": "../out", "link-root": "/", "link-up": "..", "link-to-link": "link-folder", "link-dangling-out": w.path("nowhere/new.txt"), "link-dangling-folder": w.path("nowhere"),
		"link-dangling-in": "missing.txt", "link-loop": "link-loop", "link-zero": "/dev/zero", "link-environ": "/proc/self/environ", "link-fd": "/dev/fd/0", "link-proc": "/proc/self", "link-fifo": "fifo",
		"link-env": ".env", "link-pem": "chain.pem", "link-key": w.path("home/.ssh/id_rsa"), "link-state": w.path("state/sessions/x"),
	} {
		w.link(target, "ws/"+name)
	}
	for _, name := range []string{"ws/fifo", "ws/dir/fifo"} {
		if err := syscall.Mkfifo(w.path(name), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := os.Link(w.path("home/.ssh/id_rsa"), w.path("ws/hard-link.txt")); err != nil {
		w.t.Fatal(err)
	}
	w.socket()
}

// socket is bound by a relative name, since a socket's name has to be short.
func (w *world) socket() {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { l.Close() })
	if err := os.Rename(filepath.Join(dir, "s"), w.path("ws/socket")); err != nil {
		w.t.Fatal("a socket cannot be moved between these file systems:", err)
	}
}

// fingerprint sums names, modes and contents of everything outside the workspace.
func (w *world) fingerprint(skip string) string {
	h := sha256.New()
	for _, top := range []string{"out", "out2", "ws2", "home", "state", "nowhere"} {
		if top == skip {
			continue
		}
		_ = filepath.WalkDir(w.path(top), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			info, _ := e.Info()
			fmt.Fprintln(h, path, info.Mode(), info.Size())
			if info.Mode().IsRegular() {
				data, _ := os.ReadFile(path)
				h.Write(data)
			}
			return nil
		})
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// doors are all ways in. Each returns what it got to read.
func (w *world) doors() map[string]func(name string) (string, error) {
	return map[string]func(string) (string, error){
		"Open": func(name string) (string, error) { text, _, err := w.read(name); return text, err },
		"Open through links": func(name string) (string, error) {
			f, _, err := w.roots.openFollowing(name)
			if err != nil {
				return "", err
			}
			defer f.Close()
			data, err := io.ReadAll(f)
			return string(data), err
		},
		"Stat": func(name string) (string, error) {
			info, _, err := w.roots.Stat(name)
			if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
				return "", Refuse(FaultSpecial, name) // a kind may be told, nothing is opened
			}
			if err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, "pem") || err == nil && name == "hard-link.txt" {
				return "", Refuse(FaultCredential, name) // only the content tells
			}
			return "", err
		},
		"ReadDir": func(name string) (string, error) {
			entries, _, err := w.roots.ReadDir(name)
			return fmt.Sprint(len(entries), " entries"), err
		},
		"Walk": func(name string) (string, error) {
			seen := 0
			err := w.roots.Walk(context.Background(), name, func(p Path, e fs.DirEntry) error { seen++; return nil })
			return fmt.Sprint(seen, " entries"), err
		},
		"WriteFile": func(name string) (string, error) {
			_, err := w.roots.WriteFile(name, []byte("WRITTEN"))
			return "", err
		},
	}
}

func TestNoDoorOpensWhatLiesOutside(t *testing.T) {
	w := newWorld(t)
	list := attempts(w)
	before := w.fingerprint("")
	tried := 0
	for door, try := range w.doors() {
		for _, a := range list {
			if door == "Walk" || door == "ReadDir" {
				if a.fault != FaultOutside && a.fault != FaultSpecial {
					continue // a file of the workspace itself may be visited by name
				}
			}
			tried++
			text, err := try(a.name)
			if strings.Contains(text, w.forbidden) {
				t.Errorf("%s(%.80q) read what is outside", door, a.name)
			}
			inside := strings.Contains(a.name, "fifo") || a.name == "socket"
			if err == nil && !(inside && door == "Walk") {
				t.Errorf("%s(%.80q) was not refused", door, a.name)
			}
			if strings.HasPrefix(door, "Open") && fault(err) != a.fault {
				t.Errorf("%s(%.80q) was refused as %q, want %q: %v", door, a.name, fault(err), a.fault, err)
			}
		}
	}
	if after := w.fingerprint(""); after != before {
		t.Error("something outside the workspace changed")
	}
	if tried < 80 {
		t.Errorf("only %d attempts", tried)
	}
}

func TestTrustOpensExactlyWhatWasTrusted(t *testing.T) {
	w := newWorld(t)
	list := attempts(w)
	if _, err := w.roots.AddTrusted(w.path("out")); err != nil {
		t.Fatal(err)
	}
	before := w.fingerprint("out")
	for _, a := range list {
		text, _, err := w.read(a.name)
		if opened := err == nil && text == w.forbidden; opened != (a.with == "file") {
			t.Errorf("Open(%.80q) with trust: opened %v, want %q; %v", a.name, opened, a.with, err)
		}
		_, _, err = w.roots.ReadDir(a.name)
		if opened := err == nil; opened != (a.with == "folder") {
			t.Errorf("ReadDir(%.80q) with trust: opened %v, want %q; %v", a.name, opened, a.with, err)
		}
	}
	for _, a := range list {
		_, err := w.roots.WriteFile(a.name, []byte("WRITTEN"))
		if wrote := err == nil; wrote != (a.with == "file" || a.with == "new") {
			t.Errorf("WriteFile(%.80q) with trust: wrote %v, want %q; %v", a.name, wrote, a.with, err)
		}
	}
	if w.fingerprint("out") != before {
		t.Error("something outside the workspace and the trusted folder changed")
	}
	if !w.roots.RemoveTrusted(w.path("out")) {
		t.Error("the trusted folder was not found again")
	}
	if _, _, err := w.read("link-file"); fault(err) != FaultOutside {
		t.Errorf("after trust ended the link still opens: %v", err)
	}
}

func TestATrustedFileOpensAloneAndItsNeighboursStayOutside(t *testing.T) {
	w := newWorld(t)
	w.write("out/a.png", "picture")
	w.write("out/a.png2", w.forbidden)
	w.write("out/a", w.forbidden)
	p, err := w.roots.AddTrusted(w.path("out/a.png"))
	if err != nil || p.Abs != w.path("out/a.png") {
		t.Fatal(p, err)
	}
	if text, _, err := w.read(w.path("out/a.png")); err != nil || text != "picture" {
		t.Fatal(text, err)
	}
	for _, name := range []string{"out/a.png2", "out/a", "out/secret.txt", "out/a.png/../secret.txt", "out/dir/deep.txt", "out"} {
		if _, _, err := w.read(w.path(name)); fault(err) != FaultOutside {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := w.roots.ReadDir(w.path("out")); fault(err) != FaultOutside {
		t.Errorf("the folder of a trusted file lists: %v", err)
	}
	os.Remove(w.path("out/a.png"))
	w.link("secret.txt", "out/a.png")
	if _, _, err := w.read(w.path("out/a.png")); fault(err) != FaultOutside {
		t.Errorf("a trusted file that became a link opens its target: %v", err)
	}
}

func TestARootOfEverythingCannotBeTrusted(t *testing.T) {
	w := newWorld(t)
	w.link(w.home, "shortcut")
	for _, name := range []string{"/", "~", "~/", w.home, filepath.Dir(w.home), w.path("shortcut"), "/home"} {
		if _, err := os.Stat(name); name == "/home" && err != nil {
			continue
		}
		if p, err := w.roots.AddTrusted(name); err == nil || !strings.Contains(err.Error(), "trust the folder or file in it") {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if list := w.roots.Trusted(); len(list) > 0 {
		t.Errorf("trusted after all: %+v", list)
	}
	if again, err := NewRoots(w.ws, []string{w.home}, w.secrets); err != nil || again.Trusted()[0].Problem == "" {
		t.Errorf("a home folder trusted earlier opens: %v", err)
	} else {
		again.Close()
	}
}

func TestATrustedFolderSwappedForALinkIsNoticed(t *testing.T) {
	w := newWorld(t)
	w.write("shots/one.png", "shot")
	p, err := w.roots.AddTrusted(w.path("shots"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.path("shots"), w.path("moved")); err != nil {
		t.Fatal(err)
	}
	w.link(w.out, "shots")
	if text, _, err := w.read(w.path("shots/secret.txt")); err == nil {
		t.Errorf("the link in its place was followed: %q", text)
	}
	again, err := NewRoots(w.ws, []string{p.Abs}, w.secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, _, err := again.Open(w.path("shots/secret.txt")); fault(err) != FaultOutside {
		t.Errorf("the remembered trust followed the link: %v", err)
	}
	if list := again.Trusted(); len(list) != 1 || !strings.Contains(list[0].Problem, "trust it again") {
		t.Errorf("the swap is not told: %+v", list)
	}
}

// swapper keeps exchanging names for links until it is stopped.
func swapper(w *world, stop <-chan struct{}) {
	temp := w.path("ws/.swap")
	become := func(name, target string) {
		os.Remove(temp)
		if os.Symlink(target, temp) == nil {
			os.Rename(temp, name)
		}
	}
	file := func(name, text string) {
		if os.WriteFile(temp+"f", []byte(text), 0o644) == nil {
			os.Rename(temp+"f", name)
		}
	}
	for {
		select {
		case <-stop:
			return
		default:
		}
		become(w.path("ws/swap"), w.path("out/secret.txt"))
		become(w.path("ws/hidden"), ".env")
		os.Rename(w.path("ws/d"), w.path("ws/d.real"))
		become(w.path("ws/d"), w.path("out/dir"))
		file(w.path("ws/swap"), "inside")
		file(w.path("ws/hidden"), "inside")
		os.Remove(w.path("ws/d"))
		os.Rename(w.path("ws/d.real"), w.path("ws/d"))
	}
}

func TestNamesSwappedBetweenCheckAndUseLeadNowhere(t *testing.T) {
	w := newWorld(t)
	w.write("ws/d/deep.txt", "inside")
	w.write("ws/.env", w.forbidden)
	before := w.fingerprint("")
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { swapper(w, stop) })
	opened := 0
	for i := 0; i < 1500; i++ {
		open := w.roots.Open
		if i%2 == 0 {
			open = w.roots.openFollowing
		}
		for _, name := range []string{"swap", "d/deep.txt", "hidden"} {
			f, _, err := open(name)
			if err != nil {
				continue
			}
			data, _ := io.ReadAll(f)
			f.Close()
			if opened++; strings.Contains(string(data), w.forbidden) {
				t.Errorf("%s read what is outside", name)
			}
		}
		if i%10 == 0 {
			w.roots.WriteFile("swap", []byte("inside"))
			w.roots.WriteFile("d/deep.txt", []byte("inside"))
			w.roots.WriteFile("d/new/file.txt", []byte("inside"))
			w.roots.Walk(context.Background(), "d", func(p Path, e fs.DirEntry) error { return nil })
		}
	}
	close(stop)
	done.Wait()
	if w.fingerprint("") != before {
		t.Error("something outside the workspace was written")
	}
	if env, _ := os.ReadFile(w.path("ws/.env")); string(env) != w.forbidden {
		t.Error("the credential file was written")
	}
	if opened == 0 {
		t.Error("nothing ever opened: the race was not run")
	}
}

func TestASessionsOwnPicturesOpenAndTheRestOfTheStateDoesNot(t *testing.T) {
	w := newWorld(t)
	w.write("state/sessions/s/blobs/1.png", "picture")
	w.write("state/sessions/s/transcript.jsonl", w.forbidden)
	if err := w.roots.AddBlobs(w.path("state/sessions/s/blobs")); err != nil {
		t.Fatal(err)
	}
	if text, _, err := w.read(w.path("state/sessions/s/blobs/1.png")); err != nil || text != "picture" {
		t.Fatal(text, err)
	}
	if _, _, err := w.read(w.path("state/sessions/s/blobs/../transcript.jsonl")); err == nil {
		t.Error("the transcript opens")
	}
	if _, err := w.roots.WriteFile(w.path("state/sessions/s/blobs/1.png"), nil); fault(err) != FaultOutside {
		t.Errorf("a stored picture was written: %v", err)
	}
}

func TestASkillsFolderOpensForReadingAndTheRestOfTheConfigurationDoesNot(t *testing.T) {
	w := newWorld(t) // espy's own files are below state
	w.write("state/skills/draw/help.md", "how to draw")
	w.write("state/skills/draw/.env", w.forbidden)
	w.write("state/skills/other/help.md", w.forbidden)
	w.write("state/config.toml", w.forbidden)
	w.link(w.path("state/config.toml"), "state/skills/draw/link")
	skill := w.path("state/skills/draw")
	if _, _, err := w.read(skill + "/help.md"); err == nil {
		t.Error("a skill opens before it was read")
	}
	for range 2 {
		if err := w.roots.AddSkill(skill); err != nil {
			t.Fatal(err)
		}
	}
	if text, _, err := w.read(skill + "/help.md"); err != nil || text != "how to draw" {
		t.Errorf("a skill's file reads as %q, %v", text, err)
	}
	for _, name := range []string{skill + "/.env", skill + "/link", skill + "/../other/help.md", w.path("state/config.toml")} {
		if text, _, err := w.read(name); err == nil {
			t.Errorf("%s opens: %q", name, text)
		}
	}
	for _, name := range []string{skill + "/help.md", skill + "/new.md"} {
		if _, err := w.roots.WriteFile(name, []byte("x")); fault(err) != FaultOutside {
			t.Errorf("%s was written: %v", name, err)
		}
	}
	deny, err := ParseRule("read(**/help.md)")
	if err != nil {
		t.Fatal(err)
	}
	New(Options{Roots: w.roots, Rules: []SourcedRule{{Rule: deny, Verdict: Deny, Source: SourceUser}}})
	if _, _, err := w.read(skill + "/help.md"); fault(err) != FaultDenied {
		t.Errorf("a deny rule does not hold there: %v", err)
	}
}

func FuzzNoNameReadsWhatLiesOutside(f *testing.F) {
	w := newWorld(f)
	for _, a := range attempts(w) {
		f.Add(a.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for door, open := range map[string]func(string) (*os.File, Path, error){"Open": w.roots.Open, "openFollowing": w.roots.openFollowing} {
			file, p, err := open(name)
			if err != nil {
				continue
			}
			data, _ := io.ReadAll(file)
			file.Close()
			if strings.Contains(string(data), w.forbidden) || !w.roots.InWorkspace(p.Abs) {
				t.Fatalf("%s(%q) opened %s", door, name, p.Abs)
			}
		}
	})
}
