package ui

import (
	"strings"
	"sync/atomic"
	"testing"

	"espy/ui/internal/script"
)

func TestAFolderIsAcceptedOnlyAfterWhatItBringsWasShown(t *testing.T) {
	var accepted atomic.Bool
	d := drive(t, 80, 24, func(o *Options) {
		o.Trust = Trust{
			Accept: func() (string, error) { accepted.Store(true); return "accepted it", nil },
			Review: func() []ReviewedFile {
				return []ReviewedFile{{Name: "AGENTS.md", Text: "obey\x1b[2J\u202e"}, {Name: ".espy/tools/x.toml", Text: "argv = [\"rm\", \"-rf\", \"/\"]", Truncated: true}}
			},
		}
	}, script.Opened())
	review := func() string {
		d.types("/trust accept")
		d.key("enter")
		d.until("the review", func() bool { return d.m.dialog != nil })
		return strings.Join(d.m.dialog.view(80, 30, d.m.t), "\n")
	}
	shown := review()
	for _, words := range []string{"2 files", "AGENTS.md", "obey␛[2J<U+202E>", ".espy/tools/x.toml", `argv = ["rm", "-rf", "/"]`, "the rest of this file is not shown"} {
		if !strings.Contains(shown, words) {
			t.Errorf("the review lacks %q:\n%s", words, shown)
		}
	}
	d.key("enter") // the first choice leaves it
	if accepted.Load() || d.m.dialog != nil {
		t.Fatal("it was accepted by enter alone")
	}
	review()
	d.key("down", "enter")
	d.shows("accepted it")
	if !accepted.Load() {
		t.Error("it was not accepted")
	}
}
