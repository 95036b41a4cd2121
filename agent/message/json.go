package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Block types as they are written in the log.
const (
	typeText     = "text"
	typeImage    = "image"
	typeThinking = "thinking"
	typeCall     = "tool_call"
	typeResult   = "tool_result"
)

// messageJSON is Message as it is written; id, parent and time stand in the record around it.
type messageJSON struct {
	Role     Role      `json:"role"`
	Blocks   blockList `json:"blocks"`
	Provider string    `json:"provider,omitempty"`
	Model    string    `json:"model,omitempty"`
	Stop     Stop      `json:"stop,omitempty"`
	Usage    *Usage    `json:"usage,omitempty"`
}

// MarshalJSON writes role, blocks and the assistant's fields. ID, Parent and Time belong to the record.
func (m Message) MarshalJSON() ([]byte, error) {
	return marshal(messageJSON{m.Role, m.Blocks, m.Provider, m.Model, m.Stop, m.Usage})
}

// UnmarshalJSON reads what MarshalJSON wrote. A block of an unknown type is an error: the vocabulary is
// final, and guessing at a block could send something nobody checked.
func (m *Message) UnmarshalJSON(data []byte) error {
	var j messageJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*m = Message{Role: j.Role, Blocks: j.Blocks, Provider: j.Provider, Model: j.Model, Stop: j.Stop, Usage: j.Usage}
	return nil
}

type blockList []Block

func (l blockList) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, b := range l {
		if i > 0 {
			out = append(out, ',')
		}
		encoded, err := marshalBlock(b)
		if err != nil {
			return nil, err
		}
		out = append(out, encoded...)
	}
	return append(out, ']'), nil
}

func marshalBlock(b Block) ([]byte, error) {
	switch b := b.(type) {
	case Text:
		return marshal(struct {
			Type string `json:"type"`
			Text
		}{typeText, b})
	case Image:
		return marshal(struct {
			Type string `json:"type"`
			Image
		}{typeImage, b})
	case Thinking:
		return marshal(struct {
			Type string `json:"type"`
			Thinking
		}{typeThinking, b})
	case ToolCall:
		return marshal(struct {
			Type string `json:"type"`
			ToolCall
		}{typeCall, b})
	case ToolResult:
		return marshal(struct {
			Type string `json:"type"`
			ToolResult
		}{typeResult, b})
	}
	return nil, fmt.Errorf("message: a block of type %T cannot be written", b)
}

func (l *blockList) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	blocks := make([]Block, 0, len(raw))
	for i, r := range raw {
		b, err := unmarshalBlock(r)
		if err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		blocks = append(blocks, b)
	}
	*l = blocks
	return nil
}

func unmarshalBlock(data []byte) (Block, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	switch head.Type {
	case typeText:
		return decodeAs[Text](data)
	case typeImage:
		return decodeAs[Image](data)
	case typeThinking:
		return decodeAs[Thinking](data)
	case typeCall:
		return decodeAs[ToolCall](data)
	case typeResult:
		return decodeAs[ToolResult](data)
	}
	return nil, fmt.Errorf("unknown block type %q", head.Type)
}

func decodeAs[B Block](data []byte) (Block, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// marshal is json.Marshal without HTML escaping: a log full of \u003c cannot be read or searched by people.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// recordTime keeps record times in UTC with millisecond precision, so that a log reads evenly.
func recordTime(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
