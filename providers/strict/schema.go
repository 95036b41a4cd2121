package strict

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed testdata
var published embed.FS

// schemas are OpenAI's published descriptions. Anthropic publishes none: its rules are code.
type schemas struct {
	byName map[string]*jsonschema.Schema
}

func loadSchemas(t testing.TB) *schemas {
	t.Helper()
	s := &schemas{byName: map[string]*jsonschema.Schema{}}
	for name, file := range map[string]string{
		"chat": "chat-request", "chat event": "chat-stream-chunk", "responses": "responses-request", "responses event": "responses-stream-event",
	} {
		path := "testdata/" + file + ".schema.json"
		raw, err := published.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(path, doc); err != nil {
			t.Fatal(err)
		}
		if s.byName[name], err = compiler.Compile(path); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// check says what is wrong with a decoded body, "" where nothing is.
func (s *schemas) check(name string, body any) string {
	schema := s.byName[name]
	if schema == nil {
		return ""
	}
	err := schema.Validate(body)
	if err == nil {
		return ""
	}
	lines := strings.Split(err.Error(), "\n")
	return fmt.Sprintf("the body does not match the published schema: %s", strings.Join(lines[:min(len(lines), 12)], " "))
}
