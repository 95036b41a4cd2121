package tools

import (
	"context"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

type editArgs struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
}

func editTool() Tool {
	return declaration[editArgs]{
		name: "edit",
		params: params{
			{name: "path", kind: "string", required: true, about: "File to change, relative to the workspace or absolute."},
			{name: "edits", kind: "array", required: true, about: "Replacements, made in order; if one fails none is made.", fields: params{
				{name: "old_text", kind: "string", required: true, about: "Text to replace, exactly as in the file and without line numbers. Must occur once, unless replace_all is set."},
				{name: "new_text", kind: "string", required: true, about: "Text to put in its place."},
				{name: "replace_all", kind: "boolean", about: "Replace every occurrence."},
			}},
		},
		effect: func(env *Env, a editArgs) (guard.Effect, error) {
			c, err := planEdit(env, a)
			if guarded(err) {
				return guard.Effect{Kind: guard.KindWrite, Paths: []string{a.Path}, Summary: "edit " + a.Path}, nil
			}
			if err != nil {
				return guard.Effect{}, err
			}
			return c.effect("edit"), nil
		},
		run: func(ctx context.Context, env *Env, call message.ToolCall, a editArgs) (Outcome, error) {
			c, err := planEdit(env, a)
			if err != nil {
				return Outcome{}, err
			}
			if ctx.Err() != nil {
				return Outcome{}, ctx.Err()
			}
			return c.apply(env)
		},
	}.tool()
}

func planEdit(env *Env, a editArgs) (change, error) {
	if strings.HasPrefix(a.Path, blobPrefix) {
		return change{}, mistakef("edit: blobs cannot be changed; give a file")
	}
	if len(a.Edits) == 0 {
		return change{}, mistakef("edit: edits is empty; give at least one {\"old_text\", \"new_text\"}")
	}
	at, err := locate(env, a.Path)
	if err != nil {
		return change{}, err
	}
	before, err := current(env, "edit", at)
	if err != nil {
		return change{}, err
	}
	if strings.IndexByte(before, 0) >= 0 {
		return change{}, mistakef("edit: %s is not UTF-8 text (it holds zero bytes); change it with a shell command", quoteName(at.Display))
	}
	after, err := applyEdits(before, a.Edits)
	if err != nil {
		return change{}, mistakef("edit: %s: %v", quoteName(at.Display), err)
	}
	return change{Path: at.Path, name: at.name, note: at.note, before: before, after: after}, nil
}
