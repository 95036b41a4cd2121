//go:build unix

package e2e

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"espy/ui/terminal"
)

var (
	transmitted = regexp.MustCompile(`\x1b_G[^;\x1b]*\ba=T[^;\x1b]*`)
	removed     = regexp.MustCompile(`\x1b_G(?:[^;\x1b]*,)?a=d[^;\x1b]*`)
	pictureID   = regexp.MustCompile(`\bi=(\d+)`)
)

// ids are the numbers of pictures that commands name.
func ids(out []byte, commands *regexp.Regexp) map[string]int {
	found := map[string]int{}
	for _, c := range commands.FindAll(out, -1) {
		if m := pictureID.FindSubmatch(c); m != nil {
			found[string(m[1])]++
		}
	}
	return found
}

func TestPicturesTheTerminalDrawsComeAfterTheScreenAndGoBeforeIt(t *testing.T) {
	w := newWorld(t)
	w.configure("[ui]\npreviews = \"kitty\"\n")
	w.write("shot.png", shot(t, 320, 200, 1))
	term := w.open("--attach", filepath.Join(w.work, "shot.png"))
	term.WaitFor("\U0010eeee")
	term.UntilOutput("U=1")
	send(term, "what is it")
	term.WaitFor("image: image/png, 320x200")
	term.Until("the picture in the conversation", func(s terminal.Screen) bool {
		return strings.Count(s.String(), "\U0010eeee") > 40 && len(ids(term.Output(), transmitted)) >= 2
	})
	term.Resize(90, 30)
	term.Resize(cols, rows)
	quit(t, term)
	out := term.Output()
	enter, leave := bytes.Index(out, []byte("\x1b[?1049h")), bytes.LastIndex(out, []byte("\x1b[?1049l"))
	if first := bytes.Index(out, []byte("\x1b_G")); first < enter {
		t.Errorf("a picture was sent at byte %d, before the screen was entered at %d", first, enter)
	}
	if bytes.Contains(out[leave:], []byte("\x1b_G")) {
		t.Error("something was said of pictures after the screen was left")
	}
	gone := ids(out[:leave], removed)
	for id := range ids(out, transmitted) {
		if gone[id] == 0 {
			t.Errorf("picture %s was left in the terminal", id)
		}
	}
}

func TestWithPreviewsOffNoPictureIsDrawn(t *testing.T) {
	w := newWorld(t)
	w.configure("[ui]\npreviews = \"off\"\n")
	w.write("shot.png", shot(t, 320, 200, 1))
	term := w.open("--attach", filepath.Join(w.work, "shot.png"))
	term.WaitFor("1 shot.png 320x200")
	send(term, "what is it")
	term.WaitFor("image: image/png, 320x200")
	if s := term.Screen(); s.Contains("▀") || bytes.Contains(term.Output(), []byte("\x1b_G")) {
		t.Errorf("a picture is drawn:\n%s", s.Framed())
	}
	quit(t, term)
}

func TestWhatIsBlackedOutOnTheScreenIsBlackInWhatIsSent(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 320, 200, 1))
	term := w.open("--attach", filepath.Join(w.work, "shot.png"))
	term.WaitFor("1 shot.png 320x200")
	term.Send("\x1b[A")
	term.WaitFor("looks")
	term.Send(terminal.Enter)
	term.WaitFor("showing 0,0 320x200 of 320x200")
	term.Send("m")
	term.WaitFor("rectangle x 80  y 50  width 160  height 100")
	term.Send("x")
	term.WaitFor("hidden for good")
	term.Send("q")
	term.WaitFor("1 area blacked out")
	term.Send("\x1b[B")
	send(term, "look")
	ref := refOf(t, term.WaitFor("image: image/png, 320x200").String())
	found, err := filepath.Glob(filepath.Join(w.root, "state/espy/sessions/*/*/*.png"))
	if err != nil || len(found) != 1 || !strings.HasSuffix(ref, filepath.Base(found[0])) {
		t.Fatalf("on disk are %v, want only %s", found, ref)
	}
	for _, p := range []struct{ x, y int }{{80, 50}, {239, 149}, {160, 100}} {
		if c := pixel(t, found[0], p.x, p.y); c != "0,0,0" {
			t.Errorf("the pixel at %d,%d is %s, want black", p.x, p.y, c)
		}
	}
	if c := pixel(t, found[0], 10, 10); c == "0,0,0" {
		t.Error("a pixel outside is black as well")
	}
	term.WaitFor(ready)
	send(term, `call read_media {"path":"shot.png"}`)
	term.WaitFor("hid parts")
	quit(t, term)
}
