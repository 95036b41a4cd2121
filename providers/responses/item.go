package responses

import (
	"encoding/json"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// item is one output item while it is written and when it is done.
type item struct {
	wire    wireItem
	raw     json.RawMessage // the item as it was when done
	done    bool
	named   bool
	call    int // index among the calls
	shown   int // bytes that were emitted as pieces
	summary int // the summary part that was written last
}

type wireItem struct {
	Type      string              `json:"type"`
	ID        providers.LooseText `json:"id"`
	Phase     providers.LooseText `json:"phase"`
	CallID    providers.LooseText `json:"call_id"`
	Name      providers.LooseText `json:"name"`
	Arguments arguments           `json:"arguments"`
	Content   []wireContent       `json:"content"`
	Summary   []wireContent       `json:"summary"`
	Encrypted providers.LooseText `json:"encrypted_content"`
}

type wireContent struct {
	Type    string              `json:"type"`
	Text    providers.LooseText `json:"text"`
	Refusal providers.LooseText `json:"refusal"`
}

// arguments are a string, as they should be, or an object, as some servers send them.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	*a = arguments(text)
	return nil
}

func (w wireItem) text() string {
	var s strings.Builder
	for _, c := range w.Content {
		s.WriteString(string(c.Text + c.Refusal))
	}
	return s.String()
}

func (w wireItem) refused() bool {
	for _, c := range w.Content {
		if c.Refusal != "" {
			return true
		}
	}
	return false
}

// reasoning is what may be read of the reasoning: its summary, or the text itself where the server gives it.
func (w wireItem) reasoning() string {
	parts := w.Summary
	if len(parts) == 0 {
		parts = w.Content
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, string(p.Text))
	}
	return strings.Join(texts, "\n\n")
}

// block is the item as a block; nil for what has nothing in it or is of a kind that is not known.
func (it *item) block(place int, used map[string]bool) message.Block {
	w := it.wire
	switch w.Type {
	case "message":
		text := w.text()
		if text == "" {
			return nil
		}
		b := message.Text{Text: text}
		if w.ID != "" {
			b.Opaque = opaque{Message: &messageItem{ID: string(w.ID), Phase: string(w.Phase)}}.String()
		}
		return b
	case "reasoning":
		b := message.Thinking{Text: w.reasoning()}
		if w.Encrypted != "" {
			b.Opaque = opaque{Reasoning: it.raw}.String()
		}
		if b.Text == "" && b.Opaque == "" {
			return nil
		}
		return b
	case "function_call":
		b := message.ToolCall{ID: providers.UniqueID(string(w.CallID), place+1, used), Name: string(w.Name), Args: string(w.Arguments)}
		if w.ID != "" {
			b.Opaque = opaque{CallItem: string(w.ID)}.String()
		}
		return b
	}
	return nil
}
