package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mend turns what the protocol's reader refuses a whole result for into words: kinds of content it does not know,
// and base64 that is none. changed is false where nothing had to be.
func mend(result json.RawMessage) (fixed json.RawMessage, changed bool) {
	if !bytes.Contains(result, []byte(`"content`)) {
		return result, false
	}
	var r map[string]json.RawMessage
	if json.Unmarshal(result, &r) != nil {
		return result, false
	}
	changed = mendList(r, "content", mendContent)
	changed = mendList(r, "contents", mendResource) || changed
	changed = mendList(r, "messages", mendPrompt) || changed
	if !changed {
		return result, false
	}
	encoded, err := json.Marshal(r)
	if err != nil {
		return result, false
	}
	return encoded, true
}

// mendList mends the elements of a list in place.
func mendList(r map[string]json.RawMessage, name string, one func(json.RawMessage) (json.RawMessage, bool)) (changed bool) {
	var list []json.RawMessage
	if r[name] == nil || json.Unmarshal(r[name], &list) != nil {
		return false
	}
	for i := range list {
		fixed, this := one(list[i])
		if this {
			list[i], changed = fixed, true
		}
	}
	if changed {
		r[name], _ = json.Marshal(list)
	}
	return changed
}

func mendContent(raw json.RawMessage) (json.RawMessage, bool) {
	var c map[string]json.RawMessage
	if json.Unmarshal(raw, &c) != nil || c == nil {
		return words("[a content that is no object was left out]"), true
	}
	var kind, mime string
	_ = json.Unmarshal(c["type"], &kind)
	_ = json.Unmarshal(c["mimeType"], &mime)
	switch kind {
	case "text":
		var text string
		if json.Unmarshal(c["text"], &text) != nil {
			return words("[a text that is none was left out]"), true
		}
		return raw, false
	case "image", "audio":
		data, changed, ok := base64Of(c["data"])
		if !ok {
			return words(fmt.Sprintf("[%s (%s) was left out: its data is no base64]", kind, mime)), true
		}
		if changed {
			c["data"] = data
			fixed, err := json.Marshal(c)
			return fixed, err == nil
		}
		return raw, false
	case "resource":
		fixed, changed := mendResource(c["resource"])
		if changed {
			c["resource"] = fixed
			again, err := json.Marshal(c)
			return again, err == nil
		}
		return raw, false
	case "resource_link":
		return raw, false
	}
	return words(fmt.Sprintf("[content of the kind %q was left out: espy does not know it]", clip(kind, 40))), true
}

// mendPrompt mends the content of a prompt's message.
func mendPrompt(raw json.RawMessage) (json.RawMessage, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m["content"] == nil {
		return raw, false
	}
	fixed, changed := mendContent(m["content"])
	if !changed {
		return raw, false
	}
	m["content"] = fixed
	again, err := json.Marshal(m)
	return again, err == nil
}

// mendResource mends what a resource holds.
func mendResource(raw json.RawMessage) (json.RawMessage, bool) {
	var c map[string]json.RawMessage
	if json.Unmarshal(raw, &c) != nil || c["blob"] == nil {
		return raw, false
	}
	data, changed, ok := base64Of(c["blob"])
	switch {
	case !ok:
		delete(c, "blob")
		c["text"], _ = json.Marshal("[its data is no base64]")
	case changed:
		c["blob"] = data
	default:
		return raw, false
	}
	fixed, err := json.Marshal(c)
	return fixed, err == nil
}

// base64Of is a JSON text of standard base64. Data addresses, line breaks, the address alphabet and missing padding
// are put right.
func base64Of(raw json.RawMessage) (fixed json.RawMessage, changed, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false, false
	}
	if inner := raw[1 : len(raw)-1]; len(inner)%4 == 0 && standard(inner) {
		return raw, false, true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, false, false
	}
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	text = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, text)
	if text == "" || len(text)%4 == 1 || !standard([]byte(text)) {
		return nil, false, false
	}
	text += strings.Repeat("=", (4-len(text)%4)%4)
	fixed, err := json.Marshal(text)
	return fixed, true, err == nil
}

// standard reports whether every byte belongs to standard base64, padding at the end only.
func standard(text []byte) bool {
	text = bytes.TrimRight(text, "=")
	return !slices.ContainsFunc(text, func(c byte) bool {
		return !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/')
	})
}

func words(text string) json.RawMessage {
	encoded, _ := json.Marshal(map[string]string{"type": "text", "text": text})
	return encoded
}
