package main

import (
	"os/exec"
	"strings"
	"testing"
)

// room gives a package its height in the house; a package imports only what stands lower, or its own room.
func room(pkg string) (name string, height int) {
	path := strings.TrimPrefix(pkg, "espy/")
	for _, r := range []struct {
		prefix string
		height int
	}{
		{"agent/message", 0},
		{"store", 1}, {"media", 1}, {"config", 1}, {"providers", 1},
		{"agent/guard", 2},
		{"agent/projection", 3}, {"agent/checkpoint", 3}, {"agent/tools", 3}, {"agent/extend", 4},
		{"agent", 5},
		{"ui", 6},
	} {
		if path == r.prefix || strings.HasPrefix(path, r.prefix+"/") {
			return r.prefix, r.height
		}
	}
	return pkg, 7
}

func TestRoomsImportOnlyWhatStandsBelowThem(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		from, height := room(words[0])
		for _, imported := range words[1:] {
			if strings.HasPrefix(imported, "github.com/charmbracelet/bubbletea") && from != "ui" && from != "espy" {
				t.Errorf("%s imports Bubble Tea, which belongs to ui alone", words[0])
			}
			if !strings.HasPrefix(imported, "espy/") {
				continue
			}
			if to, below := room(imported); to != from && below >= height {
				t.Errorf("%s imports %s, which does not stand below it", words[0], imported)
			}
		}
	}
}

func TestTheVocabularyAndTheSettingsKnowNobody(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./agent/message", "./config").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if _, imports, _ := strings.Cut(line, " "); strings.Contains(" "+imports, " espy/") {
			t.Errorf("%s", line)
		}
	}
}
