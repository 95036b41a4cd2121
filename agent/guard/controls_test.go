package guard

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheSocketsOfTheTerminalAreTakenFromWhatItTellsItsPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tmux", "kitty"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told := map[string]string{
		"TMUX":                filepath.Join(dir, "tmux") + ",123,0",
		"KITTY_LISTEN_ON":     "unix:" + filepath.Join(dir, "kitty"),
		"WEZTERM_UNIX_SOCKET": filepath.Join(dir, "gone"),
		"ALACRITTY_SOCKET":    "unix:@abstract",
	}
	got := terminalControls(func(name string) string { return told[name] })
	if want := []string{filepath.Join(dir, "tmux"), filepath.Join(dir, "kitty")}; !slices.Equal(got, want) {
		t.Errorf("the sockets are %v, want %v", got, want)
	}
}
