package strict

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed testdata
var published embed.FS

// OpenAI's published descriptions, compiled when first needed. Anthropic publishes none: its rules are code.
var (
	chatRequest     = sync.OnceValue(func() *jsonschema.Schema { return compile("chat-request") })
	chatChunk       = sync.OnceValue(func() *jsonschema.Schema { return compile("chat-stream-chunk") })
	responseRequest = sync.OnceValue(func() *jsonschema.Schema { return compile("responses-request") })
	responseEvent   = sync.OnceValue(func() *jsonschema.Schema { return compile("responses-stream-event") })
)

// compile panics on a fault: the files are our own.
func compile(name string) *jsonschema.Schema {
	path := "testdata/" + name + ".schema.json"
	raw, err := published.ReadFile(path)
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(path, doc); err != nil {
		panic(err)
	}
	return compiler.MustCompile(path)
}

// faultOf says what is wrong with a decoded body, "" where nothing is.
func faultOf(schema *jsonschema.Schema, body any) string {
	err := schema.Validate(body)
	if err == nil {
		return ""
	}
	const lines = 12 // the first branches of a union say what is meant
	said := strings.Split(err.Error(), "\n")
	return fmt.Sprintf("the body does not match the published schema: %s", strings.Join(said[:min(len(said), lines)], " "))
}
