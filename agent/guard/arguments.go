package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// pathUse says how an argument that may be a path is used.
type pathUse struct {
	reads   bool // by a command known only to look: protected names do not matter
	certain bool // it is a path, not a word that happens to look like one
}

// joinFolder makes a name absolute without cleaning it: ".." after a link is the walk's to follow.
func joinFolder(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return folder + string(filepath.Separator) + name
}

// arguments looks at every word after the command's name: what may be a path must lie inside, be no
// credential and, unless the command only looks, not be protected.
func (s *shellJudge) arguments(words []word, use pathUse) {
	for _, w := range words {
		switch {
		case w.stream, w.number:
		case !w.known:
			s.fault("an argument is only known when it runs")
		case w.glob != "":
			s.globbed(w, use)
		default:
			s.argument(w.text, use)
		}
	}
}

// globbed judges what a pattern stands for now, and the pattern itself.
func (s *shellJudge) globbed(w word, use pathUse) {
	s.argument(w.text, use)
	use.certain = true
	for _, folder := range s.folders {
		found, ok := s.matches(folder, w.glob)
		if !ok {
			s.fault("a pattern stands for too many files to judge")
			return
		}
		for _, name := range found {
			s.path(name, use)
		}
	}
}

// argument judges the parts of one argument that may name a path: the whole, what follows an option or "=",
// and what stands between colons, commas and "@".
func (s *shellJudge) argument(text string, use pathUse) {
	if text == "" || text == "-" || text == "--" || harmlessDevice(text) {
		return
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok && scheme != "" && !strings.ContainsAny(scheme, "/=:") {
		if strings.EqualFold(scheme, "file") {
			s.path(rest, pathUse{reads: use.reads, certain: true})
		}
		return
	}
	for _, part := range pathParts(text) {
		s.path(part, use)
	}
}

func pathParts(text string) []string {
	var parts []string
	add := func(p string) {
		if p != "" && !strings.HasPrefix(p, "//") {
			parts = append(parts, p)
		}
	}
	if !strings.HasPrefix(text, "-") {
		add(text)
	} else if len(text) > 2 && text[1] != '-' {
		add(text[2:]) // -I/usr/include, -fnotes.txt
	}
	for _, p := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("=:,@", r) }) {
		if p != text && !strings.HasPrefix(p, "-") {
			add(p)
		}
	}
	return parts
}

// path judges one name that is or may be a path, in every folder it may be relative to.
func (s *shellJudge) path(name string, use pathUse) {
	if harmlessDevice(name) {
		return
	}
	if strings.HasPrefix(name, "~/") || name == "~" { // programs expand it themselves
		name = s.home + name[1:]
	}
	for _, folder := range s.folders {
		abs := joinFolder(folder, name)
		p, err := s.roots.Resolve(abs)
		if err != nil {
			s.refusedPath(name, abs, err, use)
			continue
		}
		s.noted(filepath.Clean(abs), use)
		s.noted(p.Abs, use)
		if use.reads {
			continue
		}
		for _, at := range []string{p.Abs, filepath.Clean(abs)} {
			if found := s.roots.protected(at); found != "" {
				s.touch("it names " + Printable(name) + ", and " + found + " decides what runs or is believed later")
			}
		}
	}
}

func (s *shellJudge) noted(abs string, use pathUse) {
	s.j.looks = append(s.j.looks, abs)
	if !use.reads {
		s.j.changes = append(s.j.changes, abs)
	}
}

func (s *shellJudge) refusedPath(name, abs string, err error, use pathUse) {
	var fault *PathError
	if !errors.As(err, &fault) {
		return
	}
	switch fault.Kind {
	case FaultCredential:
		s.touch("it names " + Printable(name) + ", a credential file")
	case FaultSpecial:
		s.touch("it names " + Printable(name) + ", a device or kernel file")
	case FaultOutside:
		if use.certain || !use.reads || existsOutside(abs) {
			s.touch("it names " + Printable(name) + ", which is outside the workspace and the trusted paths")
		}
	}
}

// existsOutside tells a path from a text that begins with a slash, such as a route or an expression: the
// first folder of a path exists.
func existsOutside(abs string) bool {
	clean := filepath.Clean(abs)
	if first := strings.SplitN(filepath.ToSlash(clean), "/", 3); len(first) > 1 && filepath.VolumeName(clean) == "" {
		_, err := os.Lstat("/" + first[1])
		return err == nil || !errors.Is(err, fs.ErrNotExist)
	}
	return true
}
