package chat

import (
	"encoding/json"

	"espy/providers"
)

// What this protocol keeps in a block's Opaque names itself, so that another protocol's is never mistaken for it.

// extraOf is the extra_content kept with a call; nil where there is none.
func extraOf(opaque string) json.RawMessage {
	var o struct {
		Extra json.RawMessage `json:"extra_content"`
	}
	providers.Loosely(json.RawMessage(opaque), &o)
	return o.Extra
}

func keepExtra(extra json.RawMessage) string {
	return `{"extra_content":` + string(extra) + `}`
}

// detailsOf is the reasoning_details kept with a thinking block; nil where there are none.
func detailsOf(opaque string) json.RawMessage {
	var o struct {
		Details json.RawMessage `json:"reasoning_details"`
	}
	providers.Loosely(json.RawMessage(opaque), &o)
	return o.Details
}

// detailList merges the pieces of reasoning_details: pieces of one index and type are one entry whose texts
// are joined, everything else about an entry is kept as it came last.
type detailList struct {
	entries []map[string]json.RawMessage
}

func (l *detailList) add(raw json.RawMessage) {
	var pieces []map[string]json.RawMessage
	providers.Loosely(raw, &pieces)
	for _, piece := range pieces {
		entry := l.entry(piece)
		for key, value := range piece {
			switch key {
			case "text", "summary", "data":
				entry[key] = joinTexts(entry[key], value)
			default:
				if providers.Present(value) || entry[key] == nil {
					entry[key] = value
				}
			}
		}
	}
}

func (l *detailList) entry(piece map[string]json.RawMessage) map[string]json.RawMessage {
	if n := len(l.entries); n > 0 {
		last := l.entries[n-1]
		if piece["index"] != nil && string(last["index"]) == string(piece["index"]) && string(last["type"]) == string(piece["type"]) {
			return last
		}
	}
	entry := map[string]json.RawMessage{}
	l.entries = append(l.entries, entry)
	return entry
}

func joinTexts(a, b json.RawMessage) json.RawMessage {
	var first, second providers.LooseText
	providers.Loosely(a, &first)
	providers.Loosely(b, &second)
	if first == "" {
		return b
	}
	joined, err := providers.EncodeJSON(string(first + second))
	if err != nil {
		return a
	}
	return joined
}

func (l *detailList) opaque() string {
	if len(l.entries) == 0 {
		return ""
	}
	raw, err := providers.EncodeJSON(map[string]any{"reasoning_details": l.entries})
	if err != nil {
		return ""
	}
	return string(raw)
}
