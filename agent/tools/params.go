package tools

import (
	"encoding/json"
	"strings"
)

// param describes one argument. The schema a model is given, the shape an error shows and the check of what
// arrives all come from it, so they cannot disagree.
type param struct {
	name     string
	kind     string // string, integer, number, boolean, array or object
	about    string
	required bool
	enum     []string
	least    int // smallest integer; applies where most is larger than least
	most     int
	fields   params // of an object, or of each object in an array; an array without them holds strings
}

type params []param

func (ps params) find(name string) *param {
	for i := range ps {
		if ps[i].name == name {
			return &ps[i]
		}
	}
	return nil
}

// schema is the JSON Schema of an object with these fields, in the plain dialect and in declared order.
func (ps params) schema() string {
	var b strings.Builder
	ps.writeSchema(&b)
	return b.String()
}

func (ps params) writeSchema(b *strings.Builder) {
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(p.name))
		b.WriteByte(':')
		p.writeSchema(b)
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":` + quoteAll(required))
	}
	b.WriteByte('}')
}

func (p param) writeSchema(b *strings.Builder) {
	if p.kind == "object" {
		text := p.fields.schema()
		b.WriteString(strings.TrimSuffix(text, "}") + `,"description":` + quote(p.about) + "}")
		return
	}
	b.WriteString(`{"type":` + quote(p.kind) + `,"description":` + quote(p.about))
	if len(p.enum) > 0 {
		b.WriteString(`,"enum":` + quoteAll(p.enum))
	}
	if p.kind == "array" {
		b.WriteString(`,"items":` + p.itemSchema())
	}
	b.WriteByte('}')
}

func (p param) itemSchema() string {
	if p.fields == nil {
		return `{"type":"string"}`
	}
	return p.fields.schema()
}

// shape is how an error shows what was expected: {"path": string, "offset"?: integer}.
func (ps params) shape() string {
	parts := make([]string, len(ps))
	for i, p := range ps {
		mark := "?"
		if p.required {
			mark = ""
		}
		parts[i] = quote(p.name) + mark + ": " + p.shape()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (p param) shape() string {
	switch {
	case p.kind == "object":
		return p.fields.shape()
	case p.kind == "array" && p.fields == nil:
		return "[string, ...]"
	case p.kind == "array":
		return "[" + p.fields.shape() + ", ...]"
	case len(p.enum) > 0:
		quoted := make([]string, len(p.enum))
		for i, e := range p.enum {
			quoted[i] = quote(e)
		}
		return strings.Join(quoted, " or ")
	}
	return p.kind
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
