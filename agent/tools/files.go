package tools

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"espy/agent/guard"

	"github.com/bmatcuk/doublestar/v4"
)

// candidate is a file a search may look at.
type candidate struct {
	abs string
	rel string // from the folder that is searched, with slashes
}

// listing is what there is to search.
type listing struct {
	files  []candidate
	capped bool // there was more than one search looks at
}

// list names the files below a folder, or a single file: in a git repository those that git does not ignore,
// elsewhere all. A folder that git ignores whole was asked for by name, so everything in it counts.
func list(ctx context.Context, env *Env, at found) (listing, error) {
	if !at.info.IsDir() {
		return listing{files: []candidate{{at.Abs, filepath.Base(at.Abs)}}}, nil
	}
	names, err := guard.ListFiles(ctx, at.Abs)
	if ctx.Err() != nil {
		return listing{}, ctx.Err()
	}
	if err != nil || len(names) == 0 {
		return walk(ctx, env, at)
	}
	var l listing
	for _, name := range names {
		l.add(at.Abs, name)
	}
	return l, nil
}

func (l *listing) add(dir, name string) {
	abs := name
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(dir, name)
	}
	if rel, err := filepath.Rel(dir, abs); err == nil {
		l.files = append(l.files, candidate{abs, filepath.ToSlash(rel)})
	}
}

func walk(ctx context.Context, env *Env, at found) (listing, error) {
	var l listing
	err := env.Roots.Walk(ctx, at.name, func(p guard.Path, e fs.DirEntry) error {
		switch {
		case e.IsDir() && versionControl(e.Name()):
			return fs.SkipDir
		case e.IsDir() || e.Type()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0:
			return nil
		}
		l.add(at.Abs, p.Abs)
		return nil
	})
	if errors.Is(err, guard.ErrWalkBound) {
		l.capped, err = true, nil
	}
	return l, err
}

func versionControl(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// only keeps the files a pattern names. One without a slash is about names in any folder, as in .gitignore.
func (l *listing) only(pattern string) {
	if pattern == "" {
		return
	}
	kept := l.files[:0]
	for _, f := range l.files {
		if matches(pattern, f.rel) {
			kept = append(kept, f)
		}
	}
	l.files = kept
}

func matches(pattern, rel string) bool {
	if !strings.Contains(pattern, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(pattern, rel)
}

func (l *listing) sortByName() {
	sort.Slice(l.files, func(i, j int) bool { return l.files[i].rel < l.files[j].rel })
}

// checkPattern makes a glob pattern one that can be matched against paths below a folder.
func checkPattern(tool, pattern string) (string, error) {
	pattern = strings.TrimPrefix(filepath.ToSlash(pattern), "./")
	if len(pattern) > maxPatternBytes || strings.Count(pattern, "{") > maxPatternBraces {
		return "", mistakef("%s: the glob pattern is too long (at most %d characters and %d braces)", tool, maxPatternBytes, maxPatternBraces)
	}
	if !doublestar.ValidatePattern(pattern) {
		return "", mistakef("%s: %s is not a glob pattern: a bracket or brace is not closed", tool, quote(clip(pattern, 60)))
	}
	return pattern, nil
}

// show is how a file is named to a model: from the workspace where it lies inside.
func (env *Env) show(abs string) string {
	rel, err := filepath.Rel(env.Workspace, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return cleanName(abs)
	}
	return cleanName(filepath.ToSlash(rel))
}
