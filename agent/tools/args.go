package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxArgsDepth bounds nesting: no tool takes more than objects in an array in an object.
const maxArgsDepth = 8

// decodeArgs reads a call's arguments strictly: one JSON object with the declared fields, because a
// half-written or misspelt call that runs with empty fields does the wrong thing quietly. Three kindnesses: a
// number or boolean written as a string counts, null for an optional field is no field, and a name that no
// argument has or nearly has is ignored, which the note says ("" where there was none). The empty text is an
// object without fields. An error says what was found and shows the shape.
func decodeArgs[T any](tool, text string, ps params) (args T, note string, err error) {
	var ignored unknownNames
	fields, err := parseArgs(text)
	if err == nil {
		fields, err = ps.check("", fields, &ignored)
	}
	if err == nil {
		err = fill(&args, fields)
	}
	if err != nil {
		return args, "", mistakef("%s: %v. Expected: %s", tool, err, ps.shape())
	}
	return args, ignored.note(tool), nil
}

func fill(into any, fields map[string]any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func parseArgs(text string) (map[string]any, error) {
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	value, err := parseValue(dec, 0)
	if err != nil {
		return nil, describeSyntax(err, len(text))
	}
	if rest, _ := io.ReadAll(io.MultiReader(dec.Buffered(), strings.NewReader(text[dec.InputOffset():]))); len(bytes.TrimSpace(rest)) > 0 {
		return nil, fmt.Errorf("the arguments go on after the JSON object, with %s", quote(clip(strings.TrimSpace(text[dec.InputOffset():]), 40)))
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the arguments must be a JSON object, and are %s", describe(value))
	}
	return fields, nil
}

func describeSyntax(err error, size int) error {
	switch e := err.(type) {
	case *json.SyntaxError:
		return fmt.Errorf("the arguments are not valid JSON at byte %d: %v", e.Offset, e)
	case *argsError:
		return e
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the arguments end in the middle of the JSON, after %d bytes", size)
	}
	return fmt.Errorf("the arguments are not valid JSON: %v", err)
}

// argsError is valid JSON that no tool takes.
type argsError struct{ sentence string }

func (e *argsError) Error() string { return e.sentence }

// parseValue is the decoder's job done by hand for the one thing it hides: keys given twice.
func parseValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxArgsDepth {
		return nil, &argsError{fmt.Sprintf("the arguments are nested more than %d deep", maxArgsDepth)}
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return parseObject(dec, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := parseValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

func parseObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	seen := map[string]string{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if first, twice := seen[strings.ToLower(key)]; twice {
			return nil, &argsError{fmt.Sprintf("the arguments give %s twice (as %s and %s)", quote(strings.ToLower(key)), quote(first), quote(key))}
		}
		seen[strings.ToLower(key)] = key
		if object[key], err = parseValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

// check returns the fields as the declaration wants them. At is where they stand, for sentences.
// Names it does not know are added to ignored, unless they look like a misspelling.
func (ps params) check(at string, fields map[string]any, ignored *unknownNames) (map[string]any, error) {
	unknown, err := ps.unknown(at, fields)
	if err != nil {
		return nil, err
	}
	*ignored = append(*ignored, unknown...)
	checked := map[string]any{}
	for _, p := range ps {
		value, given := fields[p.name]
		if !given || value == nil && !p.required {
			if p.required {
				return nil, unknown.missing(at + p.name)
			}
			continue
		}
		fine, err := p.check(at+p.name, value, ignored)
		if err != nil {
			return nil, err
		}
		checked[p.name] = fine
	}
	return checked, nil
}

func (p param) check(at string, value any, ignored *unknownNames) (any, error) {
	wrong := fmt.Errorf("%s must be %s, and is %s", quote(at), withArticle(p.kind), describe(value))
	switch p.kind {
	case "string":
		text, ok := value.(string)
		if !ok {
			return nil, wrong
		}
		return text, p.checkEnum(at, text)
	case "integer":
		n, ok := integer(value)
		if !ok {
			return nil, wrong
		}
		return n, p.checkRange(at, n)
	case "number":
		f, ok := decimal(value)
		if !ok {
			return nil, wrong
		}
		return f, nil
	case "boolean":
		b, ok := boolean(value)
		if !ok {
			return nil, wrong
		}
		return b, nil
	case "object":
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, wrong
		}
		return p.fields.check(at+".", fields, ignored)
	}
	list, ok := value.([]any)
	if !ok {
		return nil, wrong
	}
	return p.checkItems(at, list, ignored)
}

func (p param) checkItems(at string, list []any, ignored *unknownNames) (any, error) {
	checked := make([]any, len(list))
	for i, item := range list {
		place := fmt.Sprintf("%s[%d]", at, i)
		if p.fields == nil {
			text, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("%s must be a string, and is %s", quote(place), describe(item))
			}
			checked[i] = text
			continue
		}
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s must be an object, and is %s", quote(place), describe(item))
		}
		fine, err := p.fields.check(place+".", fields, ignored)
		if err != nil {
			return nil, err
		}
		checked[i] = fine
	}
	return checked, nil
}

func (p param) checkEnum(at, text string) error {
	if len(p.enum) == 0 {
		return nil
	}
	for _, e := range p.enum {
		if e == text {
			return nil
		}
	}
	return fmt.Errorf("%s must be %s, and is %s", quote(at), p.shape(), quote(clip(text, 40)))
}

func (p param) checkRange(at string, n int) error {
	if p.most > p.least && (n < p.least || n > p.most) {
		return fmt.Errorf("%s must be from %d to %d, and is %d", quote(at), p.least, p.most, n)
	}
	return nil
}

// integer takes 12, 12.0 and "12".
func integer(value any) (int, bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// decimal takes 0.5 and "0.5".
func decimal(value any) (float64, bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func boolean(value any) (b, ok bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case string:
		return v == "true", v == "true" || v == "false"
	}
	return false, false
}

func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quote(clip(v, 40))
	case json.Number:
		return "the number " + clip(v.String(), 40)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "an array"
	}
	return "an object"
}

func withArticle(kind string) string {
	if strings.ContainsAny(kind[:1], "aio") {
		return "an " + kind
	}
	return "a " + kind
}
