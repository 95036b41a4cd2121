package responses

import (
	"encoding/json"
	"strings"

	"espy/providers"
)

// opaque is what this protocol keeps with a block. Its fields name themselves, so that another protocol's
// opaque text is never mistaken for it.
type opaque struct {
	Reasoning json.RawMessage `json:"reasoning_item,omitempty"`    // a whole item, as it came
	Message   *messageItem    `json:"responses_message,omitempty"` // beside a text
	CallItem  string          `json:"function_call_item,omitempty"`
}

type messageItem struct {
	ID    string `json:"id"`
	Phase string `json:"phase,omitempty"`
}

// maxItemID is the longest id of an item the service takes back.
const maxItemID = 64

func (o opaque) String() string {
	raw, err := providers.EncodeJSON(o)
	if err != nil {
		return ""
	}
	return string(raw)
}

// opaqueOf reads what String wrote. Ids that the service would refuse are left out; an item does without.
func opaqueOf(text string) opaque {
	var o opaque
	providers.Loosely(json.RawMessage(text), &o)
	if !validItemID(o.CallItem, "fc_") {
		o.CallItem = ""
	}
	if o.Message != nil && !validItemID(o.Message.ID, "msg_") {
		o.Message = nil
	}
	return o
}

func validItemID(id, prefix string) bool {
	return strings.HasPrefix(id, prefix) && len(id) <= maxItemID
}

// reasoning is the reasoning item to replay; nil where there is none. Without its encrypted content the
// service would look for it in its own store, where nothing is.
func (o opaque) reasoning() any {
	var item struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Encrypted string `json:"encrypted_content"`
	}
	if json.Unmarshal(o.Reasoning, &item) != nil || item.Type != "reasoning" || item.Encrypted == "" || !validItemID(item.ID, "rs_") {
		return nil
	}
	return o.Reasoning
}
