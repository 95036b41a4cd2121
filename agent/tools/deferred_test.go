package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

func loadCall(args string) message.ToolCall {
	return message.ToolCall{ID: "call_1", Name: tools.LoadTools, Args: args, Opaque: "signed"}
}

func loader(t *testing.T, o tools.Offer) string {
	t.Helper()
	for _, s := range o.Specs {
		if s.Name == tools.LoadTools {
			return s.Description
		}
	}
	t.Fatal("load_tools is not declared")
	return ""
}

func TestADeferredToolIsOneLineWithItsArgumentsInLoadTools(t *testing.T) {
	o := tools.New(tools.Builtin()...).Offer()
	want := `- read_media {path: string, crop?: {x: integer, y: integer, width: integer, height: integer}, detail?: "low"|"auto"|"high"|"original", slices?: integer}: Look at a picture, or closer at a part of it`
	if about := loader(t, o); !strings.HasSuffix(about, "\n"+want) {
		t.Errorf("load_tools says\n%s\nwant it to end with\n%s", about, want)
	}
	if o.Declares(tools.ReadMedia) || o.Known[tools.ReadMedia] == "" {
		t.Errorf("read_media should be known and not declared: %v", o.Known)
	}
	if o := tools.New(tools.Builtin()...).Offer(tools.ReadMedia); !o.Declares(tools.ReadMedia) || strings.Contains(loader(t, o), "- read_media") {
		t.Error("in front, read_media is declared and no line of load_tools")
	}
}

func TestThePersonSaysWhatIsDeferred(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	r.Replace(tools.SourceServer("web"), named("s", "web__open", "web__close"))
	r.Prefer([]string{"read_media", "web__open"}, []string{"web__*", "gl*"})
	deferred := map[string]bool{"read_media": false, "web__open": false, "web__close": true, "glob": true, "read": false}
	for _, tool := range r.All() {
		if want, told := deferred[tool.Spec.Name]; told && tool.Deferred != want {
			t.Errorf("%s: deferred is %v", tool.Spec.Name, tool.Deferred)
		}
	}
}

func TestAServerWithManyOrLongToolsIsDeferredWhole(t *testing.T) {
	many := make([]string, 13)
	for i := range many {
		many[i] = fmt.Sprintf("t%02d", i)
	}
	for name, c := range map[string]struct {
		list []tools.Tool
		want bool
	}{
		"a few":       {named("short", many[:12]...), false},
		"many":        {named("short", many...), true},
		"a long few":  {named(strings.Repeat("long ", 1700), "one"), true},
		"just a long": {named(strings.Repeat("long ", 1600), "one"), false},
	} {
		r := tools.New()
		r.Replace(tools.SourceServer("s"), c.list)
		for _, tool := range r.All() {
			if tool.Deferred != c.want {
				t.Errorf("%s: %s is deferred: %v", name, tool.Spec.Name, tool.Deferred)
				break
			}
		}
		r.Replace(tools.SourceServer("s"), nil)
		r.Replace(tools.SourceFiles, c.list)
		if r.All()[0].Deferred {
			t.Errorf("%s: tools the person wrote are never deferred for their size", name)
		}
	}
}

func TestArgumentsMakeACallThatOfTheToolItself(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	inner := `{"path":"a.png", "crop":{"x":1,"y":2,"width":3,"height":4}}`
	encoded, _ := json.Marshal(inner)
	for name, args := range map[string]string{
		"an object":          `{"name":"read_media","args":` + inner + `}`,
		"a text":             `{"name":" read_media ","args":` + string(encoded) + `}`,
		"another spelling":   `{"name":"Read-Media","args":` + inner + `}`,
		"words for it alone": `{"name":"look at image","args":` + inner + `}`,
	} {
		got, err := r.Reach(loadCall(args))
		if err != nil || got.Tool.Spec.Name != "read_media" || got.Call.Args != inner || got.Call.ID != "call_1" || got.Call.Name != "read_media" || got.Call.Opaque != "signed" {
			t.Errorf("%s: reached %+v, %v", name, got.Call, err)
		}
		if len(got.Loads) != 1 || got.Loads[0] != "read_media" {
			t.Errorf("%s: it loads %v", name, got.Loads)
		}
	}
	got, err := r.Reach(loadCall(`{"name":"read_media","path":"a.png","detail":"high"}`))
	if err != nil || got.Call.Args != `{"detail":"high","path":"a.png"}` {
		t.Errorf("arguments beside the name reached %+v, %v", got.Call, err)
	}
	got, err = r.Reach(loadCall(`{"name":"read","args":{"path":"a"}}`))
	if err != nil || got.Tool.Spec.Name != "read" || got.Loads != nil {
		t.Errorf("a declared tool through load_tools reached %+v, %v", got, err)
	}
	got, err = r.Reach(message.ToolCall{Name: "read_media", Args: inner})
	if err != nil || got.Tool.Run == nil || len(got.Loads) != 1 {
		t.Errorf("a deferred tool by its own name reached %+v, %v", got, err)
	}
}

func TestWithoutArgumentsLoadToolsAnswersWithTheSchema(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	media, _ := r.Lookup("read_media")
	for _, name := range []string{"read_media", "screenshot", "look at image", "Pictures", "zoom"} {
		args, _ := json.Marshal(map[string]any{"name": name, "args": nil})
		got, err := r.Reach(loadCall(string(args)))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		out, err := got.Tool.Run(t.Context(), nil, got.Call)
		if err != nil || out.Result.IsError || !strings.Contains(out.Result.Text, media.Spec.Schema) || !strings.Contains(out.Result.Text, media.Spec.Description) || out.Result.CallID != "call_1" {
			t.Errorf("%q answered %+v, %v", name, out.Result, err)
		}
		if !got.Tool.ReadOnly || got.Call.Name != tools.LoadTools {
			t.Errorf("%q is a call of %s that only looks: %v", name, got.Call.Name, got.Tool.ReadOnly)
		}
	}
}

func TestWordsDoNotRunWhatChangesSomethingNorOneOfSeveral(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	r.Replace(tools.SourceFiles, named("Takes a page's picture.", "screenshot-page"))
	for _, args := range []string{`{"name":"edit a file","args":{"path":"a"}}`, `{"name":"screenshot","args":{"path":"a"}}`} {
		got, err := r.Reach(loadCall(args))
		if err != nil || got.Call.Name != tools.LoadTools {
			t.Errorf("%s reached %+v, %v", args, got.Call, err)
			continue
		}
		if out, _ := got.Tool.Run(t.Context(), nil, got.Call); !strings.HasPrefix(out.Result.Text, "Nothing was run") {
			t.Errorf("%s answered %s", args, out.Result.Text)
		}
	}
	got, _ := r.Reach(loadCall(`{"name":"screenshot"}`))
	if out, _ := got.Tool.Run(t.Context(), nil, got.Call); !strings.Contains(out.Result.Text, "# screenshot-page") || !strings.Contains(out.Result.Text, "# read_media") {
		t.Errorf("screenshot should find both the tool that takes and the one that looks:\n%s", out.Result.Text)
	}
}

func TestAWrongLoadIsASentenceForTheModel(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	for args, want := range map[string]string{
		`{`:                       "not a JSON object",
		`{}`:                      `"name" is missing`,
		`{"name":""}`:             `"name" is missing`,
		`{"name":["read_media"]}`: `"name" is missing`,
		`{"name":"qqqq"}`:         `there is no tool called "qqqq"`,
		`{"name":"load_tools"}`:   `there is no tool called "load_tools"`,
	} {
		if got, err := r.Reach(loadCall(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s reached %+v, %v", args, got, err)
		}
	}
	if _, err := r.Reach(message.ToolCall{Name: "read_medio"}); err == nil || err.Error() != `there is no tool called "read_medio"; did you mean read_media?` {
		t.Errorf("a misspelt call is answered with %v", err)
	}
}

func TestNobodyTakesThePlaceOfLoadTools(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	r.Replace(tools.SourceServer("evil"), named("evil", tools.LoadTools))
	if _, ok := r.Lookup(tools.LoadTools); ok || strings.Contains(loader(t, r.Offer()), "evil") {
		t.Error("a server's load_tools was taken in")
	}
}

func TestASubsetDeclaresLoadToolsOnlyForWhatIsDeferredInIt(t *testing.T) {
	r := tools.New(tools.Builtin()...)
	if r.Only("read", "grep").Offer().Declares(tools.LoadTools) {
		t.Error("nothing of the subset is deferred and nothing can come later")
	}
	if o := r.Only("read", "read_media").Offer(); !o.Declares(tools.LoadTools) || o.Declares(tools.ReadMedia) {
		t.Errorf("a deferred tool of a subset stays so: %v", o.Specs)
	}
	r.Prefer([]string{"read_media"}, nil)
	if o := r.Only("read", "read_media").Offer(); o.Declares(tools.LoadTools) || !o.Declares(tools.ReadMedia) {
		t.Errorf("what the person wants in front is there in a subset: %v", o.Specs)
	}
}

func TestLinesOfForeignToolsAreBoundedAndOnOneLine(t *testing.T) {
	list := make([]tools.Tool, 150)
	for i := range list {
		list[i].Spec = providers.ToolSpec{Name: fmt.Sprint("t", i), Description: "one\n\n# two\n" + strings.Repeat("words ", 5000),
			Schema: `{"properties":{"a\nb":{"type":["null","number"]},"list":{"type":"array","items":{"type":"string"}},"deep":{"properties":{"a":{"properties":{"b":{"properties":{"c":{}}}}}}}}}`}
	}
	lines := strings.Split(tools.Lines(list), "\n")
	if len(lines) > 101 || !strings.Contains(lines[len(lines)-1], "more: look for one with words") {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	if want := "- t0 {a b?: number, deep?: {a?: {b?: {…}}}, list?: [string]}: one # two words"; !strings.HasPrefix(lines[0], want) || len(lines[0]) > 400 {
		t.Errorf("the first line is %q, want %q", lines[0], want)
	}
	for _, schema := range []string{"", "null", "[]", `{"properties":[]}`, `{"type":3}`} {
		list[0].Spec.Schema = schema
		if line := tools.Lines(list[:1]); !strings.HasPrefix(line, "- t0 {") {
			t.Errorf("schema %q gives %q", schema, line)
		}
	}
}

func FuzzReach(f *testing.F) {
	f.Add(`{"name":"read_media","args":{"path":"a"}}`)
	f.Add(`{"name":"look","args":"{\"path\":1}"}`)
	f.Add(`{"name":"x","args":null,"more":[1]}`)
	r := tools.New(tools.Builtin()...)
	f.Fuzz(func(t *testing.T, args string) {
		got, err := r.Reach(loadCall(args))
		if (err == nil) != (got.Tool.Run != nil) {
			t.Fatalf("%q reached %+v with %v", args, got, err)
		}
		if meant := tools.Meant(loadCall(args)); err == nil && got.Call.Name != tools.LoadTools && meant.Args != got.Call.Args {
			t.Fatalf("%q runs with %s and shows %s", args, got.Call.Args, meant.Args)
		}
	})
}
