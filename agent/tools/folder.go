package tools

import (
	"context"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"espy/agent/message"
)

// readFolder lists a folder: its folders first, then its files with their sizes.
func readFolder(ctx context.Context, env *Env, at found) (Outcome, error) {
	entries, path, err := env.Roots.ReadDir(at.name)
	if err != nil {
		return Outcome{}, err
	}
	sort.SliceStable(entries, func(i, j int) bool {
		if entries[i].IsDir() != entries[j].IsDir() {
			return entries[i].IsDir()
		}
		return entries[i].Name() < entries[j].Name()
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s is a folder of %s:\n", quoteName(path.Display), entryCount(len(entries)))
	for _, e := range entries[:min(len(entries), maxFolderEntries)] {
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		b.WriteString(entryLine(e))
	}
	if left := len(entries) - maxFolderEntries; left > 0 {
		fmt.Fprintf(&b, "[%s more; narrow it down with glob]\n", entryCount(left))
	}
	summary := fmt.Sprintf("listed %s of %s", entryCount(len(entries)), quoteName(path.Display))
	return answer(withNote(b.String(), at.note), message.MetaPath, path.Abs, message.MetaSummary, summary), nil
}

func entryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return thousands(n) + " entries"
}

func entryLine(e fs.DirEntry) string {
	name := cleanName(e.Name())
	switch {
	case e.IsDir():
		return name + "/\n"
	case e.Type()&fs.ModeSymlink != 0:
		return name + " (link)\n"
	case !e.Type().IsRegular():
		return name + " (special file)\n"
	}
	if info, err := e.Info(); err == nil {
		return fmt.Sprintf("%s (%s)\n", name, size(info.Size()))
	}
	return name + "\n"
}

// cleanName shows a file name on one line; a line break in it would forge another entry.
func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, name)
}
