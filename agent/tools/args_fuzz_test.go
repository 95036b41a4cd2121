package tools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var fuzzParams = params{
	{name: "path", kind: "string", required: true},
	{name: "offset", kind: "integer", least: 0, most: 100},
	{name: "edits", kind: "array", fields: params{
		{name: "old_text", kind: "string", required: true},
		{name: "new_text", kind: "string", required: true},
		{name: "replace_all", kind: "boolean"},
	}},
}

type fuzzArgs struct {
	Path   string        `json:"path"`
	Offset int           `json:"offset"`
	Edits  []replacement `json:"edits"`
}

// FuzzArguments holds decodeArgs to what it promises: no panic, nothing accepted that is not one JSON object, and
// what is accepted comes out the same when it is written and read again.
func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"a","offset":"12","edits":[{"old_text":"a","new_text":"b","replace_all":"true"}]}`)
	f.Add(`{"path":"a","Path":"b"}`)
	f.Add(`{"path":"\ud800","offset":1e1}`)
	f.Add(`null`)
	f.Add(`{"path":"a"} {`)
	f.Fuzz(func(t *testing.T, text string) {
		args, _, err := decodeArgs[fuzzArgs]("fuzz", text, fuzzParams)
		if err != nil {
			if _, ok := mendable(err); !ok {
				t.Fatalf("%q fails with a machine error: %v", text, err)
			}
			return
		}
		if !json.Valid([]byte(text)) || !strings.HasPrefix(strings.TrimSpace(text), "{") {
			t.Fatalf("%q was accepted", text)
		}
		again, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := decodeArgs[fuzzArgs]("fuzz", string(again), fuzzParams)
		if err != nil || !reflect.DeepEqual(args, back) && len(args.Edits)+len(back.Edits) > 0 {
			t.Fatalf("%q became %s and then %+v, %v", text, again, back, err)
		}
	})
}
