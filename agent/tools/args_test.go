package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"espy/agent/tools"
	"espy/agent/tools/toolstest"

	"github.com/google/jsonschema-go/jsonschema"
)

// good is one valid argument text for each built-in tool.
var good = map[string]string{
	"read":       `{"path":"a.txt"}`,
	"read_media": `{"path":"a.txt"}`,
	"glob":       `{"pattern":"*.txt"}`,
	"grep":       `{"pattern":"x"}`,
	"edit":       `{"path":"a.txt","edits":[{"old_text":"one","new_text":"two"}]}`,
	"write":      `{"path":"b.txt","content":"x"}`,
	"shell":      `{"command":"true"}`,
	"jobs":       `{"action":"list"}`,
	"todo":       `{"items":[{"text":"one","state":"pending"}]}`,
	"ask":        `{"question":"Which?","choices":[{"label":"this"},{"label":"that"}]}`,
	"exit_plan":  `{"plan":"# Plan"}`,
}

func TestBadArgumentsOfEveryToolAreAnsweredWithTheShape(t *testing.T) {
	for name, fine := range good {
		t.Run(name, func(t *testing.T) {
			key, kind, listed := strings.SplitN(fine, `"`, 3)[1], "a string", "must be a string, and is an array"
			if name == "todo" { // the one whose first argument is a list
				kind, listed = "an array", `"items[0]" must be an object, and is the string "a.txt"`
			}
			for _, bad := range []struct{ args, says string }{
				{`null`, "null"},
				{`[]`, "array"},
				{`""`, "the string"},
				{`12`, "the number 12"},
				{`true`, "true"},
				{``, "is missing"},
				{`{}`, "is missing"},
				{fine[:len(fine)-1], "in the middle"},
				{`{"`, "JSON"},
				{`{'a':1}`, "not valid JSON"},
				{fine + `x`, "go on after"},
				{fine + fine, "go on after"},
				{`{"` + key + `":"a.txt","` + strings.ToUpper(key) + `":"b"}`, "twice"},
				{`{"` + key + `":"a.txt","` + key + `":"b"}`, "twice"},
				{`{"nonsense":1}`, `"` + key + `" is missing, and there is no argument "nonsense"`},
				{`{"` + key + `":"a.txt","` + key[1:] + `":1}`, `did you mean "` + key + `"`},
				{`{"` + key + `x":"a.txt"}`, `did you mean "` + key + `"`},
				{`{"` + key + `":12}`, "must be " + kind + ", and is the number 12"},
				{`{"` + key + `":null}`, "must be " + kind + ", and is null"},
				{`{"` + key + `":["a.txt"]}`, listed},
				{`{"` + key + `":{}}`, "must be " + kind + ", and is an object"},
				{strings.Repeat("[", 10_000), "nested"},
			} {
				w := toolstest.New(t)
				w.Write("a.txt", "one\n")
				_, err := w.Effect(name, bad.args)
				if err == nil {
					t.Errorf("%s was accepted", bad.args)
					continue
				}
				if !strings.Contains(err.Error(), bad.says) || !strings.Contains(err.Error(), `Expected: {"`+key+`": `) {
					t.Errorf("%.40s is answered with %q, which should say %q and show the shape", bad.args, err, bad.says)
				}
				if out := w.Call(name, bad.args); !out.Result.IsError || out.Result.CallID == "" {
					t.Errorf("%.40s ran", bad.args)
				}
			}
		})
	}
}

func TestAnArgumentOfAnotherToolIsIgnoredAndTold(t *testing.T) {
	for name, fine := range good {
		w := toolstest.New(t)
		w.Write("a.txt", "one\n")
		w.Call("read", `{"path":"a.txt"}`)
		bare := w.Call(name, fine)
		w = toolstest.New(t)
		w.Write("a.txt", "one\n")
		w.Call("read", `{"path":"a.txt"}`)
		out := w.Call(name, fine[:len(fine)-1]+`,"description":"why","zzzzzz":{"a":1}}`)
		note := "Note: " + name + ` has no argument "description", "zzzzzz"; it was ignored.`
		if out.Result.IsError != bare.Result.IsError || !strings.HasSuffix(out.Result.Text, note) || strings.Count(out.Result.Text, "Note:") != 1 {
			t.Errorf("%s is answered with %q, which should end in %q", name, out.Result.Text, note)
		}
	}
	w := toolstest.New(t)
	w.Write("a.txt", "one\n")
	w.Call("read", `{"path":"a.txt"}`)
	if out := w.Call("edit", `{"path":"a.txt","edits":[{"old_text":"one","new_text":"two","line":1}]}`); out.Result.IsError || !strings.Contains(out.Result.Text, `no argument "edits[0].line"`) {
		t.Errorf("a field too many in a list: %q", out.Result.Text)
	}
}

func TestNumbersWrittenAsStringsCount(t *testing.T) {
	w := toolstest.New(t)
	w.Write("a.txt", "one\ntwo\nthree\n")
	for _, args := range []string{
		`{"path":"a.txt","offset":"2","limit":"1"}`,
		`{"path":"a.txt","offset":2.0,"limit":1}`,
		`{"path":"a.txt","offset":2,"limit":" 1 "}`,
	} {
		if got := w.Call("read", args).Result.Text; !strings.HasPrefix(got, "     2\ttwo\n[") {
			t.Errorf("%s shows %q", args, got)
		}
	}
	for _, args := range []string{`{"path":"a.txt","offset":"two"}`, `{"path":"a.txt","offset":1.5}`, `{"path":"a.txt","offset":-1}`, `{"path":"a.txt","limit":1e99}`} {
		if out := w.Call("read", args); !out.Result.IsError {
			t.Errorf("%s was accepted", args)
		}
	}
	if out := w.Call("read", `{"path":"a.txt","offset":null,"limit":null}`); out.Result.IsError {
		t.Errorf("null for an optional argument is refused: %s", out.Result.Text)
	}
}

func TestSchemasAreValidAndInThePlainDialect(t *testing.T) {
	plain := map[string]bool{"type": true, "properties": true, "required": true, "description": true, "enum": true, "items": true}
	var check func(tool string, schema map[string]any)
	check = func(tool string, schema map[string]any) {
		for key, value := range schema {
			if !plain[key] {
				t.Errorf("%s: the schema uses %q", tool, key)
			}
			if key == "items" {
				check(tool, value.(map[string]any))
			}
			if key == "properties" {
				for _, p := range value.(map[string]any) {
					check(tool, p.(map[string]any))
				}
			}
		}
	}
	for _, tool := range tools.Builtin() {
		var schema map[string]any
		if err := json.Unmarshal([]byte(tool.Spec.Schema), &schema); err != nil {
			t.Fatalf("%s: %v", tool.Spec.Name, err)
		}
		check(tool.Spec.Name, schema)
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(tool.Spec.Schema), &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var args any
		if err := json.Unmarshal([]byte(good[tool.Spec.Name]), &args); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(args); err != nil {
			t.Errorf("%s: good arguments do not match the schema: %v", tool.Spec.Name, err)
		}
		if tool.Spec.Description == "" || len(tool.Spec.Description) > 1500 {
			t.Errorf("%s: the description has %d characters", tool.Spec.Name, len(tool.Spec.Description))
		}
	}
}

func TestRegistryKeepsItsOrderAndNamesTheNearestTool(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	var names []string
	for _, s := range r.Specs() {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "read glob grep edit write shell jobs todo ask exit_plan load_tools" {
		t.Errorf("the tools come as %s", got)
	}
	for word, want := range map[string]string{"Read": "read", "readfile": "read", "read_image": "read_media", "Grep": "grep", "edit_file": "edit", "bash": "", "zzzzzz": "", "": ""} {
		if got := r.Nearest(word); got != want {
			t.Errorf("the tool nearest to %q is %q, want %q", word, got, want)
		}
	}
	if got := r.Missing("Write"); got != `there is no tool called "Write"; did you mean write?` {
		t.Error(got)
	}
	impostor := tools.Tool{}
	impostor.Spec.Name = "read"
	if got, _ := tools.New(append(tools.Builtin(), impostor)...).Lookup("read"); got.Run == nil {
		t.Error("a second tool took the place of read")
	}
}

func TestOnlyToolsThatLookAreReadOnly(t *testing.T) {
	want := map[string]bool{"read": true, "read_media": true, "glob": true, "grep": true}
	for _, tool := range tools.Builtin() {
		if tool.ReadOnly != want[tool.Spec.Name] {
			t.Errorf("%s: ReadOnly is %v", tool.Spec.Name, tool.ReadOnly)
		}
	}
}
