package tools

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"espy/agent/guard"
	"espy/media/clipboard"
)

// found is a file or folder a name led to.
type found struct {
	guard.Path
	name string // to give to Roots: the name as written, or the true one where that was only almost right
	note string // says the true name, where the name was only almost right
	info fs.FileInfo
}

// locate finds what a name stands for. Models retype names and lose or straighten odd spaces (a screenshot's
// narrow no-break space, a decomposed accent), so a missing name stands for the one neighbour that is equal
// once such differences are folded.
func locate(env *Env, name string) (found, error) {
	if err := checkName(name); err != nil {
		return found{}, err
	}
	info, path, err := env.Roots.Stat(name)
	if err == nil {
		return found{Path: path, name: name, info: info}, nil
	}
	if pathFault(err) != guard.FaultMissing {
		return found{}, err
	}
	truth, ok := trueName(env, name)
	if !ok {
		return found{}, missing(env.Roots, name, err)
	}
	if info, path, err = env.Roots.Stat(truth); err != nil {
		return found{}, err
	}
	note := fmt.Sprintf("[the true name is %s]", quoteName(path.Display))
	return found{Path: path, name: truth, note: note, info: info}, nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return mistakef("the path is empty; give a file or folder of the workspace")
	case strings.ContainsRune(name, 0):
		return mistakef("the path holds a zero byte, which no file name can")
	}
	return nil
}

// effectPath is the name an effect gives the guard: the true one where the name was almost right.
func effectPath(env *Env, name string) string {
	if at, err := locate(env, name); err == nil {
		return at.name
	}
	return name
}

// trueName is the one file whose name differs only in odd spaces, accents and the like, looked up through the
// roots alone.
func trueName(env *Env, name string) (string, bool) {
	abs := filepath.Clean(name)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(env.Workspace, abs)
	}
	match, err := clipboard.ResolveName(abs, rootsFS{env.Roots})
	if err != nil {
		return "", false
	}
	if rel, err := filepath.Rel(env.Workspace, match.Path); err == nil && filepath.IsLocal(rel) {
		return rel, true
	}
	return match.Path, true
}

// rootsFS looks names up through the roots, so that a tolerant look-up sees no more than a strict one.
type rootsFS struct{ roots *guard.Roots }

func (r rootsFS) Stat(name string) (fs.FileInfo, error) {
	info, _, err := r.roots.Stat(name)
	return info, err
}

func (r rootsFS) Names(folder string, limit int) ([]string, error) {
	entries, _, err := r.roots.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, min(len(entries), limit))
	for _, e := range entries[:min(len(entries), limit)] {
		names = append(names, e.Name())
	}
	return names, nil
}

// missing adds the most similar name of the folder to the sentence about a name that is not there.
func missing(roots *guard.Roots, name string, err error) error {
	dir, base := filepath.Split(filepath.Clean(name))
	if dir == "" {
		dir = "."
	}
	entries, _, readErr := roots.ReadDir(dir)
	if readErr != nil {
		return err
	}
	var names []string
	for _, e := range entries[:min(len(entries), maxFolderEntries)] {
		names = append(names, e.Name())
	}
	near := nearest(base, names)
	if near == "" {
		return err
	}
	sentence, _ := mendable(err)
	return mistakef("%s Did you mean %s?", withPeriod(sentence), quoteName(filepath.Join(dir, near)))
}

func withPeriod(sentence string) string {
	if strings.HasSuffix(sentence, ".") || strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// quoteName quotes a name where a reader could mistake its ends or its characters. Odd spaces stay as they
// are, so that a model can copy the name.
func quoteName(name string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+@", r)
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return `"` + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name) + `"`
}
