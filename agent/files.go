package agent

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/sahilm/fuzzy"

	"espy/agent/guard"
)

const (
	// listFor is how long a listing of the workspace serves completions before it is made anew.
	listFor = 5 * time.Second
	// mostListed bounds the listing; a larger workspace is completed from its first files.
	mostListed = 100_000
)

// fileList is the workspace's files for completion, ignored ones left out, made when it is first needed.
type fileList struct {
	folder string
	roots  *guard.Roots

	mu    sync.Mutex
	names []string
	made  time.Time
}

// Complete names paths that go on from a prefix: for an absolute or "~" prefix what the folder holds, else the
// workspace's files that match it best.
func (in *Intake) Complete(ctx context.Context, prefix string, most int) []string {
	if filepath.IsAbs(prefix) || strings.HasPrefix(prefix, "~/") || strings.HasPrefix(prefix, "../") {
		return completeOutside(prefix, in.agent.opt.Folder, in.secrets, most)
	}
	names := in.files.get(ctx)
	if prefix == "" {
		return names[:min(most, len(names))]
	}
	var out []string
	for _, m := range fuzzy.Find(prefix, names) {
		if len(out) == most {
			break
		}
		out = append(out, m.Str)
	}
	return out
}

// get returns the listing, at most listFor old.
func (l *fileList) get(ctx context.Context) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.made) < listFor {
		return l.names
	}
	names, err := guard.ListFiles(ctx, l.folder)
	if err != nil {
		names = l.walk(ctx)
	}
	if len(names) > mostListed {
		names = names[:mostListed]
	}
	secrets := l.roots.Secrets() // what would be refused is not offered
	names = slices.DeleteFunc(names, func(name string) bool { return secrets.Named(filepath.Join(l.folder, name)) })
	sort.Strings(names)
	l.names, l.made = names, time.Now()
	return names
}

// skipped are folders that are never worth completing where git does not say what is ignored.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." || name == "node_modules" || name == "vendor"
}

// walk lists the workspace without git.
func (l *fileList) walk(ctx context.Context) []string {
	var names []string
	_ = l.roots.Walk(ctx, ".", func(p guard.Path, e fs.DirEntry) error {
		switch {
		case e.IsDir() && skipped(e.Name()):
			return fs.SkipDir
		case len(names) >= mostListed:
			return fs.SkipAll
		case !e.IsDir():
			names = append(names, p.Display)
		}
		return nil
	})
	return names
}

// completeOutside lists what a folder outside the workspace holds, for /attach, which may name it.
func completeOutside(prefix, folder string, secrets *guard.Secrets, most int) []string {
	typed, base := filepath.Split(prefix)
	dir := typed
	if rest, ok := strings.CutPrefix(typed, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(home, rest)
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join(folder, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if len(out) == most {
			break
		}
		if strings.HasPrefix(e.Name(), base) && !secrets.Named(filepath.Join(dir, e.Name())) && (base != "" || !strings.HasPrefix(e.Name(), ".")) {
			name := typed + e.Name()
			if e.IsDir() {
				name += "/"
			}
			out = append(out, name)
		}
	}
	return out
}
