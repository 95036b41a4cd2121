package config

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
)

func stateOnly(t *testing.T) Dirs { return Dirs{Config: t.TempDir(), State: t.TempDir()} }

func TestAKeyIsKeptForItsOwnerAloneAndCanBeForgotten(t *testing.T) {
	dirs := stateOnly(t)
	ctx := context.Background()
	for provider, key := range map[string]string{"openai": "sk-one", "anthropic": "sk-two"} {
		if err := SaveKey(ctx, dirs, provider, KeptKey{key, provider + ".example"}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(dirs.KeysFile())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file of keys has mode %v (%v), want 0600", info.Mode(), err)
	}
	if err := SaveKey(ctx, dirs, "openai", KeptKey{}); err != nil {
		t.Fatal(err)
	}
	kept, err := Keys(dirs)
	if err != nil || len(kept) != 1 || kept["anthropic"] != (KeptKey{"sk-two", "anthropic.example"}) {
		t.Errorf("kept %v, %v; want anthropic's only", kept, err)
	}
}

func TestNoErrorAboutKeysQuotesOne(t *testing.T) {
	const secret = "sk-very-secret"
	dirs := stateOnly(t)
	for name, key := range map[string]string{"a blank": secret + " x", "a line break": secret + "\nx", "an umlaut": secret + "ä", "far too long": strings.Repeat(secret, 1000)} {
		if err := SaveKey(context.Background(), dirs, "openai", KeptKey{key, "h"}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v, want a refusal that does not quote the key", name, err)
		}
	}
	for name, text := range map[string]string{
		"not TOML":    "[keys.openai]\nkey = \"" + secret,
		"a bad key":   "[keys.openai]\nkey = \"" + secret + " x\"\nhost = \"h\"\n",
		"wrong shape": "[keys]\nopenai = \"" + secret + "\"\n",
	} {
		if err := os.WriteFile(dirs.KeysFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if kept, err := Keys(dirs); err == nil || strings.Contains(err.Error(), secret) || len(kept) > 0 {
			t.Errorf("%s: got %d keys and %v, want an error that does not quote the key", name, len(kept), err)
		}
	}
}

func TestKeysThatOthersCanReadAreNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files say nothing on Windows")
	}
	dirs := stateOnly(t)
	if err := SaveKey(context.Background(), dirs, "openai", KeptKey{"sk-one", "h"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dirs.KeysFile(), 0o644); err != nil {
		t.Fatal(err)
	}
	if kept, err := Keys(dirs); err == nil || !strings.Contains(err.Error(), "chmod 600") || len(kept) > 0 {
		t.Errorf("got %v, %v; want a refusal that says what to do", kept, err)
	}
}

func TestWithoutAFileThereAreNoKeys(t *testing.T) {
	if kept, err := Keys(stateOnly(t)); err != nil || len(kept) > 0 {
		t.Errorf("got %v, %v", kept, err)
	}
}
