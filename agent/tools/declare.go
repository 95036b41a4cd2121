package tools

import (
	"context"
	"embed"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/providers"
)

// descriptions holds what models read about each tool: NAME.md.
//
//go:embed *.md
var descriptions embed.FS

// declaration is a built-in tool with typed arguments. What differs between tools stands in its file; decoding,
// turning mistakes into results and making text valid are done here for all.
type declaration[A any] struct {
	name     string
	params   params
	readOnly bool
	deferred bool
	keywords []string
	effect   func(env *Env, args A) (guard.Effect, error)
	run      func(ctx context.Context, env *Env, call message.ToolCall, args A) (Outcome, error)
}

func (d declaration[A]) tool() Tool {
	text, err := descriptions.ReadFile(d.name + ".md")
	if err != nil {
		panic("tools: " + d.name + " has no description: " + err.Error()) // a built-in without its file cannot be built
	}
	return Tool{
		Spec: providers.ToolSpec{
			Name:        d.name,
			Description: strings.TrimSpace(string(text)),
			Schema:      d.params.schema(),
		},
		ReadOnly: d.readOnly,
		Deferred: d.deferred,
		Keywords: d.keywords,
		Effect:   d.effectOf,
		Run:      d.runCall,
	}
}

func (d declaration[A]) effectOf(env *Env, text string) (guard.Effect, error) {
	args, _, err := decodeArgs[A](d.name, text, d.params)
	if err != nil {
		return guard.Effect{}, err
	}
	effect, err := d.effect(env, args)
	effect.Tool = d.name
	return effect, err
}

func (d declaration[A]) runCall(ctx context.Context, env *Env, call message.ToolCall) (Outcome, error) {
	args, note, err := decodeArgs[A](d.name, call.Args, d.params)
	var out Outcome
	if err == nil {
		out, err = d.run(ctx, env, call, args)
	}
	if err != nil {
		sentence, ok := mendable(err)
		if !ok {
			return Outcome{}, err
		}
		out = Outcome{Result: message.ToolResult{Text: sentence, IsError: true}}
	}
	if note != "" {
		out.Result.Text = strings.TrimPrefix(strings.TrimRight(out.Result.Text, "\n")+"\n"+note, "\n")
	}
	out.Result.CallID = call.ID
	out.Result.Text = strings.ToValidUTF8(out.Result.Text, "\uFFFD")
	return out, nil
}

// answer is a result in words. Meta comes as key, value, key, value; empty values are left out.
func answer(text string, meta ...string) Outcome {
	result := message.ToolResult{Text: text}
	for i := 0; i+1 < len(meta); i += 2 {
		if meta[i+1] == "" {
			continue
		}
		if result.Meta == nil {
			result.Meta = map[string]string{}
		}
		result.Meta[meta[i]] = strings.ToValidUTF8(meta[i+1], "\uFFFD")
	}
	return Outcome{Result: result}
}
