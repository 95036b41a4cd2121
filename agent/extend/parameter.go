package extend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parameter is one argument of a declared tool.
type parameter struct {
	Type        string   `toml:"type"` // string, integer, number, boolean, or list (of strings)
	Description string   `toml:"description"`
	Required    bool     `toml:"required"`
	Enum        []string `toml:"enum"`    // for strings
	Default     string   `toml:"default"` // used where the argument is absent; written as text
	Dash        bool     `toml:"dash"`    // a value may begin with "-"; else it could pass for an option
}

func (p parameter) check(name string) error {
	if !placeholder.MatchString("{" + name + "}") {
		return fmt.Errorf("parameter %q: expected letters, digits and _", name)
	}
	switch p.Type {
	case "string", "integer", "number", "boolean", "list":
		return nil
	}
	return fmt.Errorf("parameters.%s: type %q: expected string, integer, number, boolean or list", name, p.Type)
}

// schema is the JSON Schema of the parameters, in the dialect every service takes.
func (d *declaration) schema() string {
	type property struct {
		Type        string            `json:"type"`
		Description string            `json:"description,omitempty"`
		Enum        []string          `json:"enum,omitempty"`
		Items       map[string]string `json:"items,omitempty"`
	}
	properties := make(map[string]property)
	required := []string{}
	for _, name := range sortedNames(d.Parameters) {
		p := d.Parameters[name]
		prop := property{Type: p.Type, Description: p.Description, Enum: p.Enum}
		if p.Type == "list" {
			prop.Type, prop.Items = "array", map[string]string{"type": "string"}
		}
		properties[name] = prop
		if p.Required {
			required = append(required, name)
		}
	}
	object := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		object["required"] = required
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		panic(err) // strings and lists of strings
	}
	return string(encoded)
}

// arguments are the model's values by name, each as the texts it stands for; an absent one has no entry.
type arguments map[string][]string

// decode checks a call's arguments. Its errors are sentences for the model.
func (d *declaration) decode(text string) (arguments, error) {
	raw := make(map[string]json.RawMessage)
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	if err := decoder.Decode(&raw); err != nil || raw == nil {
		return nil, fmt.Errorf("%s: the arguments are not a JSON object", d.Name)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something stands behind the JSON object of the arguments", d.Name)
	}
	args := make(arguments)
	for name, value := range raw {
		p, ok := d.Parameters[name]
		if !ok {
			return nil, fmt.Errorf("%s: there is no argument %q; there are %s", d.Name, name, strings.Join(sortedNames(d.Parameters), ", "))
		}
		texts, err := p.values(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", d.Name, name, err)
		}
		if texts != nil {
			args[name] = texts
		}
	}
	for _, name := range sortedNames(d.Parameters) {
		p := d.Parameters[name]
		if _, given := args[name]; given {
			continue
		}
		if p.Default != "" {
			args[name] = []string{p.Default}
		} else if p.Required {
			return nil, fmt.Errorf("%s: the argument %q is missing", d.Name, name)
		}
	}
	return args, nil
}

// values turns a JSON value into the texts it stands for; null is absent.
func (p parameter) values(raw json.RawMessage) ([]string, error) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, nil
	}
	if p.Type != "list" {
		text, err := p.scalar(v)
		return []string{text}, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list of strings, found %s", raw)
	}
	texts := []string{}
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("expected a list of strings, found %v in it", item)
		}
		if err := p.text(text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (p parameter) scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		if p.Type == "string" {
			return v, p.text(v)
		}
		if _, err := strconv.ParseFloat(v, 64); err == nil && (p.Type == "number" || p.Type == "integer") {
			return v, nil // models write numbers as texts now and then
		}
	case json.Number:
		if _, err := v.Int64(); p.Type == "number" || p.Type == "integer" && err == nil {
			return v.String(), nil
		}
	case bool:
		if p.Type == "boolean" {
			return strconv.FormatBool(v), nil
		}
	}
	return "", fmt.Errorf("expected a %s, found %v", p.Type, v)
}

// text judges one string value.
func (p parameter) text(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("the value holds a zero byte")
	}
	if !p.Dash && strings.HasPrefix(s, "-") {
		return fmt.Errorf("%q begins with -, which a program could take for an option; for a file write ./%s", s, s)
	}
	if len(p.Enum) == 0 {
		return nil
	}
	for _, e := range p.Enum {
		if e == s {
			return nil
		}
	}
	return fmt.Errorf("%q: expected one of %s", s, strings.Join(p.Enum, ", "))
}
