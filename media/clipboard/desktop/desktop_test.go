//go:build unix

package desktop

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

func outputOf(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out
}

func TestAPictureOfferedOnXCanBeAskedForByOtherPrograms(t *testing.T) {
	display := X11(t)
	data := bytes.Repeat([]byte("picture"), 1000)
	OfferImage(t, display, data)
	got := outputOf(t, []string{"DISPLAY=" + display}, "xclip", "-selection", "clipboard", "-o", "-t", "image/png")
	if !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back, want %d", len(got), len(data))
	}
}

func TestAnOwnerHandsOverEveryFlavourInPieces(t *testing.T) {
	Need(t, "xclip")
	display := X11(t)
	data := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	Owner{Flavours: []Flavour{{Target: "image/png", Data: data}, {Target: "UTF8_STRING", Data: []byte("words")}}}.Own(t, display)
	env := []string{"DISPLAY=" + display}
	if got := outputOf(t, env, "xclip", "-selection", "clipboard", "-o", "-t", "image/png"); !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back, want %d", len(got), len(data))
	}
	if got := outputOf(t, env, "xclip", "-selection", "clipboard", "-o", "-t", "UTF8_STRING"); string(got) != "words" {
		t.Errorf("the text came back as %q", got)
	}
}

func TestAPictureOfferedOnWaylandCanBeAskedForByOtherPrograms(t *testing.T) {
	Need(t, "wl-paste")
	env := Wayland(t)
	data := bytes.Repeat([]byte("picture"), 1000)
	OfferWayland(t, env, "image/png", data)
	if got := outputOf(t, env, "wl-paste", "--type", "image/png"); !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back, want %d", len(got), len(data))
	}
}

func TestServersEndWithTheirTest(t *testing.T) {
	var display string
	t.Run("inner", func(t *testing.T) { display = X11(t) })
	if display == "" {
		t.Skip("no X server here")
	}
	Until(t, "the X server to be gone", func() bool {
		return exec.Command("sh", "-c", "DISPLAY="+display+" xclip -o -selection clipboard -t TARGETS").Run() != nil
	})
}
