package anthropic

import (
	"testing"

	"espy/agent/message"
	"espy/providers"
	"espy/providers/strict"
)

// Whatever a server sends, the answer is an error of a class or something the loop can keep.
func FuzzStream(f *testing.F) {
	turn := strict.Turn{Thinking: "hm", Signature: "s", Text: "hi", Calls: []strict.Call{{ID: "a", Name: "read", Args: "{}"}}}
	f.Add(turn.Messages())
	f.Add("data: {\"error\":null}\n\n")
	f.Add("{\"choices\":[{\"message\":{\"content\":[]}}]}")
	b := setUp(f, strict.Rules{}, providers.Quirks{})
	f.Fuzz(func(t *testing.T, stream string) {
		b.server.Say(strict.Answer{Body: stream})
		resp, err := b.Stream(t.Context(), ask(user(say("hi"))), func(providers.Delta) {})
		if err != nil {
			if providers.ClassOf(err) == "" {
				t.Fatalf("%q gave an error without a class: %v", stream, err)
			}
			return
		}
		ids := map[string]bool{}
		for _, block := range resp.Blocks {
			switch c := block.(type) {
			case message.ToolCall:
				if c.ID == "" || c.Name == "" || ids[c.ID] {
					t.Fatalf("%q gave a call without a name or an id of its own: %+v", stream, c)
				}
				ids[c.ID] = true
			case message.Text:
				if c.Text == "" {
					t.Fatalf("%q gave an empty text", stream)
				}
			}
		}
	})
}
