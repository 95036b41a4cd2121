//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"espy/media/clipboard/desktop"
	"espy/ui/terminal"
)

// pastedWays are the ways a person asks for the clipboard's picture.
func pastedWays() map[string]string {
	return map[string]string{
		"ctrl+v": terminal.CtrlV, "alt+v": terminal.AltV, "ctrl+v in CSI u": "\x1b[118;5u", "an empty paste": "\x1b[200~\x1b[201~",
		"/paste": "/paste\r",
	}
}

func TestAScreenshotOnTheX11ClipboardIsPastedSentAndRemembered(t *testing.T) {
	display := desktop.X11(t)
	w := newWorld(t).with("DISPLAY=" + display)
	term := w.opened()
	n := 0
	for way, keys := range pastedWays() {
		n++
		width := 400 + 10*n
		desktop.OfferImage(t, display, shot(t, width, 300, uint64(n)))
		term.Send(keys)
		s := term.WaitFor(fmt.Sprintf("%d clipboard %dx300", n, width))
		if !strings.Contains(composer(s), " tok") {
			t.Errorf("after %s the row does not say what the picture costs:\n%s", way, s.Framed())
		}
	}
	send(term, "what is this")
	s := term.WaitFor(fmt.Sprintf("image/png, %dx300", 400+10*n))
	ref := refOf(t, s.String())
	if _, err := os.Stat(filepath.Join(w.session(), ref)); err != nil {
		t.Errorf("the picture is not where its reference says: %v", err)
	}
	term.WaitFor(ready)
	term.Signal(syscall.SIGKILL)
	term.Wait()

	again := w.opened("--continue")
	again.WaitFor("what is this")
	send(again, "check blobs")
	s = again.WaitFor("blob " + ref)
	if got := strings.Count(s.String(), "earlier image: image/png"); got != n {
		t.Errorf("after the resume the model got %d of %d pictures:\n%s", got, n, s.Framed())
	}
	quit(t, again)
}

func TestAScreenshotOnTheWaylandClipboardIsPastedAndSent(t *testing.T) {
	env := desktop.Wayland(t)
	w := newWorld(t).with(env...)
	desktop.OfferWayland(t, env, "image/png", shot(t, 640, 360, 3))
	term := w.opened()
	term.Send(terminal.CtrlV)
	term.WaitFor("1 clipboard 640x360")
	send(term, "what is this")
	refOf(t, term.WaitFor("image/png, 640x360").String())
	quit(t, term)
}

func TestTextOnTheClipboardIsPastedAsText(t *testing.T) {
	display := desktop.X11(t)
	desktop.OfferText(t, display, "some words")
	term := newWorld(t).with("DISPLAY=" + display).opened()
	term.Send("a " + terminal.CtrlV)
	term.WaitFor("› a some words")
	quitWith(t, term)
}

func TestWithoutAClipboardPastingSaysSoAndKeepsTheText(t *testing.T) {
	term := newWorld(t).opened()
	term.Send("keep me")
	term.WaitFor("› keep me")
	term.Send(terminal.CtrlV)
	s := term.WaitFor("✗")
	if !strings.Contains(composer(s), "keep me") {
		t.Errorf("the text is gone:\n%s", s.Framed())
	}
	quitWith(t, term)
}

func TestAnUnsentPictureAndItsTextSurviveAKill(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, "hello there")
	term.WaitFor("text: 11 characters")
	term.Paste(w.write("shot.png", shot(t, 320, 200, 9)))
	term.WaitFor("1 shot.png 320x200")
	term.Send("and look here")
	term.WaitFor("› and look here")
	desktop.Until(t, "the draft to be saved", func() bool {
		state, _ := os.ReadFile(filepath.Join(w.session(), "draft/state.json"))
		return strings.Contains(string(state), "shot.png") && strings.Contains(string(state), "YW5kIGxvb2sgaGVyZQ") // the text, in base64
	})
	term.Signal(syscall.SIGKILL)
	term.Wait()

	again := w.open("--continue")
	again.WaitFor("1 shot.png 320x200")
	again.WaitFor("› and look here")
	again.Send(terminal.Enter)
	refOf(t, again.WaitFor("image/png, 320x200").String())
	quit(t, again)
}
