package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"

	"github.com/bmatcuk/doublestar/v4"
)

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func globTool() Tool {
	return declaration[globArgs]{
		name: "glob",
		params: params{
			{name: "pattern", kind: "string", required: true, about: "Such as *.go (in any folder), cmd/**/*.{yml,yaml}, docs/*.md."},
			{name: "path", kind: "string", about: "Folder to look in; the workspace unless given."},
		},
		readOnly: true,
		effect: func(env *Env, a globArgs) (guard.Effect, error) {
			a, err := a.settle()
			if err != nil {
				return guard.Effect{}, err
			}
			path := effectPath(env, a.Path)
			return guard.Effect{Kind: guard.KindRead, Paths: []string{path}, Summary: searchSummary("glob", a.Pattern, path)}, nil
		},
		run: runGlob,
	}.tool()
}

func searchSummary(verb, pattern, path string) string {
	summary := verb + " " + clip(pattern, 60)
	if path != "." {
		summary += " in " + path
	}
	return summary
}

// settle fills in the folder; a pattern that begins with one is taken apart.
func (a globArgs) settle() (globArgs, error) {
	pattern, err := checkPattern("glob", a.Pattern)
	if err != nil {
		return a, err
	}
	if pattern == "" {
		return a, mistakef("glob: the pattern is empty; give one such as *.go, or ** for all files")
	}
	a.Pattern = pattern
	if filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "../") {
		base, rest := doublestar.SplitPattern(pattern)
		a.Pattern, a.Path = rest, filepath.Join(a.Path, base)
		if filepath.IsAbs(base) {
			a.Path = base
		}
	}
	if a.Path == "" {
		a.Path = "."
	}
	return a, nil
}

func runGlob(ctx context.Context, env *Env, call message.ToolCall, a globArgs) (Outcome, error) {
	a, err := a.settle()
	if err != nil {
		return Outcome{}, err
	}
	at, err := locate(env, a.Path)
	if err != nil {
		return Outcome{}, err
	}
	if !at.info.IsDir() {
		return Outcome{}, mistakef("glob: path must be a folder, and %s is a file", quoteName(at.Display))
	}
	l, err := list(ctx, env, at)
	if err != nil {
		return Outcome{}, err
	}
	l.only(a.Pattern)
	names, err := newestFirst(ctx, env, l.files)
	if err != nil {
		return Outcome{}, err
	}
	var b strings.Builder
	for _, n := range names[:min(len(names), maxGlobResults)] {
		b.WriteString(n + "\n")
	}
	switch {
	case len(names) == 0:
		fmt.Fprintf(&b, "no file matches %s in %s\n", a.Pattern, quoteName(at.Display))
	case len(names) > maxGlobResults:
		fmt.Fprintf(&b, "[the newest %d of %s files; narrow the pattern to see others]\n", maxGlobResults, thousands(len(names)))
	}
	if l.capped {
		b.WriteString("[there are more files than one search looks at; give a path]\n")
	}
	text, ref, err := Spill(ctx, env, withNote(b.String(), at.note))
	if err != nil {
		return Outcome{}, err
	}
	return answer(text, message.MetaBlob, ref, message.MetaPath, at.Abs, message.MetaSummary, fmt.Sprintf("%s: %s", clip(a.Pattern, 60), plural(len(names), "file"))), nil
}

// newestFirst orders files by when they last changed. What vanished, or leads out of the workspace, is left out.
func newestFirst(ctx context.Context, env *Env, files []candidate) ([]string, error) {
	type dated struct {
		name string
		time time.Time
	}
	var all []dated
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		info, _, err := env.Roots.Stat(f.abs)
		switch {
		case pathFault(err) == guard.FaultCredential:
			all = append(all, dated{name: env.show(f.abs)}) // its name is no secret
		case err == nil && !info.IsDir():
			all = append(all, dated{env.show(f.abs), info.ModTime()})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if !all[i].time.Equal(all[j].time) {
			return all[i].time.After(all[j].time)
		}
		return all[i].name < all[j].name
	})
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.name
	}
	return names, nil
}
