//go:build unix

package e2e

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"espy/ui/terminal"
)

// sized is a PNG picture that claims other dimensions than it has.
func sized(png []byte, width, height uint32) []byte {
	out := append([]byte(nil), png...)
	binary.BigEndian.PutUint32(out[16:], width)
	binary.BigEndian.PutUint32(out[20:], height)
	binary.BigEndian.PutUint32(out[29:], crc32.ChecksumIEEE(out[12:29]))
	return out
}

func TestAFileThatCannotBeAttachedGetsItsSentenceAndKeepsTheLine(t *testing.T) {
	w := newWorld(t)
	whole := shot(t, 300, 300, 1)
	w.write("empty.png", nil)
	w.write("text.png", []byte("only words, no picture\n"))
	w.write("cut.png", whole[:len(whole)/2])
	w.write("wide.png", sized(whole, 9000, 10))
	w.write(".env", []byte("SECRET=1\n"))
	w.write("page.svg", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))
	if err := os.Mkdir(filepath.Join(w.work, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(w.work, "pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := w.opened()
	for _, c := range []struct{ name, sentence string }{
		{"nothing.png", "does not exist; check the spelling"},
		{"folder", "is a folder; name a file inside it"},
		{"empty.png", "is empty (0 bytes)"},
		{"text.png", "text.png is not a picture: it is"},
		{"cut.png", "cut.png is a PNG picture of 300x300 pixels that cannot be decoded"},
		{"wide.png", "is 9000x10 pixels; the longest side may be 8192"},
		{"page.svg", "PNG, JPEG, GIF and WebP are read"},
		{"pipe.png", "is not a regular file"},
		{"/dev/zero", "is not a regular file"},
		{".env", "is a credential file, which is never opened"},
	} {
		line := "/attach " + c.name
		send(term, line)
		says(term, c.sentence)
		term.Until("the line back in the composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), line) })
		if len(w.sessions()) > 0 {
			t.Errorf("%s left something in a session", c.name)
		}
		term.Send("\x15") // ctrl+u
		term.Until("an empty composer", func(s terminal.Screen) bool { return strings.Contains(composer(s), ready) })
	}
	quit(t, term)
}

func TestWhatCanBeAttachedOfALineIsAttached(t *testing.T) {
	w := newWorld(t)
	w.write("good one.png", shot(t, 250, 100, 1))
	w.write("bad.png", nil)
	term := w.opened()
	send(term, `/attach "good one.png" bad.png`)
	term.WaitFor("1 good one.png 250x100")
	says(term, "bad.png is empty (0 bytes)")
	quit(t, term)
}

func TestPicturesOfTheCommandLineStandOnTheRow(t *testing.T) {
	w := newWorld(t)
	w.write("a b.png", shot(t, 260, 100, 1))
	term := w.open("--attach", "a b.png", "--attach", "missing.png")
	term.WaitFor("1 a b.png 260x100")
	says(term, "missing.png does not exist")
	term.Send(terminal.Enter)
	term.WaitFor("image/png, 260x100")
	quit(t, term)
}
