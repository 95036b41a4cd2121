package headless

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPromptIsTheArgumentAndThenWhatIsPipedIn(t *testing.T) {
	for name, c := range map[string]struct{ arg, piped, want string }{
		"a prompt and a pipe": {"review this", "diff --git\n+x\n", "review this\n\ndiff --git\n+x"},
		"only a pipe":         {"", "hello\n", "hello"},
		"a dash":              {"-", "hello\n", "hello"},
		"an empty pipe":       {"hi", "\n", "hi"},
	} {
		file := filepath.Join(t.TempDir(), "stdin")
		if err := os.WriteFile(file, []byte(c.piped), 0o600); err != nil {
			t.Fatal(err)
		}
		stdin, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ReadPrompt(context.Background(), c.arg, stdin); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
		stdin.Close()
	}
}

func TestNothingIsWaitedForWhereNothingIsPipedIn(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if got, err := ReadPrompt(context.Background(), "hi", null); got != "hi" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWaitingForAPipeCanBeGivenUpAndTooMuchIsRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadPrompt(ctx, "-", r); !errors.Is(err, context.Canceled) {
		t.Errorf("want to be let go, got %v", err)
	}
	w.Close()
	file := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(file, []byte(strings.Repeat("x", mostStdin+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	long, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()
	if _, err := ReadPrompt(context.Background(), "-", long); err == nil || !strings.Contains(err.Error(), "4 MiB") {
		t.Errorf("want the limit named, got %v", err)
	}
}
