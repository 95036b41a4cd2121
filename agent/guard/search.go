package guard

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// search is what a command reads whole, folder by folder.
type search struct {
	operands []string
	here     bool // the current folder, since no operand says otherwise
	hidden   bool // names that begin with a dot too
}

// searchOf recognises the commands that print lines of every file below a folder.
func searchOf(name string, args []string) (search, bool) {
	switch name {
	case "rg", "ag", "ack":
		if slices.Contains(args, "--files") {
			return search{}, false
		}
		s := searchArguments(args, "ABCmegtTfjMErd")
		s.hidden = name != "rg" || slices.ContainsFunc(args, func(a string) bool {
			short := strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, ".ug")
			return short || slices.ContainsFunc([]string{"--hid", "--unr", "--no-i", "--glob", "--iglob", "--ignore-file"}, func(p string) bool { return strings.HasPrefix(a, p) })
		})
		return s, true
	case "grep", "egrep", "fgrep", "diff":
		s := searchArguments(args, "ABCmefdD")
		s.hidden = true
		return s, slices.ContainsFunc(args, searchesBelow)
	}
	return search{}, false
}

// searchesBelow recognises grep's and diff's recursive options, also abbreviated or in a cluster.
func searchesBelow(arg string) bool {
	if strings.HasPrefix(arg, "--") {
		name, _, _ := strings.Cut(arg, "=")
		return slices.ContainsFunc([]string{"--recursive", "--dereference-recursive", "--directories"}, func(l string) bool {
			return len(name) > 3 && strings.HasPrefix(l, name)
		})
	}
	return strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, "rRd")
}

// searchFlags are long options without a value. Another one without "=" may take the next word, which makes
// it uncertain what the operands are.
var searchFlags = []string{
	"--recursive", "--ignore-case", "--line-number", "--files-with-matches", "--files-without-match", "--count", "--word-regexp", "--fixed-strings",
	"--extended-regexp", "--perl-regexp", "--invert-match", "--no-heading", "--heading", "--hidden", "--no-ignore", "--multiline", "--pcre2", "--smart-case",
	"--only-matching", "--no-filename", "--with-filename", "--null", "--json", "--stats", "--vimgrep", "--no-messages", "--column", "--trim", "--binary", "--text",
}

// searchArguments tells operands from the values of options. Where that is uncertain, the current folder is
// taken to be searched as well.
func searchArguments(args []string, valued string) search {
	var s search
	certain := true
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !strings.HasPrefix(a, "-") || a == "-":
			s.operands = append(s.operands, a)
		case strings.HasPrefix(a, "--"):
			certain = certain && (strings.Contains(a, "=") || slices.Contains(searchFlags, a))
		case strings.ContainsRune(valued, rune(a[len(a)-1])):
			i++ // the next word is its value
		}
	}
	// The first operand is the pattern, unless an option gave it: then the current folder counts too.
	s.here = !certain || len(s.operands) < 2
	return s
}

// searched looks for credential files below what a command reads whole: it would print them.
func (s *shellJudge) searched(what search) {
	var folders []string
	for _, name := range what.operands {
		for _, folder := range s.folders {
			if info, p, err := s.roots.Stat(joinFolder(folder, name)); err == nil && info.IsDir() {
				folders = append(folders, p.Abs)
			}
		}
	}
	if what.here {
		folders = append(folders, s.folders...)
	}
	left := maxSearchEntries
	for _, folder := range folders {
		if !s.searchedFolder(folder, what.hidden, &left) {
			return
		}
	}
}

// searchedFolder looks one folder over and reports whether to go on.
func (s *shellJudge) searchedFolder(folder string, hidden bool, left *int) bool {
	var named []Path        // credential files the command would print
	var dotted []string     // names of hidden ones, which rg passes over unless an ignore file brings them back
	var readmitted []string // what ignore files bring back
	err := s.roots.Walk(context.Background(), folder, func(p Path, e fs.DirEntry) error {
		if *left--; *left < 0 {
			return ErrWalkBound
		}
		dot := strings.HasPrefix(e.Name(), ".") && !hidden
		switch {
		case e.IsDir() && (e.Name() == ".git" || dot):
			if dot {
				dotted = append(dotted, e.Name())
			}
			return fs.SkipDir
		case dot && slices.Contains([]string{".gitignore", ".ignore", ".rgignore"}, e.Name()):
			readmitted = append(readmitted, s.readmits(p.Abs)...)
		case s.roots.secrets.named(p.Abs) && dot:
			dotted = append(dotted, e.Name())
		case s.roots.secrets.named(p.Abs):
			named = append(named, p)
			return fs.SkipAll
		}
		s.j.looks = append(s.j.looks, p.Abs)
		return nil
	})
	switch {
	case err != nil:
		s.fault("it searches more files than can be looked over first")
	case len(named) > 0:
		s.touch("it searches " + Printable(named[0].Display) + ", a credential file")
	default:
		for _, name := range dotted {
			if slices.ContainsFunc(readmitted, func(pattern string) bool { return globs(pattern, name) }) {
				s.touch("an ignore file makes it search " + Printable(name) + ", which may hold credentials")
			}
		}
	}
	return err == nil && len(named) == 0
}

// readmits lists the elements of the patterns by which an ignore file takes files back in.
func (s *shellJudge) readmits(name string) []string {
	f, _, err := s.roots.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var patterns []string
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnoreBytes))
	for lines.Scan() {
		if pattern, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "!"); ok {
			patterns = append(patterns, strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })...)
		}
	}
	return patterns
}
