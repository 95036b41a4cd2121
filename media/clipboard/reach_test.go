//go:build unix

package clipboard_test

import (
	"context"
	"strings"
	"testing"

	"espy/media/clipboard"
	"espy/media/clipboard/desktop"
)

func session(pairs map[string]string) clipboard.Env {
	return clipboard.Env{Getenv: func(name string) string { return pairs[name] }, GOOS: "linux", LastText: func() (string, error) { return "", nil }}
}

func TestAReachedClipboardSaysWhatItHolds(t *testing.T) {
	display := desktop.X11(t)
	ways, remote := clipboard.Reach(context.Background(), session(map[string]string{"DISPLAY": display}))
	if remote || len(ways) != 1 || ways[0].Err != nil || ways[0].Holds != "nothing that can be pasted" {
		t.Errorf("an X server with nothing on its clipboard: %+v, remote %v", ways, remote)
	}
}

func TestAClipboardThatCannotBeReachedIsToldWithARemedy(t *testing.T) {
	for _, step := range []struct {
		what   string
		env    map[string]string
		remedy string
	}{
		{"a display that is not there", map[string]string{"DISPLAY": ":9731"}, "DISPLAY"},
		{"a compositor that is not there", map[string]string{"WAYLAND_DISPLAY": "wayland-97", "XDG_RUNTIME_DIR": t.TempDir()}, "wl-clipboard"},
	} {
		env := session(step.env)
		env.LookPath = func(string) (string, error) { return "", context.Canceled } // no helper program is installed
		ways, remote := clipboard.Reach(context.Background(), env)
		if remote || len(ways) != 1 || ways[0].Err == nil || !strings.Contains(ways[0].Remedy, step.remedy) {
			t.Errorf("%s: %+v, want an error with a remedy that names %s", step.what, ways, step.remedy)
		}
	}
	if ways, remote := clipboard.Reach(context.Background(), session(map[string]string{"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"})); !remote || len(ways) != 0 {
		t.Errorf("over SSH: %+v, remote %v", ways, remote)
	}
	if ways, remote := clipboard.Reach(context.Background(), session(nil)); remote || len(ways) != 0 {
		t.Errorf("without a desktop: %+v, remote %v", ways, remote)
	}
}
