package anthropic

import (
	"encoding/json"

	"espy/agent/message"
	"espy/providers"
)

// opaque is what this protocol keeps with a thinking block. Its fields name themselves, so that another
// protocol's opaque text is never mistaken for it.
type opaque struct {
	Signature *string `json:"signature,omitempty"`
	Redacted  *string `json:"redacted_thinking,omitempty"`
}

func (o opaque) String() string {
	raw, err := providers.EncodeJSON(o)
	if err != nil {
		return ""
	}
	return string(raw)
}

// replay is a thinking block as it was received. One that this protocol did not make cannot be sent: it has no
// signature.
func replay(t message.Thinking) (wireBlock, bool) {
	var o opaque
	if json.Unmarshal([]byte(t.Opaque), &o) != nil {
		return wireBlock{}, false
	}
	switch {
	case o.Redacted != nil:
		return wireBlock{Type: "redacted_thinking", Data: *o.Redacted}, true
	case o.Signature != nil:
		return wireBlock{Type: "thinking", Thinking: &t.Text, Signature: o.Signature}, true
	}
	return wireBlock{}, false
}
