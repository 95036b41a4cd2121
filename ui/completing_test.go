package ui

import (
	"errors"
	"slices"
	"testing"

	"espy/agent"
	"espy/providers"
	"espy/ui/internal/script"
)

func TestCompletionOffersPathsAndPutsThemIn(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Paths = []string{"media/gate.go", "main.go", "my shot.png"}
	d.types("see @gat")
	d.shows("@media/gate.go")
	d.key("tab")
	if got := d.m.comp.buf.text(); got != "see @media/gate.go " {
		t.Errorf("the composer holds %q", got)
	}
	d.types("@my")
	d.shows("my shot.png")
	d.key("enter")
	if got := d.m.comp.buf.text(); got != `see @media/gate.go @"my shot.png" ` {
		t.Errorf("the composer holds %q", got)
	}
}

func TestEnterTakesNoCompletionOfAWordThatWasTypedOnSince(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.intake.Paths = []string{"/bin", "/boot"}
	d.types("/attach /")
	d.shows("/bin")
	d.m.comp.buf.insert("home/shot.png") // and the paths that go on from there are not found yet
	d.m.complete()
	for _, key := range []string{"tab", "enter"} {
		d.key(key)
		if got := d.m.comp.buf.text(); got != "/attach /home/shot.png" && got != "" {
			t.Errorf("%s made %q of what was typed", key, got)
		}
	}
}

func TestEnterTakesACommandThatWasWrittenAndNotOneWithItsLettersScattered(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	first := func(typed string) string {
		d.types(typed)
		defer func() { d.m.comp.buf.clear() }()
		if !d.m.hints.open() {
			return ""
		}
		return d.m.hints.items[0].insert
	}
	for typed, want := range map[string]string{"/m": "model", "/co": "compact", "/e": "effort", "/mage": "images", "/dit": "editor", "/uit": "quit", "/EXP": "expand"} {
		if got := first(typed); got != want {
			t.Errorf("%s offers %q first, want %q", typed, got, want)
		}
	}
	d.types("/qt")
	d.key("enter")
	d.shows("there is no command /qt")
	if d.quit {
		t.Fatal("two letters of /quit ended the program")
	}
	d.key("tab")
	if got := d.m.comp.buf.text(); got != "/quit " {
		t.Errorf("tab makes %q of it", got)
	}
}

func TestAModelNoListKnowsIsChosenByItsName(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) {
		o.Models = func() []providers.Route { return []providers.Route{script.Route()} }
		o.Model = func(name string) (providers.Route, error) {
			if name != "local/new" {
				return providers.Route{}, errors.New("nobody serves " + name)
			}
			return script.Blind(), nil
		}
	}, script.Opened())
	d.types("/model away/new")
	d.key("enter")
	d.shows("nobody serves away/new")
	d.types("/model local/new and more")
	d.key("enter")
	d.shows("there is no model")
	letters := script.Route().Name() // each second letter of a listed name is no choice of that name
	typed := ""
	for i := 0; i < len(letters); i += 2 {
		typed += letters[i : i+1]
	}
	if got := matching(typed, []string{letters}); len(got) > 0 {
		t.Errorf("%q is completed to %v", typed, got)
	}
	d.types("/model local/new")
	d.key("enter")
	d.until("the loop is told", func() bool {
		return slices.ContainsFunc(d.loop.Commands(), func(c agent.Command) bool { _, ok := c.(agent.SetRoute); return ok })
	})
}

func TestAPickerFindsWhatIsWrittenBeforeWhatHasItsLetters(t *testing.T) {
	choices := []choice{{label: "x/other-plus"}, {label: "x/o-p-u-s"}, {label: "anthropic/claude-opus-5", about: "sees"}, {label: "x/blind", about: "opus"}}
	got := search("opus", choices)
	if len(got) < 3 || got[0] != 2 || got[1] != 3 {
		t.Errorf("found %v, want the name, then the words, then the letters", got)
	}
	if got := search("sees claude", choices); len(got) != 1 || got[0] != 2 {
		t.Errorf("two words found %v", got)
	}
}

func TestACommandTypedInFullIsTheOneThatEnterRuns(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) { o.Models = func() []providers.Route { return []providers.Route{script.Route()} } }, script.Opened())
	for _, s := range d.m.slashes() {
		d.m.comp.buf.clear()
		d.types("/" + s.name)
		if len(d.m.hints.items) == 0 || d.m.hints.items[d.m.hints.selected].insert != s.name {
			t.Errorf("after /%s enter would run %+v", s.name, d.m.hints.items)
		}
	}
	d.m.comp.buf.clear()
	d.types("/mode")
	d.key("enter")
	d.shows("permission mode")
}

func TestANameTypedInFullStandsBeforeThoseThatHoldIt(t *testing.T) {
	for _, query := range []string{"main.go", "b/a", "echo"} {
		names := []string{"x/" + query, query + "/y", "cmd/deep/" + query, query}
		if got := ranked(query, names)[0].insert; got != query {
			t.Errorf("after %q enter would take %q", query, got)
		}
	}
}
