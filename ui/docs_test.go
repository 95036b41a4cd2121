package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"espy/ui/input"
)

func TestTheKeysPageIsMadeFromTheTable(t *testing.T) {
	path := filepath.Join("..", "docs", "keys.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(KeysPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != KeysPage() {
		t.Error("docs/keys.md is not what the table says; go test ./ui -run Keys -update writes it anew")
	}
}

func TestEveryKeyOfTheTableIsOneTheInputCanName(t *testing.T) {
	for _, b := range bindings() {
		for _, key := range b.keys {
			if name, err := input.Canonical(key); err != nil || name != key {
				t.Errorf("%s is bound to %q, which the input names %q (%v)", b.action, key, name, err)
			}
		}
	}
}

func TestNoKeyMeansTwoThingsInOnePlace(t *testing.T) {
	have := map[string]action{}
	for _, b := range bindings() {
		for _, key := range b.keys {
			at := string(b.in) + " " + key
			if other, ok := have[at]; ok {
				t.Errorf("%s is both %s and %s", at, other, b.action)
			}
			have[at] = b.action
		}
	}
}

func TestSettingsMoveAKeyAndTakeItFromItsOldAction(t *testing.T) {
	k := newKeymap(map[string][]string{"send": {"Control+S"}, "newline": {"enter"}})
	if got := k.find(inComposer, "ctrl+s"); got != actSend {
		t.Errorf("ctrl+s is %q, want send", got)
	}
	if got := k.find(inComposer, "enter"); got != actNewline {
		t.Errorf("enter is %q, want newline", got)
	}
	if slices.Contains(strings.Fields(k.key(actSteer)), "ctrl+s") {
		t.Error("steer still claims ctrl+s")
	}
}
