package tools

import (
	"context"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeTool() Tool {
	return declaration[writeArgs]{
		name: "write",
		params: params{
			{name: "path", kind: "string", required: true, about: "File to write, relative to the workspace or absolute. Missing folders are made."},
			{name: "content", kind: "string", required: true, about: "The whole new content."},
		},
		effect: func(env *Env, a writeArgs) (guard.Effect, error) {
			c, err := planWrite(env, a)
			if guarded(err) {
				return guard.Effect{Kind: guard.KindWrite, Paths: []string{a.Path}, Summary: "write " + a.Path}, nil
			}
			if err != nil {
				return guard.Effect{}, err
			}
			return c.effect("write"), nil
		},
		run: func(ctx context.Context, env *Env, call message.ToolCall, a writeArgs) (Outcome, error) {
			c, err := planWrite(env, a)
			if err != nil {
				return Outcome{}, err
			}
			if !c.isNew && c.before == c.after {
				return answer(quoteName(c.Display)+" already has exactly this content; nothing was written", message.MetaPath, c.Abs), nil
			}
			if ctx.Err() != nil {
				return Outcome{}, ctx.Err()
			}
			return c.apply(env)
		},
	}.tool()
}

// planWrite finds what the file holds now. The name is taken as written: a new file may be named almost like
// an old one.
func planWrite(env *Env, a writeArgs) (change, error) {
	if strings.HasPrefix(a.Path, blobPrefix) {
		return change{}, mistakef("write: blobs cannot be changed; give a file")
	}
	if err := checkName(a.Path); err != nil {
		return change{}, err
	}
	info, path, err := env.Roots.Stat(a.Path)
	if pathFault(err) == guard.FaultMissing {
		if path, err = env.Roots.Resolve(a.Path); err != nil {
			return change{}, err
		}
		return change{Path: path, name: a.Path, after: a.Content, isNew: true}, nil
	}
	if err != nil {
		return change{}, err
	}
	before, err := current(env, "write", found{Path: path, name: a.Path, info: info})
	if err != nil {
		return change{}, err
	}
	after, note := keepEndings(before, a.Content)
	return change{Path: path, name: a.Path, note: note, before: before, after: after}, nil
}

// keepEndings gives a rewritten file the line endings and the mark it had: models write plain line feeds, and a
// rewrite is not meant to change every line of a file from Windows.
func keepEndings(before, content string) (after, note string) {
	var kept []string
	old := unify(before)
	if old.crlf && len(old.breaks) == strings.Count(before, "\n") && !strings.Contains(content, "\r\n") && strings.Contains(content, "\n") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
		kept = append(kept, "CRLF line endings")
	}
	if strings.HasPrefix(before, utf8Mark) && !strings.HasPrefix(content, utf8Mark) {
		content = utf8Mark + content
		kept = append(kept, "byte order mark")
	}
	if len(kept) > 0 {
		note = "[the file's " + strings.Join(kept, " and ") + " were kept]"
	}
	return content, note
}
