package clipboard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Finder reads pasted and dropped text as file paths. The zero value knows POSIX names only; NewFinder fills
// in what this machine is.
type Finder struct {
	FS     FS     // Disk{} when nil
	GOOS   string // "windows" changes the rules for words and names
	Home   string // what ~/ stands for; "" leaves it alone
	Host   string // this machine's name, for file: URLs
	Drives string // where Windows drives are mounted under WSL, "/mnt"; "" elsewhere
	Distro string // the WSL distribution we run in

	shares bool // names on other machines count, on Windows
}

// NewFinder describes the machine that env stands for.
func NewFinder(env Env) *Finder {
	env = env.withDefaults()
	host, _ := os.Hostname()
	f := &Finder{FS: Disk{}, GOOS: env.GOOS, Home: env.Getenv("HOME"), Host: host}
	if env.GOOS == "windows" {
		f.Home = env.Getenv("USERPROFILE")
	}
	if env.isWSL() {
		f.Drives = env.driveRoot()
		f.Distro = env.Getenv("WSL_DISTRO_NAME")
	}
	return f
}

// ParsePaths reads text as paths on this machine; see Finder.Paths.
func ParsePaths(text string, fsys FS) []Found {
	f := NewFinder(Env{})
	f.FS = fsys
	return f.Paths(text)
}

// Paths returns the files a pasted or dropped text names, in its order, or nil where the text is just text.
// The text is read, in order, as one literal name, as one literal name a line, as shell words, and as one
// shell word a line; the first reading in which every name is an existing regular file wins. Nothing is
// opened, nothing expanded, and relative names never count.
//
// Terminals insert drops as backslashed words, quoted words, raw names, raw lines or file: URLs, and which
// cannot be known; so every reading is tried, and all or nothing must exist.
func (f *Finder) Paths(text string) []Found {
	if len(text) > maxPathText || strings.IndexByte(text, 0) >= 0 {
		return nil
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	trimmed := trimBlanks(text)
	if trimmed == "" {
		return nil
	}
	lines := nonBlankLines(trimmed)
	for _, read := range []func() []Found{
		func() []Found { return f.all([]string{trimmed}) },
		func() []Found { return f.all(lines) },
		func() []Found { return f.words(text) },
		func() []Found { return f.wordLines(lines) },
	} {
		if found := read(); found != nil {
			return found
		}
	}
	return nil
}

// words reads the whole text as shell words, under WSL also as Windows words.
func (f *Finder) words(text string) []Found {
	words, err := SplitArgs(text, f.GOOS)
	if err == nil {
		if found := f.all(words); found != nil {
			return found
		}
	}
	if f.Drives == "" {
		return nil
	}
	if words, err = windowsWords(text); err != nil {
		return nil
	}
	return f.all(words)
}

// wordLines reads each line as a literal name or as one shell word, so that lines of both kinds may mix.
func (f *Finder) wordLines(lines []string) []Found {
	var out []Found
	for _, line := range lines {
		found := f.all([]string{line})
		if found == nil {
			words, err := SplitArgs(line, f.GOOS)
			if err != nil || len(words) != 1 {
				return nil
			}
			found = f.all(words)
		}
		if found == nil {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// all resolves every token, or nothing.
func (f *Finder) all(tokens []string) []Found {
	if len(tokens) == 0 || len(tokens) > maxCopiedFiles {
		return nil
	}
	out := make([]Found, 0, len(tokens))
	for _, token := range tokens {
		found, ok := f.one(token)
		if !ok {
			return nil
		}
		out = append(out, found)
	}
	return out
}

func (f *Finder) one(token string) (Found, bool) {
	name, ok := f.absolute(token)
	if !ok {
		return Found{}, false
	}
	found, err := lookUp(name, f.fs(), fold)
	return found, err == nil
}

func (f *Finder) fs() FS {
	if f.FS == nil {
		return Disk{}
	}
	return f.FS
}

// Args resolves the arguments of /attach PATH… typed in folder dir: the whole line as one name first, so
// that a name with spaces needs no quotes, then its words. Unlike pasted text, names may be relative, and
// what does not exist is named in missing. The error is an open quote, or a name that several files answer to.
func (f *Finder) Args(line, dir string) (found []Found, missing []string, err error) {
	line = trimBlanks(line)
	if whole, err := f.arg(line, dir); err == nil {
		return []Found{whole}, nil, nil
	}
	words, err := SplitArgs(line, f.GOOS)
	if err != nil {
		return nil, nil, err
	}
	for _, word := range words {
		switch one, err := f.arg(word, dir); {
		case err == nil:
			found = append(found, one)
		case errors.Is(err, ErrAmbiguous):
			return nil, nil, fmt.Errorf("%q: %w: write it exactly", word, err)
		default:
			missing = append(missing, word)
		}
	}
	return found, missing, nil
}

func (f *Finder) arg(word, dir string) (Found, error) {
	name, ok := f.absolute(word)
	if !ok {
		word = unquote(word)
		if word == "" || len(word) > 5 && strings.EqualFold(word[:5], "file:") || strings.HasPrefix(word, `\\`) {
			return Found{}, fs.ErrNotExist
		}
		name = filepath.Join(dir, word)
	}
	return ResolveName(name, f.fs())
}

// trimBlanks takes ASCII blanks off both ends; other spaces may be part of a name.
func trimBlanks(s string) string { return strings.Trim(s, " \t\n\r") }

func nonBlankLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = trimBlanks(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
