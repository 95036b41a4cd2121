package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// schemaPart is what a shape reads of a JSON Schema; the rest is for the model that reads the schema itself.
type schemaPart struct {
	Type       any                   `json:"type"`
	Enum       []any                 `json:"enum"`
	Properties map[string]schemaPart `json:"properties"`
	Items      *schemaPart           `json:"items"`
	Required   []string              `json:"required"`
}

// shapeOf is a schema in short: {path: string, crop?: {x: integer, y: integer}}. Required arguments come first, in
// the schema's order, the others by name.
func shapeOf(schema string) string {
	var part schemaPart
	if json.Unmarshal([]byte(schema), &part) != nil {
		return "{…}"
	}
	part.Type = "object"
	return part.shape(0)
}

func (s schemaPart) shape(depth int) string {
	switch {
	case len(s.Enum) > 0:
		return s.choices()
	case s.kind() == "array" && s.Items != nil:
		return "[" + s.Items.shape(depth) + "]"
	case s.kind() != "object":
		return s.kind()
	case depth > maxShapeDepth:
		return "{…}"
	}
	return s.fields(depth)
}

func (s schemaPart) fields(depth int) string {
	var fields, optional []string
	for _, name := range s.Required {
		if p, ok := s.Properties[name]; ok {
			fields = append(fields, clip(name, 60)+": "+p.shape(depth+1))
		}
	}
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	sort.Strings(optional)
	for _, name := range optional {
		fields = append(fields, clip(name, 60)+"?: "+s.Properties[name].shape(depth+1))
	}
	return strings.Join(strings.Fields("{"+strings.Join(fields, ", ")+"}"), " ")
}

// choices are the values of an enum: "low"|"auto".
func (s schemaPart) choices() string {
	parts := make([]string, len(s.Enum))
	for i, v := range s.Enum {
		if text, ok := v.(string); ok {
			parts[i] = quote(clip(text, 60))
		} else {
			parts[i] = clip(fmt.Sprint(v), 60)
		}
	}
	return strings.Join(parts, "|")
}

// kind is the type, the first one that is not null where there are several.
func (s schemaPart) kind() string {
	switch t := s.Type.(type) {
	case string:
		return clip(t, 20)
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return clip(name, 20)
			}
		}
	}
	if s.Properties != nil {
		return "object"
	}
	return "any"
}
