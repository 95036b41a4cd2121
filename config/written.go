package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/pelletier/go-toml/v2"
)

// AddAllowRule saves a rule for the answer "always"; see AddRule.
func AddAllowRule(ctx context.Context, dirs Dirs, rule string) error {
	return AddRule(ctx, dirs, "allow", rule)
}

// AddRule saves a rule in permissions.toml, in the list "allow", "ask" or "deny". It never touches config.toml: a
// person's comments and order stay. Many processes may add at once; none loses another's rule. A permissions.toml
// that cannot be read whole is not written over.
func AddRule(ctx context.Context, dirs Dirs, list, rule string) error {
	if strings.TrimSpace(rule) == "" {
		return errors.New("an empty rule cannot be saved")
	}
	return changeRules(ctx, dirs, list, func(rules []string) []string {
		if slices.Contains(rules, rule) {
			return rules
		}
		return append(rules, rule)
	})
}

// RemoveRule takes a rule out of permissions.toml again; one that is not there is no error.
func RemoveRule(ctx context.Context, dirs Dirs, list, rule string) error {
	return changeRules(ctx, dirs, list, func(rules []string) []string {
		return slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return r == rule })
	})
}

func changeRules(ctx context.Context, dirs Dirs, list string, change func([]string) []string) error {
	path := dirs.PermissionsFile()
	return update(ctx, dirs, path, func(text []byte) ([]byte, error) {
		var file permissionsFile
		if err := strict(path, text, &file); err != nil {
			return nil, err
		}
		p := &file.Permissions
		rules, known := map[string]*[]string{"allow": &p.Allow, "ask": &p.Ask, "deny": &p.Deny}[list]
		if !known {
			return nil, fmt.Errorf("there is no list %s of rules; there are allow, ask and deny", quoted(list))
		}
		after := change(*rules)
		if slices.Equal(after, *rules) {
			return text, nil
		}
		*rules = after
		return encode("Rules saved by answering \"always\" and with /permissions. espy writes this file whole; your own rules belong in "+configName+".", file)
	})
}

type permissionsFile struct {
	Permissions struct {
		Allow []string `toml:"allow,multiline"`
		Ask   []string `toml:"ask,multiline,omitempty"`
		Deny  []string `toml:"deny,multiline,omitempty"`
	} `toml:"permissions"`
}

type choiceFile struct {
	Model string `toml:"model"`
}

// SaveChoice remembers the model chosen with /model for the next start.
func SaveChoice(ctx context.Context, dirs Dirs, model string) error {
	if err := checkModel(model); err != nil {
		return fmt.Errorf("%s is no model: %w", quoted(model), err)
	}
	return update(ctx, dirs, filepath.Join(dirs.State, choiceName), func([]byte) ([]byte, error) {
		return encode("The model chosen last. A model in "+configName+" comes before it.", choiceFile{model})
	})
}

// Choice is the model chosen last; "" where there is none or the file cannot be read.
func Choice(dirs Dirs) string {
	path := filepath.Join(dirs.State, choiceName)
	text, err := readFile(path)
	var file choiceFile
	if err != nil || strict(path, text, &file) != nil || checkModel(file.Model) != nil {
		return ""
	}
	return file.Model
}

// strict decodes a file espy wrote itself. Anything it did not write is an error, so that it is never lost.
func strict(path string, text []byte, into any) error {
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s cannot be read and is not written over: %s; correct it or move it away", path, oneLine(err))
	}
	return nil
}

func encode(comment string, file any) ([]byte, error) {
	text, err := toml.Marshal(file)
	if err != nil {
		return nil, err
	}
	return append([]byte("# "+comment+"\n\n"), text...), nil
}

// update reads a file, changes it and puts it back whole, under a lock that every writer of it takes. The lock
// file stays in the state folder beside nothing a person edits.
func update(ctx context.Context, dirs Dirs, path string, change func([]byte) ([]byte, error)) error {
	for _, dir := range []string{dirs.State, filepath.Dir(path)} {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(dirs.State, filepath.Base(path)+".lock"), flock.SetPermissions(fileMode))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("%s was not written: another process holds it: %w", path, err)
	}
	before, err := readFile(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read and is not written over: %s", path, cause(err))
	}
	after, err := change(before)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	return replace(path, after)
}

// replace puts text at path whole or not at all, synced. Where path is a link, as those who keep their settings in
// a repository have it, what it points to is replaced.
func replace(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncDir(filepath.Dir(path))
}
