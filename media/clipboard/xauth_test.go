//go:build unix

package clipboard

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/media/clipboard/desktop"
)

// authEntry is one entry of an X authority file.
func authEntry(family uint16, fields ...string) []byte {
	out := binary.BigEndian.AppendUint16(nil, family)
	for _, field := range fields {
		out = binary.BigEndian.AppendUint16(out, uint16(len(field)))
		out = append(out, field...)
	}
	return out
}

func TestAnXServerThatWantsACookieIsGivenIt(t *testing.T) {
	cookie := "0123456789abcdef"
	file := filepath.Join(t.TempDir(), "authority")
	entries := append(authEntry(familyWild, "", "", "OTHER-PROTOCOL", "x"), authEntry(familyWild, "", "", xCookie, cookie)...)
	if err := os.WriteFile(file, entries, 0o600); err != nil {
		t.Fatal(err)
	}
	display := desktop.X11(t, "-auth", file)
	env := session("DISPLAY="+display, "XAUTHORITY="+file)
	env.ReadFile = os.ReadFile
	if e := faultOf(t, env); e.Fault != FaultNothing {
		t.Errorf("with the cookie: fault %s (%s), want an empty clipboard", e.Fault, e)
	}
	if e := faultOf(t, fakes(t, session("DISPLAY="+display), nil)); e.Fault != FaultUnavailable || !strings.Contains(e.Sentence, "refused") {
		t.Errorf("without the cookie: fault %s (%s), want a refusal", e.Fault, e)
	}
}

func TestTheCookieOfTheRightDisplayIsFound(t *testing.T) {
	file := bytes.Join([][]byte{
		authEntry(familyLocal, "elsewhere", "0", xCookie, "wrong machine"),
		authEntry(familyLocal, "here", "1", xCookie, "wrong display"),
		authEntry(familyLocal, "here", "0", xCookie, "local"),
		authEntry(0, "\x0a\x00\x00\x07", "10", xCookie, "by address"),
	}, nil)
	for display, want := range map[string]string{":0": "local", "unix:0.1": "local", "10.0.0.7:10.0": "by address", ":2": "", "localhost:0": "local"} {
		d, err := parseDisplay(display)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(findCookie(file, d, "here")); got != want {
			t.Errorf("%s gets the cookie %q, want %q", display, got, want)
		}
	}
}

func FuzzXAuthority(f *testing.F) {
	f.Add(authEntry(familyWild, "", "", xCookie, "0123456789abcdef"), ":0")
	f.Add([]byte{1, 0, 0, 9}, "host:1.2")
	f.Fuzz(func(t *testing.T, data []byte, display string) {
		d, err := parseDisplay(display)
		if err != nil {
			return
		}
		if cookie := findCookie(data, d, "here"); len(cookie) > len(data) {
			t.Fatal("a cookie longer than its file")
		}
	})
}

func FuzzPowerShellAnswer(f *testing.F) {
	f.Add([]byte("image/png iVBORw0KGgo=\r\nend\r\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		if held, err := parseAnswer(out); err == nil && held == nil {
			t.Fatal("an answer without error and without a map")
		}
	})
}

func FuzzAppleData(f *testing.F) {
	f.Add([]byte("«data PNGf89504E47»\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		if data, err := parseAppleData(out); err == nil && len(data) > len(out) {
			t.Fatal("more data than its text holds")
		}
	})
}
