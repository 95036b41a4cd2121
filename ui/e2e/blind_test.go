//go:build unix

package e2e

import (
	"strings"
	"testing"

	"espy/ui/terminal"
)

func TestAPictureForAModelWithoutSightIsStoppedBeforeTheTurnAndKept(t *testing.T) {
	w := newWorld(t)
	script := w.write(w.root+"/script.toml", []byte("[[answer]]\nrepeat = -1\nsteps = [ { text = \"I see it\" } ]\n"))
	w.configure(`
[providers.played]
protocol = "fake"
script = "` + script + `"

[[models]]
id = "fake/echo"
image_input = "unsupported"

[[models]]
id = "played/one"
image_input = "supported"
`)
	term := w.opened()
	says(term, "this model cannot see images; /model lists those that can")
	term.Paste(w.write("shot.png", shot(t, 290, 100, 1)))
	term.WaitFor("1 shot.png 290x100")
	send(term, "what is it")
	s := term.Until("a refusal", func(s terminal.Screen) bool { return s.Contains("✗") && s.Contains("/model") })
	if c := composer(s); !strings.Contains(c, "› what is it") || !strings.Contains(c, "1 shot.png 290x100") {
		t.Errorf("the message is not where it was:\n%s", s.Framed())
	}
	if len(w.sessions()) > 0 {
		t.Error("a message that was stopped was written")
	}
	term.Send("\x1bm") // alt+m: the list of models, without losing the text
	term.WaitFor("filter")
	term.Send("played")
	term.WaitFor("filter: played")
	term.Send(terminal.Enter)
	s = term.Until("the other model", func(s terminal.Screen) bool { return strings.Contains(composer(s), "played/one") })
	if c := composer(s); !strings.Contains(c, "› what is it") || !strings.Contains(c, "1 shot.png 290x100") {
		t.Errorf("the message was lost while the model was chosen:\n%s", s.Framed())
	}
	term.Send(terminal.Enter)
	s = term.WaitFor("I see it")
	if !s.Contains("image 1  shot.png  290x100") {
		t.Errorf("the picture was not sent:\n%s", s.Framed())
	}
	quit(t, term)
}
