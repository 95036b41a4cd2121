package start

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheFirstScreenIsGivenAFileThatIsThere(t *testing.T) {
	dir := t.TempDir()
	if got := worthReading(dir); got != "" {
		t.Errorf("an empty folder has %q", got)
	}
	if got := worthReading(filepath.Join(dir, "none")); got != "" {
		t.Errorf("no folder has %q", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "README.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ file, want string }{{".hidden", ""}, {"z.txt", "z.txt"}, {"b.txt", "b.txt"}, {"go.mod", "go.mod"}, {"README", "README"}} {
		if err := os.WriteFile(filepath.Join(dir, step.file), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := worthReading(dir); got != step.want {
			t.Errorf("with %s the folder has %q, want %q", step.file, got, step.want)
		}
	}
}
