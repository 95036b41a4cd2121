package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"

	"golang.org/x/sync/errgroup"
)

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Mode       string `json:"mode"`
}

func grepTool() Tool {
	return declaration[grepArgs]{
		name: "grep",
		params: params{
			{name: "pattern", kind: "string", required: true, about: "Regular expression in RE2 syntax, matched line by line."},
			{name: "path", kind: "string", about: "File, folder or blob:NAME to search; the workspace unless given."},
			{name: "glob", kind: "string", about: "Only files that match, such as *.go or cmd/**/*.yml."},
			{name: "ignore_case", kind: "boolean", about: "Match upper and lower case alike."},
			{name: "context", kind: "integer", least: 0, most: maxContextLines, about: "Lines to show before and after each match."},
			{name: "mode", kind: "string", enum: []string{"lines", "files", "count"}, about: "lines: the matching lines (default); files: only names; count: matching lines of each file."},
		},
		readOnly: true,
		effect: func(env *Env, a grepArgs) (guard.Effect, error) {
			if _, _, err := a.compile(); err != nil {
				return guard.Effect{}, err
			}
			if strings.HasPrefix(a.Path, blobPrefix) {
				return guard.Effect{Kind: guard.KindNone, Summary: searchSummary("grep", a.Pattern, a.Path)}, nil
			}
			path := effectPath(env, a.where())
			return guard.Effect{Kind: guard.KindRead, Paths: []string{path}, Summary: searchSummary("grep", a.Pattern, path)}, nil
		},
		run: runGrep,
	}.tool()
}

func (a grepArgs) where() string {
	if a.Path == "" {
		return "."
	}
	return a.Path
}

func (a grepArgs) compile() (re *regexp.Regexp, glob string, err error) {
	if a.Pattern == "" {
		return nil, "", mistakef("grep: the pattern is empty")
	}
	glob, err = checkPattern("grep", a.Glob)
	if err != nil {
		return nil, "", err
	}
	pattern := a.Pattern
	if a.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err = regexp.Compile(pattern)
	if err != nil {
		return nil, "", mistakef("grep: %v. The syntax is RE2: no look-around and no back-references; put a backslash before characters such as ( [ { . * + ? that are meant literally", err)
	}
	return re, glob, nil
}

func runGrep(ctx context.Context, env *Env, call message.ToolCall, a grepArgs) (Outcome, error) {
	re, glob, err := a.compile()
	if err != nil {
		return Outcome{}, err
	}
	s := search{re: re, needle: needle(re), context: a.Context, mode: a.Mode}
	note, where := "", a.Path
	if strings.HasPrefix(a.Path, blobPrefix) {
		err = s.blob(ctx, env, a.Path)
	} else {
		var at found
		if at, err = locate(env, a.where()); err == nil {
			note, where = at.note, quoteName(at.Display)
			err = s.folder(ctx, env, at, glob)
		}
	}
	if err != nil {
		return Outcome{}, err
	}
	text, ref, err := Spill(ctx, env, withNote(s.report(a, where), note))
	if err != nil {
		return Outcome{}, err
	}
	summary := fmt.Sprintf("%s: %s in %s", clip(a.Pattern, 60), plural(s.matched, "match"), plural(s.files, "file"))
	return answer(text, message.MetaBlob, ref, message.MetaSummary, summary), nil
}

// search is one grep under way, and what it found so far.
type search struct {
	re      *regexp.Regexp
	needle  []byte // in every matching line; nil where there is no such text
	context int
	mode    string

	out     strings.Builder
	looked  int // files searched
	files   int // files with a match
	matched int // matching lines shown or counted
	full    bool
	capped  bool // there were more files than a search looks at
	skipped skips
}

// skips counts files that were not searched, by why.
type skips struct{ credential, binary, huge, unreadable int }

// fileHits is what one file came to.
type fileHits struct {
	text    string
	matched int
	skip    skips
}

func (s *search) blob(ctx context.Context, env *Env, name string) error {
	src, err := open(env, name)
	if err != nil {
		return err
	}
	defer src.Close()
	head, err := src.head()
	if err != nil {
		return err
	}
	if kind, what := sniff(head); kind != kindText {
		return mistakef("grep: %s is %s, which has no lines to search", src.label, what)
	}
	data, err := io.ReadAll(io.LimitReader(src, maxSpillBytes+maxDiffBytes))
	if err != nil {
		return src.unreadable(err)
	}
	s.looked = 1
	s.take(s.lines(ctx, src.label, data))
	return ctx.Err()
}

// folder searches files in order of their names, some at once, until enough was found.
func (s *search) folder(ctx context.Context, env *Env, at found, glob string) error {
	l, err := list(ctx, env, at)
	if err != nil {
		return err
	}
	if at.info.IsDir() {
		l.only(glob)
	}
	l.sortByName()
	s.capped = l.capped
	const batch = 16 * searchWorkers
	for start := 0; start < len(l.files) && !s.full; start += batch {
		files := l.files[start:min(start+batch, len(l.files))]
		hits := make([]fileHits, len(files))
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(searchWorkers)
		for i, f := range files {
			group.Go(func() error {
				hits[i] = s.file(groupCtx, env, f)
				return groupCtx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, h := range hits {
			s.take(h)
		}
	}
	return nil
}

// file searches one file. It only reads s.
func (s *search) file(ctx context.Context, env *Env, c candidate) fileHits {
	f, _, err := env.Roots.Open(c.abs)
	switch pathFault(err) {
	case guard.FaultCredential:
		return fileHits{skip: skips{credential: 1}}
	case guard.FaultUnreadable:
		return fileHits{skip: skips{unreadable: 1}}
	}
	if err != nil {
		return fileHits{} // vanished, a submodule's folder, a link that leads out, a special file
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fileHits{skip: skips{unreadable: 1}}
	}
	if info.Size() > maxSearchBytes {
		return fileHits{skip: skips{huge: 1}}
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, maxSearchBytes)); err != nil {
		return fileHits{skip: skips{unreadable: 1}}
	}
	data := buf.Bytes()
	head := data[:min(len(data), sniffBytes)]
	if kind, _ := sniff(head); kind != kindText {
		return fileHits{skip: skips{binary: 1}}
	}
	if utf16Order(head) != 0 {
		data = []byte(decodeUTF16(data))
	}
	return s.lines(ctx, env.show(c.abs), data)
}

// take adds a file's hits to the report.
func (s *search) take(h fileHits) {
	s.skipped.credential += h.skip.credential
	s.skipped.binary += h.skip.binary
	s.skipped.huge += h.skip.huge
	s.skipped.unreadable += h.skip.unreadable
	if h.skip == (skips{}) {
		s.looked++
	}
	if h.matched == 0 || s.full {
		return
	}
	s.files++
	s.matched += h.matched
	s.out.WriteString(h.text)
	if s.mode == "files" || s.mode == "count" {
		s.full = s.files >= maxMatches
	} else {
		s.full = s.matched >= maxMatches
	}
}

func (s *search) report(a grepArgs, where string) string {
	if where == "" {
		where = "the workspace"
	}
	if s.matched == 0 {
		fmt.Fprintf(&s.out, "no line matches %s in %s (%s searched)\n", quote(clip(a.Pattern, 100)), where, plural(s.looked, "file"))
		if strings.Contains(a.Pattern, `\n`) {
			s.out.WriteString("[a pattern is matched line by line: it cannot span lines]\n")
		}
	}
	if s.full {
		fmt.Fprintf(&s.out, "[stopped after %s in %s; narrow the pattern, the path or the glob to see others]\n", plural(s.matched, "match"), plural(s.files, "file"))
	}
	if s.capped {
		s.out.WriteString("[there are more files than one search looks at; give a path]\n")
	}
	s.out.WriteString(s.skipped.sentence())
	return s.out.String()
}

func (k skips) sentence() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{k.credential, "credential file"}, {k.binary, "binary file"}, {k.huge, "file over 10 MB"}, {k.unreadable, "unreadable file"}} {
		if p.n > 0 {
			what := plural(p.n, p.what)
			if p.what == "file over 10 MB" && p.n != 1 {
				what = thousands(p.n) + " files over 10 MB"
			}
			parts = append(parts, what)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[not searched: " + strings.Join(parts, ", ") + "]\n"
}
