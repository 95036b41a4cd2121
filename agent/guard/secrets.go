package guard

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// SecretOptions says what besides the built-in patterns is a credential.
type SecretOptions struct {
	Home   string   // the user's home folder; "" leaves out what lies there
	Own    []string // espy's own configuration, state and key files or folders, absolute; never exempt
	Add    []string // further names or patterns
	Exempt []string // names or patterns that are no credentials, whatever the built-in patterns say
	Getenv func(string) string
}

// Secrets knows credential files, by identity as well as by name. The zero value and nil know the built-in
// names. It is safe for use from several goroutines.
//
// Names are compared in lower case, since some file systems do not tell case apart. A pattern without a slash
// is a file or folder name, one with a slash is a path: absolute, "~/…", or any trailing part of one.
type Secrets struct {
	home   string
	own    []string
	add    []string
	exempt []string
	extra  []string // files that programs were told to keep credentials in
}

// NewSecrets prepares the patterns and finds the keys that ssh and the environment point at.
func NewSecrets(o SecretOptions) *Secrets {
	s := &Secrets{add: slices.Clone(o.Add), exempt: slices.Clone(o.Exempt)}
	if o.Home != "" {
		s.home = filepath.Clean(o.Home)
		if physical, err := filepath.EvalSymlinks(s.home); err == nil {
			s.home = physical
		}
	}
	for _, name := range o.Own {
		s.own = append(s.own, bothNames(name)...)
	}
	for _, name := range s.pointedAt(o.Getenv) {
		s.extra = append(s.extra, bothNames(name)...)
	}
	return s
}

// bothNames is a name as given and with its links resolved.
func bothNames(name string) []string {
	name = filepath.Clean(name)
	if physical, err := filepath.EvalSymlinks(name); err == nil && physical != name {
		return []string{name, physical}
	}
	return []string{name}
}

// Named reports whether an absolute name is a credential's.
func (s *Secrets) Named(abs string) bool { return s.named(filepath.Clean(abs)) }

func (s *Secrets) named(abs string) bool {
	if s != nil && slices.ContainsFunc(s.own, func(dir string) bool { return within(dir, abs) }) {
		return true
	}
	return s.namedElsewhere(abs)
}

// namedElsewhere is named, but for espy's own files.
func (s *Secrets) namedElsewhere(abs string) bool {
	lower := spelling(abs)
	if s != nil && s.matches(s.exempt, lower) {
		return false
	}
	if credentialName(lower) {
		return true
	}
	if s == nil {
		return false
	}
	if slices.ContainsFunc(s.extra, func(name string) bool { return sameName(name, abs) }) || s.matches(s.add, lower) {
		return true
	}
	return s.inHome(abs)
}

// inHome knows the folders that are private in a home folder and ordinary elsewhere.
func (s *Secrets) inHome(abs string) bool {
	if s.home == "" {
		return false
	}
	rel, ok := relativeTo(s.home, abs)
	if !ok {
		return false
	}
	rel = spelling(rel)
	return slices.ContainsFunc(homeFolders, func(dir string) bool {
		return rel == dir || strings.HasPrefix(rel, dir+"/")
	})
}

// credentialName knows names that are credentials wherever they lie. name is in lower case, with slashes.
func credentialName(name string) bool {
	elements := strings.Split(name, "/")
	for i, element := range elements {
		if slices.Contains(credentialFolders, element) {
			return true
		}
		if i+1 < len(elements) && slices.Contains(credentialPairs, element+"/"+elements[i+1]) {
			return true
		}
	}
	base := elements[len(elements)-1]
	if strings.HasPrefix(base, ".env") {
		return !slices.ContainsFunc(harmlessEnv, func(end string) bool { return strings.HasSuffix(base, end) })
	}
	return slices.ContainsFunc(credentialNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, base)
		return ok
	})
}

// matches tries patterns of the user on a path in lower case with slashes.
func (s *Secrets) matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = strings.ToLower(filepath.ToSlash(s.expandHome(pattern)))
		switch {
		case !strings.Contains(pattern, "/"):
			return slices.ContainsFunc(strings.Split(path, "/"), func(element string) bool { return globs(pattern, element) })
		case strings.HasPrefix(pattern, "/") || filepath.VolumeName(pattern) != "":
			return globs(pattern, path) || globs(strings.TrimSuffix(pattern, "/")+"/**", path)
		}
		trail := "/**/" + strings.TrimSuffix(strings.TrimPrefix(pattern, "**/"), "/")
		return globs(trail, path) || globs(trail+"/**", path)
	})
}

func globs(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// known looks at an opened file: a private key inside a .pem file, and a credential under another name.
func (s *Secrets) known(f *os.File, info fs.FileInfo, abs string) bool {
	if strings.HasSuffix(spelling(abs), ".pem") && !s.exempted(abs) && holdsPrivateKey(f) {
		return true
	}
	return s != nil && hardLinked(info) && s.identified(info)
}

func (s *Secrets) exempted(abs string) bool {
	return s != nil && s.matches(s.exempt, spelling(abs))
}

func holdsPrivateKey(f *os.File) bool {
	head := make([]byte, pemSniffBytes)
	n, _ := f.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte("PRIVATE KEY-----"))
}

// identified compares a file with the credential files that exist now, by device and inode.
func (s *Secrets) identified(info fs.FileInfo) bool {
	same := func(name string) bool {
		known, err := os.Stat(name)
		return err == nil && os.SameFile(known, info)
	}
	if slices.ContainsFunc(s.extra, same) || slices.ContainsFunc(s.own, same) {
		return true
	}
	if slices.ContainsFunc(s.own, func(dir string) bool { return holdsFile(dir, info) }) {
		return true
	}
	if s.home == "" {
		return false
	}
	for _, name := range homeFiles {
		at := filepath.Join(s.home, filepath.FromSlash(name))
		if !s.exempted(at) && (same(at) || holdsFile(at, info)) {
			return true
		}
	}
	return false
}

// holdsFile reports whether a folder directly holds the file described.
func holdsFile(dir string, info fs.FileInfo) bool {
	f, err := os.OpenFile(dir, openFlags, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	entries, _ := f.ReadDir(dirChunk)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		known, err := e.Info()
		return err == nil && os.SameFile(known, info)
	})
}

// expandHome turns "~" and "~/…" into the home folder's names.
func (s *Secrets) expandHome(name string) string {
	if name != "~" && !strings.HasPrefix(name, "~/") && !(filepath.Separator == '\\' && strings.HasPrefix(name, `~\`)) {
		return name
	}
	home := ""
	if s != nil {
		home = s.home
	}
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return name
	}
	if name == "~" {
		return home
	}
	return home + string(filepath.Separator) + name[2:]
}
