// Package providers says what a model is asked and what it answers, whoever serves it: the Provider
// interface, routes and model rows, capability checks, error classes and retry.
//
// Contract: an adapter (one sub-package a protocol) translates a Request into its wire form and the stream
// that comes back into Deltas and a Response, and nothing else. It never edits a request, drops a picture,
// shortens a text or decides what a model can see; it raises one of the typed errors of errors.go, and the
// loop decides. Data about models and servers lives in TOML tables, not in branches.
//
// The package knows message, media's cost rules and config's table types. It must not know the log, the
// guard, a tool's code or a screen.
package providers

import (
	"context"
	"io"

	"espy/agent/message"
)

// Provider runs one request against one route.
type Provider interface {
	// Stream sends the request and calls emit with each piece as it arrives, on the calling goroutine.
	// It returns the whole answer only if the stream ended as its protocol says an answer ends; a stream
	// that stops early is a ClassTruncated error, whatever had arrived. Deltas already emitted are for showing only:
	// the caller keeps the Response, or on an error nothing. It returns ctx.Err() soon after ctx ends.
	Stream(ctx context.Context, req Request, emit func(Delta)) (Response, error)
}

// Blobs opens the stored bytes a Ref names. Adapters read pictures through it for the length of one request.
type Blobs interface {
	OpenBlob(ref string) (io.ReadSeekCloser, error)
}

// Request is one request as agent/projection built it, complete and final.
type Request struct {
	System    []string // system texts in order; never empty strings
	Tools     []ToolSpec
	Messages  []Message // starts with a user message; roles alternate as the protocols demand
	MaxTokens int       // output bound; 0 leaves it to the route
	Effort    string    // reasoning effort as the model row spells it; "" sends nothing
	CacheKey  string    // the session's id, for services that route by it
}

// ToolSpec declares a tool to a model. Schema is a JSON Schema object in the plain dialect every server
// takes: type, properties, required, description, enum and items only.
type ToolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"`
}

// Message is one message of a request. A user or assistant message has Blocks (Text, Image, Thinking,
// ToolCall); a tool message has Results, one for each call of the assistant message before it, in order.
type Message struct {
	Role    message.Role
	Blocks  []message.Block
	Results []Result
	Cache   bool // a cache point stands after this message; adapters without cache points ignore it
}

// Result is one call's answer on its way to a model.
type Result struct {
	CallID   string
	Name     string // the tool's name, for servers that want it
	Text     string // never empty; the words come before the pictures
	Pictures []Picture
	IsError  bool
}

// Picture is an image with the line of text that introduces it to the model.
type Picture struct {
	Intro string
	Image message.Image
}

// Delta is a piece of an answer while it streams, for showing only. Exactly one field is set.
type Delta struct {
	Text     string
	Thinking string
	Call     *CallDelta
	Retry    *RetryNotice
	Restart  bool // what was emitted so far is void: the request is being sent again
}

// CallDelta tells that a call is being written. Args grows; it is not to be parsed before the Response.
type CallDelta struct {
	Index int
	Name  string
	Args  string // the piece that arrived
}

// Response is a whole answer.
type Response struct {
	Blocks []message.Block // Text, Thinking, ToolCall, in the order the model wrote them
	Stop   message.Stop
	Usage  *message.Usage // nil where the server reported none
	Model  string         // as the server names it
}
