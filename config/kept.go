package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const (
	keysName = "keys.toml"
	// maxKeyBytes bounds a key that is kept; real ones are under 200, signed tokens under 2,000.
	maxKeyBytes = 8 << 10
	// othersMayRead are the mode bits that let anyone but the owner at a file.
	othersMayRead = 0o077
)

// KeptKey is a provider's key that was typed into espy, and the host it was given for. It is sent nowhere else.
type KeptKey struct {
	Key  string `toml:"key"`
	Host string `toml:"host"`
}

type keysFile struct {
	Keys map[string]KeptKey `toml:"keys"`
}

// KeysFile holds the keys that were typed into espy. It is the owner's alone and in no workspace.
func (d Dirs) KeysFile() string { return filepath.Join(d.State, keysName) }

// SaveKey keeps a provider's key for the next start; an empty one is forgotten. No error quotes it.
func SaveKey(ctx context.Context, dirs Dirs, provider string, kept KeptKey) error {
	if err := checkKey(kept.Key); err != nil {
		return err
	}
	path := dirs.KeysFile()
	return update(ctx, dirs, path, func(text []byte) ([]byte, error) {
		file, err := decodeKeys(path, text)
		if err != nil {
			return nil, err
		}
		if kept.Key == "" {
			delete(file.Keys, provider)
		} else {
			file.Keys[provider] = kept
		}
		return encode("Keys typed into espy, each with the host it is for. Keep this file to yourself; an api_key in "+configName+" or a variable comes before it.", file)
	})
}

// Keys are the kept keys, by provider. Where the file cannot be used, the error says why and quotes nothing of it.
func Keys(dirs Dirs) (map[string]KeptKey, error) {
	path := dirs.KeysFile()
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&othersMayRead != 0 {
		return nil, fmt.Errorf("%s can be read by others, so its keys are not used; run: chmod 600 %s", path, path)
	}
	text, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s", path, cause(err))
	}
	file, err := decodeKeys(path, text)
	if err != nil {
		return nil, err
	}
	for provider, kept := range file.Keys {
		if checkKey(kept.Key) != nil {
			return nil, fmt.Errorf("%s: the key of %s is no key; type it again with /key %s", path, provider, provider)
		}
	}
	return file.Keys, nil
}

// decodeKeys reads the file without ever quoting it: a parser's words may hold a part of a key.
func decodeKeys(path string, text []byte) (keysFile, error) {
	file := keysFile{Keys: map[string]KeptKey{}}
	if err := toml.Unmarshal(text, &file); err != nil {
		return file, fmt.Errorf("%s is no valid TOML and is not written over; correct it or move it away", path)
	}
	if file.Keys == nil {
		file.Keys = map[string]KeptKey{}
	}
	return file, nil
}

// checkKey says whether a text can go out in a header.
func checkKey(key string) error {
	switch {
	case len(key) > maxKeyBytes:
		return fmt.Errorf("a key of %d bytes is too long; the longest that is kept has %d", len(key), maxKeyBytes)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("a key has no blanks, line breaks or letters beyond ASCII; copy it again")
	}
	return nil
}
