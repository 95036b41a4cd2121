package start

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"espy/providers"
)

// settingsIn loads the settings of an empty workspace whose user configuration is given.
func settingsIn(t *testing.T, configuration string) *Settings {
	t.Helper()
	s := faultySettingsIn(t, configuration)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	return s
}

// faultySettingsIn is settingsIn for a configuration that has its problems.
func faultySettingsIn(t *testing.T, configuration string) *Settings {
	t.Helper()
	home, folder := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	for _, s := range builtInKeys() {
		t.Setenv(s, "")
	}
	dir := filepath.Join(home, "config", "espy")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(context.Background(), "test", Flags{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reload(t *testing.T, folder string) *Settings {
	t.Helper()
	s, err := Load(context.Background(), "test", Flags{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	return s
}

func builtInKeys() (names []string) {
	book, _ := providers.NewBook(providers.BookOptions{})
	for _, s := range book.Servers() {
		if s.KeyEnv != "" {
			names = append(names, s.KeyEnv)
		}
	}
	return names
}

func TestAModelGivenAtTheStartIsSaidToBe(t *testing.T) {
	s := settingsIn(t, "model = \"fake/echo\"\n")
	why := func(flags Flags) string {
		flags.Folder = s.Folder
		loaded, err := Load(t.Context(), "test", flags)
		if err != nil {
			t.Fatal(err)
		}
		_, why, err := loaded.Choose()
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	if got := why(Flags{}); got != "configured" {
		t.Errorf("a model of the settings: %q", got)
	}
	if got := why(Flags{Model: "fake/echo"}); got != "--model" {
		t.Errorf("a model of the command line: %q", got)
	}
	t.Setenv("ESPY_MODEL", "fake/echo")
	if got := why(Flags{}); got != "ESPY_MODEL" {
		t.Errorf("a model of the environment: %q", got)
	}
}

func TestARelativeHomeIsRefusedBeforeAnythingIsMade(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("XDG_STATE_HOME", "state")
	var usage *UsageError
	if _, err := Load(t.Context(), "test", Flags{Folder: folder}); !errors.As(err, &usage) {
		t.Errorf("a relative XDG_STATE_HOME gives %v", err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 0 {
		t.Errorf("%v was made in the workspace", entries)
	}
}

func TestATypedKeyIsUsedAtOnceAndAtTheNextStart(t *testing.T) {
	s := settingsIn(t, "")
	if err := s.KeepKey(t.Context(), "openai", " sk-typed-key\n"); err != nil {
		t.Fatal(err)
	}
	for what, settings := range map[string]*Settings{"at once": s, "at the next start": reload(t, s.Folder)} {
		route, err := settings.Book.Find("openai/gpt-6-sol")
		if err != nil || !route.Server.Usable() || route.Server.Key != "sk-typed-key" || route.Server.KeyFrom != providers.KeyTyped {
			t.Errorf("%s: usable %v, from %q, %v", what, route.Server.Usable(), route.Server.KeyFrom, err)
		}
		if chosen, why, err := settings.Choose(); err != nil || chosen.Server.Name != "openai" || !strings.Contains(why, "typed") {
			t.Errorf("%s: %s is chosen because %s, %v", what, chosen.Name(), why, err)
		}
	}
	if err := s.KeepKey(t.Context(), "openai", ""); err != nil {
		t.Fatal(err)
	}
	if route, _ := reload(t, s.Folder).Book.Find("openai/gpt-6-sol"); route.Server.Usable() {
		t.Error("a forgotten key came back")
	}
}

func TestATypedKeyGoesToNoOtherHostAndAVariableComesBeforeIt(t *testing.T) {
	s := settingsIn(t, "")
	if err := s.KeepKey(t.Context(), "openai", "sk-typed-key"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", "sk-variable")
	changed := reload(t, s.Folder)
	if route, _ := changed.Book.Find("openai/m"); route.Server.Key != "sk-variable" {
		t.Error("the typed key came before the variable")
	}
	if err := changed.KeepKey(t.Context(), "openai", "sk-other"); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") || strings.Contains(err.Error(), "sk-other") {
		t.Errorf("a key was typed behind a variable's back: %v", err)
	}
	t.Setenv("OPENAI_API_KEY", "")
	if err := os.WriteFile(s.Dirs.ConfigFile(), []byte("[providers.openai]\nbase_url = \"https://elsewhere.example/v1\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if route, _ := reload(t, s.Folder).Book.Find("openai/m"); route.Server.Key != "" {
		t.Error("the key went to a host it was not typed for")
	}
}

func TestTheFileOfKeysIsClosedToTheTools(t *testing.T) {
	screen, _, _ := screenIn(t)
	if err := screen.settings.KeepKey(t.Context(), "openai", "sk-typed-key"); err != nil {
		t.Fatal(err)
	}
	if f, _, err := screen.current().Roots.Open(screen.settings.Dirs.KeysFile()); err == nil {
		f.Close()
		t.Error("a tool can open the file of keys")
	}
	if !screen.settings.Secrets.Named(screen.settings.Dirs.KeysFile()) {
		t.Error("the guard does not know the file of keys as a credential, so commands that name it would run")
	}
	if at, err := screen.current().Intake.AttachFile(t.Context(), screen.settings.Dirs.KeysFile()); err == nil {
		t.Errorf("the file of keys was attached: %+v", at)
	}
}

func TestAServerIsAskedOnceAndOnlyWhenItIsWanted(t *testing.T) {
	var asked atomic.Int32
	up := atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"data":[{"id":"seer-9","owned_by":"vllm","max_model_len":12345}]}`)
	}))
	defer server.Close()
	s := settingsIn(t, fmt.Sprintf("model = \"fake/echo\"\n[providers.box]\nprotocol = \"chat\"\nbase_url = \"%s/v1\"\n[[models]]\nid = \"box/seer-9\"\nimage_input = \"supported\"\n", server.URL))
	screen, err := NewScreen(t.Context(), s, Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	options := screen.Options()
	options.Models()
	if asked.Load() > 0 {
		t.Fatal("a server was asked at the start")
	}
	options.Ask(t.Context()) // it does not answer: it is asked again
	up.Store(true)
	options.Ask(t.Context())
	options.Ask(t.Context())
	if n := asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times, want until it answered and no more", n)
	}
	route, err := s.Book.Find("box/seer-9")
	if err != nil || route.Model.ContextWindow != 12345 || route.Model.Sources["context_window"] != "asked the server" || route.Model.Sources["image_input"] != "configuration" {
		t.Errorf("window %d from %v, %v", route.Model.ContextWindow, route.Model.Sources, err)
	}
}
