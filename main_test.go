package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/ui/headless"
)

// home gives the test a home of its own with this configuration.
func home(t *testing.T, config string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	if err := os.MkdirAll(filepath.Join(dir, "config", "espy"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config", "espy", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

func codeOf(args string) int {
	root := rootCommand()
	root.SetArgs(strings.Fields(args))
	return exitCode(root.ExecuteContext(context.Background()))
}

func TestBadUsageEndsWithItsOwnCodeAndStartsNothing(t *testing.T) {
	home(t, "")
	for _, args := range []string{"run three words here", "run hi --max-turns -1", "run hi --max-cost NaN", "run hi --model nonsense",
		"run hi --mode zany", "run hi --nope", "sessions rm", "sessions dance", "config dance", "doctor dance", "look",
		"--continue --resume=01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		if code := codeOf(args); code != headless.ExitUsage {
			t.Errorf("espy %s ends with %d, want %d", args, code, headless.ExitUsage)
		}
	}
}

func TestSettingsThatKeepASessionFromStartingCanStillBeLookedInto(t *testing.T) {
	home(t, "mode = \"zany\"\n")
	if code := codeOf("run hi"); code != headless.ExitUsage {
		t.Errorf("a session started without the mode that was meant: %d", code)
	}
	for args, want := range map[string]int{"config path": headless.ExitDone, "config show": headless.ExitDone, "config check": headless.ExitFailed,
		"sessions": headless.ExitDone, "models": headless.ExitDone, "doctor": headless.ExitFailed} {
		if code := codeOf(args); code != want {
			t.Errorf("espy %s ends with %d, want %d", args, code, want)
		}
	}
}
