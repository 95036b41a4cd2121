package ui

import (
	"strings"
	"testing"

	"espy/ui/input"
	"espy/ui/internal/script"
)

func TestTheUsualKeysHaveNoFaults(t *testing.T) {
	if faults := KeyFaults(nil); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
	for _, b := range bindings() {
		for _, key := range b.keys {
			if name, err := input.Canonical(key); err != nil || name != key {
				t.Errorf("%s has %q, which is written %q (%v)", b.action, key, name, err)
			}
		}
	}
	for i, row := range KeyTable(nil) {
		if len(row.Keys) == 0 || row.Where == "" || row.About == "" {
			t.Errorf("row %d says too little: %+v", i, row)
		}
	}
	if got, want := len(KeyTable(nil)), len(bindings()); got != want {
		t.Errorf("%d actions are listed, there are %d", got, want)
	}
}

func TestKeysThatCannotBeMeantAreTold(t *testing.T) {
	for _, c := range []struct {
		what string
		keys map[string][]string
		want string // "" for no fault
	}{
		{"another key", map[string][]string{"send": {"ctrl+x"}}, ""},
		{"a key taken from an action that has others", map[string][]string{"steer": {"ctrl+j"}}, ""},
		{"two actions with one key", map[string][]string{"send": {"ctrl+x"}, "steer": {"ctrl+x"}}, "ctrl+x is also given to send (composer)"},
		{"one key in two places", map[string][]string{"send": {"ctrl+x"}, "row-detail": {"ctrl+x"}}, ""},
		{"a key that does something everywhere", map[string][]string{"send": {"pgup"}}, "pgup does scroll-up everywhere, so that it never reaches send"},
		{"a letter", map[string][]string{"help": {"h"}}, "h is a character"},
		{"a letter where nothing is typed", map[string][]string{"view-crop": {"k"}, "view-up": {"w"}}, ""},
		{"the last key of another", map[string][]string{"steer": {"enter"}}, "steer takes the last key of send (enter)"},
		{"the last key of another, everywhere", map[string][]string{"help": {"ctrl+k"}}, "help takes the last key of kill-to-end (ctrl+k)"},
		{"an action without keys, on purpose", map[string][]string{"suspend": {}}, ""},
		{"no way out of the viewer", map[string][]string{"view-leave": {}}, "view-leave has no key and nothing else leaves there, so it keeps ctrl+c"},
	} {
		faults := KeyFaults(c.keys)
		switch {
		case c.want == "" && len(faults) > 0:
			t.Errorf("%s: %+v", c.what, faults)
		case c.want != "" && (len(faults) == 0 || !strings.Contains(faults[0].Sentence, c.want)):
			t.Errorf("%s: %+v, want %q", c.what, faults, c.want)
		}
	}
}

func TestNoSettingsOfKeysLockAnybodyIn(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) {
		o.Keys = map[string][]string{"dismiss": {}, "view-leave": {}, "row-leave": {}, "item-leave": {}, "cancel": {}}
	}, conversation())
	d.key("f1")
	if d.key("ctrl+c"); d.m.dialog != nil {
		t.Error("the help cannot be closed")
	}
	d.key("ctrl+t")
	if d.key("ctrl+c"); d.m.list.picked >= 0 {
		t.Error("the transcript cannot be left")
	}
	d.key("ctrl+c", "ctrl+c")
	d.until("the program can be left", func() bool { return d.quit })
}

func TestVimsWayOutOfWritingIsAnActionLikeAnyOther(t *testing.T) {
	d := drive(t, 80, 24, func(o *Options) {
		o.Vim, o.Keys = true, map[string][]string{"vim-commands": {"ctrl+]"}}
	}, script.Opened())
	d.types("ab")
	if d.key("esc"); d.m.comp.vim.commands {
		t.Error("esc still leaves writing")
	}
	d.key("ctrl+]")
	if !d.m.comp.vim.commands {
		t.Error("the key of the settings does not leave writing")
	}
}

func TestWhatWasUndoneComesBack(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened())
	d.types("one ")
	d.types("two")
	all := d.m.comp.buf.text()
	d.key("ctrl+_", "ctrl+_")
	undone := d.m.comp.buf.text()
	d.key("alt+Z", "ctrl+shift+z", "alt+Z")
	if got := d.m.comp.buf.text(); undone == all || got != all {
		t.Errorf("undone it was %q, redone it is %q, want %q", undone, got, all)
	}
	d.key("ctrl+_")
	d.types("x")
	if text := d.m.comp.buf.text(); text != "one x" {
		t.Fatalf("typing after an undo makes %q", text)
	}
	if d.key("alt+Z"); d.m.comp.buf.text() != "one x" {
		t.Errorf("a redo after typing makes %q", d.m.comp.buf.text())
	}
}
