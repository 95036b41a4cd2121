package providers

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Servers that imitate a protocol get small things wrong: a number as text, null for a missing object, a list
// for a string. One odd field must not cost the whole event, so the types here never fail to decode.

// LooseInt is a count that may come as a number, as text, or not at all.
type LooseInt struct {
	N   int
	Set bool
}

// UnmarshalJSON reads numbers and numbers in text; anything else is unset.
func (i *LooseInt) UnmarshalJSON(data []byte) error {
	*i = LooseInt{}
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err == nil && f > -1e15 && f < 1e15 {
		*i = LooseInt{N: int(f), Set: true}
	}
	return nil
}

// Count is the number, never below zero: a token count from outside.
func (i LooseInt) Count() int { return max(i.N, 0) }

// LooseText is text that may come as a string, a number, or not at all.
type LooseText string

// UnmarshalJSON reads strings and numbers; anything else is "".
func (t *LooseText) UnmarshalJSON(data []byte) error {
	*t = ""
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = LooseText(s)
	} else if len(data) > 0 && data[0] != '{' && data[0] != '[' && data[0] != 'n' {
		*t = LooseText(data)
	}
	return nil
}

// Present reports whether a raw JSON value is there and not null, empty text, or an empty object.
func Present(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, "{}", "false":
		return false
	}
	return true
}

// Loosely decodes a part of an event that may be missing or of another kind; then v is left as it was.
func Loosely(raw json.RawMessage, v any) {
	if Present(raw) {
		_ = json.Unmarshal(raw, v) // a part of another kind is as good as missing
	}
}

// EncodeJSON is json.Marshal without HTML escaping, which only lengthens what is sent.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
