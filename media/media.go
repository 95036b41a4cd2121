// Package media turns any picture into something a model can see safely. Every picture passes Gate.Ingest
// once, whatever road it came by; behind the gate it is proven: decoded whole, upright, stripped of metadata,
// within the limits of limits.go, its type equal to its bytes, and stored as a blob.
//
// The package also prices pictures: a picture costs by its geometry under a rule that is data (cost.toml).
//
// It knows pictures and bytes. It must not know a session's log, a provider's wire, a tool or a screen: the
// Sink is where stored bytes go, and the caller opens the source, because what may be opened is the guard's
// business.
package media

import (
	"context"
	"io"

	"espy/agent/message"
)

// Detail sizes a picture at the gate: the longest side after the crop, in pixels. It never enlarges.
type Detail string

const (
	DetailLow      Detail = "low"      // 1024
	DetailAuto     Detail = "auto"     // 2048, the default; the zero Detail means the same
	DetailHigh     Detail = "high"     // 4096
	DetailOriginal Detail = "original" // 4096
)

// Sink stores bytes under the hash of their content and returns the reference "blobs/<sha256>.<ext>".
// Storing equal bytes twice returns the same reference. The reader is read once to its end.
type Sink interface {
	PutBlob(ctx context.Context, ext string, r io.Reader) (ref string, err error)
}

// Source is a picture before the gate: its bytes and what to call it. The caller opened it and closes it
// after Ingest returns.
type Source struct {
	Name      string // for people: a file's base name, "clipboard"
	Path      string // where it was read from; "" where there is no file
	Bytes     io.ReaderAt
	Size      int64
	Clipboard bool // BMP and TIFF are admitted and turned into PNG inside the gate
}

// Options say how a picture is to be rendered. The zero value is the picture as attached by default.
type Options struct {
	Detail Detail
	Crop   *message.Rect  // upright source pixels
	Redact []message.Rect // upright source pixels, burnt in as black; the original is then not kept
	Fit    Fit            // tighter bounds of a route, for a rendition
}

// Fit bounds a rendition for a route. Zero fields bind nothing beyond the gate's own limits.
type Fit struct {
	MaxSide   int   // px, longest side
	MinSide   int   // px, shortest side: a smaller picture is padded, never enlarged
	MaxBase64 int64 // bytes of base64 text
}

// Picture is what came through the gate.
type Picture struct {
	Image    message.Image // what is sent
	Original string        // Ref of the source's own bytes (as PNG where a clipboard held BMP or TIFF); "" for a redacted picture
	Receipt  Receipt
}

// Receipt says what was done, so that a coordinate read off the picture can be mapped back.
type Receipt struct {
	Source   SourceFacts   `json:"source"`
	Crop     *message.Rect `json:"crop,omitempty"`
	Sent     SentFacts     `json:"sent"`
	Scale    float64       `json:"scale"`   // sent pixels per upright source pixel
	Encoder  []string      `json:"encoder"` // the steps taken
	Warnings []string      `json:"warnings,omitempty"`
}

// SourceFacts describe the picture that came in. Width and Height are upright.
type SourceFacts struct {
	Format      string `json:"format"` // png, jpeg, gif, webp, bmp, tiff
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Bytes       int64  `json:"bytes"`
	Frames      int    `json:"frames"`      // 1 unless animated; 0 where the count is not known
	Orientation int    `json:"orientation"` // EXIF, 1 to 8
}

// SentFacts describe the picture that goes out.
type SentFacts struct {
	MediaType   string `json:"media_type"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Bytes       int64  `json:"bytes"`
	Base64Bytes int64  `json:"base64_bytes"`
}
