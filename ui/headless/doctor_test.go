package headless

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"espy/media/clipboard"
	"espy/providers"
	"espy/providers/discover"
	"espy/ui/input"
)

// told is what doctor prints of facts, with runs of blanks as one, and how it ended.
func told(t *testing.T, f DoctorFacts, env map[string]string) (string, error) {
	t.Helper()
	f.State, f.Getenv = t.TempDir(), func(name string) string { return env[name] }
	if f.Colours == "" {
		f.Colours = "256"
	}
	var out bytes.Buffer
	err := Doctor(t.Context(), f, Output{Out: &out, Err: &out})
	return strings.Join(strings.Fields(out.String()), " "), err
}

func TestDoctorSaysWhatEachThingAnsweredAndHowToMendIt(t *testing.T) {
	kitty := input.Told{Answered: true, Graphics: true, PasteMarks: true}
	kitty.Caps = input.Caps{Name: "kitty", Version: "0.46.2", Placeholders: true, Events: true, Shade: input.Dark}
	foot := input.Told{Answered: true, PasteMarks: true}
	foot.Name = "foot"
	ssh := "10.0.0.1 1 10.0.0.2 22"
	own := providers.Server{Name: "box", Protocol: "chat", BaseURL: "http://box:1/v1", Own: true, KeyEnv: "BOX_KEY"}
	for _, c := range []struct {
		what  string
		facts DoctorFacts
		env   map[string]string
		bad   bool
		want  []string
	}{
		{"kitty over SSH", DoctorFacts{Terminal: kitty, Remote: true, Colours: "16 million"}, map[string]string{"TERM": "xterm-kitty", "SSH_CONNECTION": ssh}, false,
			[]string{"ok terminal TERM=xterm-kitty, calls itself kitty 0.46.2, over SSH", "ok colours 16 million, on a dark background", "ok pictures drawn by the terminal", "pictures come through the terminal too", "the terminal brings it over", "OSC 52"}},
		{"another terminal over SSH", DoctorFacts{Terminal: foot, Remote: true}, map[string]string{"TERM": "foot", "SSH_TTY": "/dev/pts/1"}, false,
			[]string{"half blocks", "marked (bracketed paste)", "note clipboard on the other side of the SSH connection → copy the picture here (scp) and use /attach PATH"}},
		{"kitty's pictures kept back by tmux", DoctorFacts{Terminal: foot, Tmux: "off"}, map[string]string{"TERM": "tmux-256color", "TMUX": "x", "KITTY_WINDOW_ID": "1"}, false,
			[]string{"tmux does not pass", "→ tmux set -g allow-passthrough on", "→ tmux set -g set-clipboard external"}},
		{"no colours", DoctorFacts{}, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false, []string{"NO_COLOR is set", "note terminal TERM=xterm; it answered no question"}},
		{"a dumb terminal", DoctorFacts{Unasked: input.ErrCannotAsk}, map[string]string{"TERM": "dumb"}, true, []string{"BAD terminal", "espy run"}},
		{"a display that cannot be reached", DoctorFacts{Terminal: foot, Clipboard: []clipboard.Reached{{Way: "X11", Err: errors.New("display :9 cannot be reached"), Remedy: "check DISPLAY"}}}, map[string]string{"TERM": "foot"}, true,
			[]string{"BAD clipboard X11: display :9 cannot be reached → check DISPLAY"}},
		{"one of two ways works", DoctorFacts{Terminal: foot, Clipboard: []clipboard.Reached{{Way: "wl-paste", Err: errors.New("not installed"), Remedy: "install wl-clipboard"}, {Way: "X11", Holds: "text"}}}, map[string]string{"TERM": "foot"}, false,
			[]string{"note clipboard wl-paste: not installed → install wl-clipboard", "ok clipboard X11 answers; there is text on it"}},
		{"a server that does not answer", DoctorFacts{Servers: []providers.Server{own}, Asked: []discover.Answer{{Server: "box", Err: errors.New("no route to host")}}}, map[string]string{"TERM": "foot"}, true,
			[]string{"BAD server box: no route to host → start it, or correct its base_url (http://box:1/v1)"}},
		{"a server that refuses the key", DoctorFacts{Servers: []providers.Server{own}, Asked: []discover.Answer{{Server: "box", Err: &providers.Error{Class: providers.ClassAuth, Message: "bad key"}}}}, map[string]string{"TERM": "foot"}, true,
			[]string{"→ its key is not taken: set BOX_KEY anew, or type one with /key box"}},
		{"nothing on this machine", DoctorFacts{Asked: []discover.Answer{{Server: "ollama", Err: errors.New("refused")}, {Server: "vllm", Err: errors.New("refused")}}}, map[string]string{"TERM": "foot"}, false,
			[]string{"note servers none answers at the usual address of ollama, vllm"}},
		{"nobody is asked", DoctorFacts{Silent: true}, map[string]string{"TERM": "foot"}, false, []string{"note servers not asked"}},
		{"a fault of the settings", DoctorFacts{Problems: []string{"config.toml:3: no such key"}}, map[string]string{"TERM": "foot"}, true, []string{"BAD configuration config.toml:3: no such key → mend the file"}},
	} {
		got, err := told(t, c.facts, c.env)
		if (err != nil) != c.bad {
			t.Errorf("%s: ended with %v, want a failure: %v", c.what, err, c.bad)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.what, want, got)
			}
		}
	}
}

func TestEveryLineOfDoctorThatFailsHasARemedy(t *testing.T) {
	for _, c := range checks(t.Context(), DoctorFacts{State: "/proc/nowhere", Getenv: func(string) string { return "" }, Colours: "16", Problems: []string{"a fault"},
		Clipboard: []clipboard.Reached{{Way: "xclip", Err: errors.New("not installed"), Remedy: "install xclip"}},
		Servers:   []providers.Server{{Name: "box", Own: true}}, Asked: []discover.Answer{{Server: "box", Err: errors.New("no")}}}) {
		if c.State != "ok" && c.Remedy == "" {
			t.Errorf("%s (%s) has no remedy: %s", c.Name, c.State, c.Found)
		}
	}
}

func TestDoctorWrapsToTheTerminalUnderItsOwnFirstLine(t *testing.T) {
	var out bytes.Buffer
	printHung(Output{Out: &out}, "ok    sandbox       ", strings.Repeat("words ", 30), 60)
	for i, line := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
		if len(line) > 60 || i > 0 && !strings.HasPrefix(line, strings.Repeat(" ", 21)+"words") {
			t.Errorf("line %d is %q", i, line)
		}
	}
}
