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
	var j struct {
		Role     Role       `json:"role"`
		Blocks   []anyBlock `json:"blocks"`
		Provider string     `json:"provider"`
		Model    string     `json:"model"`
		Stop     Stop       `json:"stop"`
		Usage    *Usage     `json:"usage"`
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	blocks, err := typedBlocks(j.Blocks)
	if err != nil {
		return err
	}
	*m = Message{Role: j.Role, Blocks: blocks, Provider: j.Provider, Model: j.Model, Stop: j.Stop, Usage: j.Usage}
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

// anyBlock holds a block of any type: a log is decoded in as few passes as can be, because that is what a resume
// takes its time with.
type anyBlock struct {
	Type      string            `json:"type"`
	Text      string            `json:"text"`
	Origin    Origin            `json:"origin"`
	Opaque    string            `json:"opaque"`
	Ref       string            `json:"ref"`
	MediaType string            `json:"media_type"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Args      string            `json:"args"`
	CallID    string            `json:"call"`
	Images    []Image           `json:"images"`
	IsError   bool              `json:"is_error"`
	Meta      map[string]string `json:"meta"`
}

func (b anyBlock) block() (Block, error) {
	switch b.Type {
	case typeText:
		return Text{Text: b.Text, Origin: b.Origin, Opaque: b.Opaque}, nil
	case typeImage:
		return Image{Ref: b.Ref, MediaType: b.MediaType, Width: b.Width, Height: b.Height}, nil
	case typeThinking:
		return Thinking{Text: b.Text, Opaque: b.Opaque}, nil
	case typeCall:
		return ToolCall{ID: b.ID, Name: b.Name, Args: b.Args, Opaque: b.Opaque}, nil
	case typeResult:
		return ToolResult{CallID: b.CallID, Text: b.Text, Images: b.Images, IsError: b.IsError, Meta: b.Meta}, nil
	}
	return nil, fmt.Errorf("unknown block type %q", b.Type)
}

func typedBlocks(list []anyBlock) ([]Block, error) {
	blocks := make([]Block, 0, len(list))
	for i, any := range list {
		b, err := any.block()
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
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
