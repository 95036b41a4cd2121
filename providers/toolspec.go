package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// SchemaGemini is the SchemaDialect of servers that take no additionalProperties.
const SchemaGemini = "gemini"

// CleanSchema returns a tool's schema with only the keywords that the dialect takes. Servers refuse a whole
// request for one keyword they do not know ($schema, const, default, format, $ref); schemas of MCP servers
// and user tools hold all of these. Properties may be named like keywords and stay.
func CleanSchema(schema, dialect string) (json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(schema))
	dec.UseNumber()
	var root map[string]any
	if err := dec.Decode(&root); err != nil {
		return nil, fmt.Errorf("tool schema: %w", err)
	}
	if root == nil {
		root = map[string]any{}
	}
	c := &schemaCleaner{root: root, dialect: dialect, left: maxSchemaNodes}
	clean := c.clean(root, 0)
	if clean["type"] == nil {
		clean["type"] = "object"
	}
	if clean["properties"] == nil {
		clean["properties"] = map[string]any{}
	}
	return EncodeJSON(clean)
}

// schemaCleaner copies a schema without what the dialect refuses.
type schemaCleaner struct {
	root    map[string]any
	dialect string
	left    int // schemas still to be copied
}

// maxSchemaDepth and maxSchemaNodes end a schema that refers to itself; real tool schemas nest a handful deep
// and hold some dozens of schemas.
const (
	maxSchemaDepth = 12
	maxSchemaNodes = 2000
)

func (c *schemaCleaner) clean(s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	if c.left--; c.left < 0 || depth > maxSchemaDepth {
		return out
	}
	for key, value := range c.resolve(s) {
		switch key {
		case "type":
			out[key] = oneType(value)
		case "description", "required", "enum":
			out[key] = value
		case "additionalProperties":
			if allowed, plain := value.(bool); plain && !allowed && c.dialect != SchemaGemini {
				out[key] = false
			}
		case "properties":
			out[key] = c.properties(value, depth)
		case "items":
			if item, ok := value.(map[string]any); ok {
				out[key] = c.clean(item, depth+1)
			}
		}
	}
	if c.dialect == SchemaGemini && depth > 0 && out["type"] == "object" && out["properties"] == nil {
		out = openObject(out)
	}
	if out["type"] == "array" && out["items"] == nil {
		out["items"] = map[string]any{"type": "string"} // several servers refuse an array without items
	}
	return out
}

// openObject is an object of any shape for servers that fill in declared properties only, or refuse an object without
// any: a text that holds it.
func openObject(object map[string]any) map[string]any {
	about, _ := object["description"].(string)
	return map[string]any{"type": "string", "description": strings.TrimSpace(about + " Written as the text of a JSON object.")}
}

func (c *schemaCleaner) properties(value any, depth int) map[string]any {
	out := map[string]any{}
	properties, _ := value.(map[string]any)
	for name, p := range properties {
		property, _ := p.(map[string]any)
		out[name] = c.clean(property, depth+1)
	}
	return out
}

// resolve replaces a schema that only points elsewhere by what it points to: a local $ref, or the first
// alternative that is not null. The words beside the pointer win.
func (c *schemaCleaner) resolve(s map[string]any) map[string]any {
	target := c.follow(s)
	if target == nil {
		return s
	}
	merged := map[string]any{}
	for _, from := range []map[string]any{target, s} {
		for key, value := range from {
			merged[key] = value
		}
	}
	return merged
}

func (c *schemaCleaner) follow(s map[string]any) map[string]any {
	if ref, ok := s["$ref"].(string); ok {
		at := any(c.root)
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			object, _ := at.(map[string]any)
			at = object[step]
		}
		target, _ := at.(map[string]any)
		return target
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		choices, _ := s[key].([]any)
		for _, choice := range choices {
			if object, ok := choice.(map[string]any); ok && object["type"] != "null" {
				if further := c.follow(object); further != nil {
					return further
				}
				return object
			}
		}
	}
	return nil
}

// oneType picks the first real type of a list such as ["string", "null"].
func oneType(value any) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	for _, t := range list {
		if t != "null" {
			return t
		}
	}
	return "string"
}

// Arguments is a call's argument text in a form that servers can parse when a conversation is replayed: they
// refuse the whole history for one call that is not a JSON object. Empty text means no arguments; anything
// else that is not an object is wrapped, so that the model still sees what it wrote.
func Arguments(args string) json.RawMessage {
	text := bytes.TrimSpace([]byte(args))
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	wrapped, err := EncodeJSON(map[string]string{"invalid_arguments": args})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return wrapped
}
