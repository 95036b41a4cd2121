package tools_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
)

// asked keeps what a task call came to be.
type asked struct{ got tools.TaskRequest }

func (a *asked) TaskEffect(r tools.TaskRequest) (guard.Effect, error) {
	a.got = r
	return guard.Effect{Kind: guard.KindNone}, nil
}

func (a *asked) RunTask(context.Context, message.ToolCall, tools.TaskRequest) (tools.Outcome, error) {
	return tools.Outcome{Result: message.ToolResult{Text: "ran"}}, nil
}

func TestATasksArgumentsAreReadAsTheyAreDeclared(t *testing.T) {
	w := toolstest.New(t)
	a := &asked{}
	w.Env.Tasks = a
	task := tools.Task("eyes (test/eyes, sees pictures)")
	for _, c := range []struct {
		args string
		want tools.TaskRequest
	}{
		{`{"description":"A","prompt":"do"}`, tools.TaskRequest{Description: "A", Prompt: "do"}},
		{`{"description":"A","prompt":"do","tools":[],"pictures":["blob:0123456789ab"],"max_turns":"3","max_cost":0.25}`,
			tools.TaskRequest{Description: "A", Prompt: "do", Tools: []string{}, Pictures: []string{"blob:0123456789ab"}, MaxTurns: 3, MaxCost: 0.25}},
		{`{"description":"A","prompt":"do","tools":["read","grep"],"max_cost":"1e-1"}`, tools.TaskRequest{Description: "A", Prompt: "do", Tools: []string{"read", "grep"}, MaxCost: 0.1}},
	} {
		if _, err := task.Effect(w.Env, c.args); err != nil || !reflect.DeepEqual(a.got, c.want) {
			t.Errorf("%s became %+v, %v; want %+v", c.args, a.got, err, c.want)
		}
	}
	for args, says := range map[string]string{
		`{"prompt":"do"}`:                                   `"description" is missing`,
		`{"description":"A","prompt":"  "}`:                 "the prompt is empty",
		`{"description":"A","prompt":"do","tools":"read"}`:  `"tools" must be an array, and is the string "read"`,
		`{"description":"A","prompt":"do","tools":[7]}`:     `"tools[0]" must be a string, and is the number 7`,
		`{"description":"A","prompt":"do","max_cost":"x"}`:  `"max_cost" must be a number`,
		`{"description":"A","prompt":"do","max_cost":-1}`:   "must not be negative",
		`{"description":"A","prompt":"do","max_turns":0}`:   "must be from 1 to 200",
		`{"description":"A","prompt":"do","pictures":[{}]}`: `"pictures[0]" must be a string, and is an object`,
	} {
		if _, err := task.Effect(w.Env, args); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is answered with %v, which should say %q", args, err, says)
		}
	}
}

func TestATasksSchemaIsPlainAndNamesTheModelsOfTheSettings(t *testing.T) {
	spec := tools.Task("eyes (test/eyes, sees pictures)", "quick (test/quick)").Spec
	var schema struct {
		Properties map[string]struct {
			Type        string
			Description string
			Items       map[string]any
		}
		Required []string
	}
	if err := json.Unmarshal([]byte(spec.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	if p := schema.Properties["tools"]; p.Type != "array" || p.Items["type"] != "string" {
		t.Errorf("a list of names is declared as %+v", p)
	}
	if p := schema.Properties["max_cost"]; p.Type != "number" {
		t.Errorf("dollars are declared as %+v", p)
	}
	if about := schema.Properties["model"].Description; !strings.Contains(about, "eyes (test/eyes, sees pictures); quick (test/quick)") {
		t.Errorf("the model is described as %q", about)
	}
	if !reflect.DeepEqual(schema.Required, []string{"description", "prompt"}) {
		t.Errorf("required are %v", schema.Required)
	}
}

func TestWhereThereAreNoTasksACallOfOneSaysSo(t *testing.T) {
	w := toolstest.New(t)
	task := tools.Task()
	out, err := task.Run(t.Context(), w.Env, message.ToolCall{ID: "c", Args: `{"description":"A","prompt":"do"}`})
	if err != nil || !out.Result.IsError || !strings.Contains(out.Result.Text, "no tasks can be run here") {
		t.Errorf("%+v, %v", out, err)
	}
}
