package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"espy/agent/guard"
)

func TestFilesThatAreRefusedAreNotOfferedForCompletion(t *testing.T) {
	h := newHouse(t, guard.ModeAsk)
	elsewhere := t.TempDir()
	for _, dir := range []string{h.dir, elsewhere} {
		for _, name := range []string{".env", "id_rsa", "server.key", ".env.example", "main.go"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, prefix := range []string{"", ".env", elsewhere + "/", elsewhere + "/.", elsewhere + "/s"} {
		for _, name := range h.intake.Complete(t.Context(), prefix, 50) {
			if base := filepath.Base(name); slices.Contains([]string{".env", "id_rsa", "server.key"}, base) {
				t.Errorf("%q offers %s", prefix, name)
			}
		}
	}
	if got := h.intake.Complete(t.Context(), "main", 50); !slices.Contains(got, "main.go") {
		t.Errorf("main.go is not offered: %v", got)
	}
	if got := h.intake.Complete(t.Context(), elsewhere+"/.env", 50); !slices.Contains(got, elsewhere+"/.env.example") {
		t.Errorf("an example is not offered: %v", got)
	}
}
