package guard

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// keptInRepositories name what makes git run programs, in a repository's folder. Hooks and settings are written by
// no command that only works with files and commits, so that nothing breaks where they cannot be changed.
var keptInRepositories = []string{"hooks", "config", "config.worktree"}

// passedOver are folders in which nobody keeps an .env file of their own; they are large.
var passedOver = []string{".git", ".hg", ".svn", ".jj", "node_modules", ".venv", "venv", "__pycache__", "target", "vendor", ".cache"}

// inner lists what in the workspace commands in the sandbox do not change, and what they do not read either: the
// hooks and settings of its repositories, and .env files that git does not track (what it tracks is no secret). A
// workspace too large to be looked over first is looked over as far as innerEntries and innerWait go.
func (r *Roots) inner() (keep, shut []string) {
	exists := func(name string) bool { _, err := os.Lstat(name); return err == nil }
	repository := r.repository()
	if own := filepath.Join(r.physical, ".git"); repository == "" && exists(own) {
		repository = own
	}
	if repository != "" {
		modules, _ := filepath.Glob(filepath.Join(repository, "modules", "*"))
		for _, dir := range append(modules, repository) {
			for _, name := range keptInRepositories {
				if at := filepath.Join(dir, name); exists(at) {
					keep = append(keep, at)
				}
			}
		}
	}
	if at := filepath.Join(r.physical, ".hg", "hgrc"); exists(at) {
		keep = append(keep, at)
	}
	return keep, r.untracked(r.environments())
}

// environments finds .env files below the workspace, the nearest first.
func (r *Roots) environments() (found []string) {
	type folder struct {
		path  string
		depth int
	}
	left, until := innerEntries, time.Now().Add(innerWait)
	for queue := []folder{{r.physical, 0}}; len(queue) > 0 && left > 0 && time.Now().Before(until); queue = queue[1:] {
		entries, err := os.ReadDir(queue[0].path)
		if err != nil {
			continue
		}
		left -= len(entries)
		for _, e := range entries {
			at := filepath.Join(queue[0].path, e.Name())
			switch {
			case e.IsDir():
				if queue[0].depth < innerDepth && !slices.Contains(passedOver, e.Name()) {
					queue = append(queue, folder{at, queue[0].depth + 1})
				}
			case e.Type() == fs.FileMode(0) && strings.HasPrefix(spelling(e.Name()), ".env") && r.secrets.named(at):
				found = append(found, at)
			}
		}
	}
	return found
}

// untracked leaves out the files that git tracks.
func (r *Roots) untracked(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitConfigWait)
	defer cancel()
	args := []string{"ls-files", "-z", "--"}
	for _, file := range files {
		rel, _ := filepath.Rel(r.physical, file)
		args = append(args, ":(literal)"+filepath.ToSlash(rel))
	}
	out, err := Git(ctx, r.physical, args...)
	if err != nil {
		return files // no repository, or none that can be asked
	}
	tracked := strings.Split(string(out), "\x00")
	return slices.DeleteFunc(files, func(file string) bool {
		rel, _ := filepath.Rel(r.physical, file)
		return slices.Contains(tracked, filepath.ToSlash(rel))
	})
}
