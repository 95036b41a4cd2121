// Package message is the vocabulary every other room of espy speaks: messages, their blocks, and the
// records a session's log is made of (record.go).
//
// Contract: blocks are values and are never mutated after construction. Text that a model or a server
// made (Args, every Opaque) is a Go string holding exactly what was sent, because a raw JSON value would
// be compacted and re-escaped on its way through encoding/json. A picture is named, never carried: an
// Image holds a reference into its session's folder and the geometry a cost rule needs, no bytes.
//
// The package imports nothing of espy and knows no file, network, clock or screen.
package message

import (
	"fmt"
	"strings"
	"time"
)

// Role says who a message is from.
type Role string

const (
	RoleUser      Role = "user"      // the person, and what espy adds to their turn
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // results of the calls in the assistant message before it
	RoleNote      Role = "note"      // for the person; a model reads only what of it has OriginTools
)

// Origin says where the text of a Text block came from. Titles, history and the screen need it.
type Origin string

const (
	OriginTyped Origin = "typed" // the person typed or pasted it; the empty origin means the same
	OriginFile  Origin = "file"  // the contents of an @file
	OriginShell Origin = "shell" // a "!" line and its output
	OriginEspy  Origin = "espy"  // espy wrote it (introductions, notices, left-behind sentences)
	OriginTools Origin = "tools" // espy wrote it in a note, to tell the model which tools came, changed or went
)

// Stop says why a model stopped.
type Stop string

const (
	StopEnd         Stop = "end"         // it finished its answer
	StopTools       Stop = "tools"       // it wants tools to be run
	StopLength      Stop = "length"      // the output limit was reached
	StopRefusal     Stop = "refusal"     // the model or a filter refused
	StopPause       Stop = "pause"       // the server paused a long turn; sending it back goes on
	StopInterrupted Stop = "interrupted" // the person interrupted; what had arrived is kept, without calls
)

// Usage is what a provider reported for one request, in tokens. Input counts everything the model read,
// cached or not; CacheRead and CacheWrite are the parts of Input served from and written to a prompt cache.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

// Message is one entry of a conversation. Provider, Model, Stop and Usage are set on assistant messages.
type Message struct {
	ID     string
	Parent string
	Role   Role
	Blocks []Block
	Time   time.Time

	Provider string
	Model    string
	Stop     Stop
	Usage    *Usage
}

// Block is one part of a message: Text, Image, Thinking, ToolCall or ToolResult, and nothing else.
type Block interface{ block() }

// Text is words.
type Text struct {
	Text   string `json:"text"`
	Origin Origin `json:"origin,omitempty"`
	Opaque string `json:"opaque,omitempty"` // provider data to replay beside it, exactly as received
}

// Image names a picture that passed the gate. Exactly these four fields: what an adapter needs to send it
// and what a cost rule needs to price it. Everything else is in the picture record with the same Ref.
type Image struct {
	Ref       string `json:"ref"` // "blobs/<sha256>.<ext>", inside the session's folder
	MediaType string `json:"media_type"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
}

// Thinking is a model's reasoning. It is replayed byte for byte, and only to the provider and model that made it.
type Thinking struct {
	Text   string `json:"text"`
	Opaque string `json:"opaque,omitempty"`
}

// ToolCall is a model's wish to run a tool. Args is the argument text exactly as the model wrote it.
type ToolCall struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Args   string `json:"args"`
	Opaque string `json:"opaque,omitempty"`
}

// ToolResult answers one ToolCall. Text is always the full text a human or an observer needs, valid UTF-8;
// images ride beside it. Meta holds facts for the screen and for observers, keyed by the Meta constants.
type ToolResult struct {
	CallID  string            `json:"call"`
	Text    string            `json:"text"`
	Images  []Image           `json:"images,omitempty"`
	IsError bool              `json:"is_error"`
	Meta    map[string]string `json:"meta,omitempty"`
}

// Keys of ToolResult.Meta. Each is optional; readers ignore keys they do not know.
const (
	MetaSummary = "summary" // one line for a folded call, for example "read 120 lines of main.go"
	MetaDiff    = "diff"    // unified diff of an edit
	MetaBlob    = "blob"    // Ref of the whole output where Text shows only head and tail
	MetaExit    = "exit"    // exit code of a shell command
	MetaMillis  = "millis"  // how long the call ran, in milliseconds
	MetaPath    = "path"    // the file the call was about
	MetaReceipt = "receipt" // media.Receipt as JSON, for a call that looked at a picture
	MetaRefused = "refused" // why the guard or the person refused the call; set only then
	MetaJob     = "job"     // number of the background job the call started or looked at
	MetaKept    = "kept"    // what the model still has to know once the call is summarised; only the newest one counts
	MetaTaint   = "taint"   // where untrusted text came from (a host, a server); set only then
	MetaTask    = "task"    // the id of the task's conversation: its log is tasks/<id>/ in the session's folder
	MetaSteps   = "steps"   // what a task did, as JSON, for the screen
)

func (Text) block()       {}
func (Image) block()      {}
func (Thinking) block()   {}
func (ToolCall) block()   {}
func (ToolResult) block() {}

// Images returns every picture of the message in order, those inside tool results included. Counting,
// eliding, sending and showing pictures all read this and walk nothing themselves.
func (m Message) Images() []Image {
	var images []Image
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Image:
			images = append(images, b)
		case ToolResult:
			images = append(images, b.Images...)
		}
	}
	return images
}

// Calls returns the tool calls of the message in order.
func (m Message) Calls() []ToolCall {
	var calls []ToolCall
	for _, b := range m.Blocks {
		if c, ok := b.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// TypedText returns what the person wrote, without files, shell output or espy's own additions.
func (m Message) TypedText() string {
	var parts []string
	for _, b := range m.Blocks {
		if t, ok := b.(Text); ok && (t.Origin == OriginTyped || t.Origin == "") {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// PlainText is the message for a view that has only words: titles, summaries, /copy, export and search.
// A picture reads as its stand-in sentence, never as nothing. Thinking and calls are left out.
func (m Message) PlainText() string {
	var parts []string
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Text:
			parts = append(parts, b.Text)
		case Image:
			parts = append(parts, b.StandIn())
		case ToolResult:
			parts = append(parts, b.Text)
			for _, i := range b.Images {
				parts = append(parts, i.StandIn())
			}
		}
	}
	return strings.Join(parts, "\n")
}

// StandIn is the picture in a text-only view: "[image: image/png, 1920x1080, blobs/9f2c.png]".
func (i Image) StandIn() string { return "[image: " + i.Facts() + "]" }

// Facts is "image/png, 1920x1080, blobs/9f2c.png", the part all sentences about a picture share.
func (i Image) Facts() string {
	return fmt.Sprintf("%s, %dx%d, %s", i.MediaType, i.Width, i.Height, i.Ref)
}

// BlobName is how people and models name a stored picture or text: "blob:" and the first twelve
// characters of its hash.
func BlobName(ref string) string {
	name := strings.TrimPrefix(ref, "blobs/")
	if len(name) > 12 {
		name = name[:12]
	}
	return "blob:" + name
}
