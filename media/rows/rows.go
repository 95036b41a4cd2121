// Package rows is how decoders hand a picture over: row by row, so that no whole picture is ever in memory.
// A decoder pushes; the scaler and the encoder on the other side keep only the rows they still need.
//
// Contract of a decoder (one sub-package of media a format): it reads through an io.ReaderAt, never the whole
// file into memory; it checks dimensions and work against Options before it allocates; it pushes every row of
// every plane of the window exactly once, from the top; it looks at ctx between bands; it recovers nothing
// itself (the gate does, around all of them); an error means the picture is refused, a warning that it was
// read as far as it goes.
package rows

import (
	"context"
	"image"
	"io"
)

// Layout says what the samples of a picture are, 8 bits each.
type Layout int

const (
	Gray   Layout = iota // one plane, 1 sample a pixel
	RGB                  // one plane, 3 samples a pixel
	RGBA                 // one plane, 4 samples a pixel, alpha not premultiplied
	YCbCr                // three planes, 1 sample a pixel each, full range (JFIF); chroma may be smaller
	YCbCrA               // four planes: as YCbCr, and alpha at full size
)

// Header is what a decoder announces before the first row. Sizes are of the window, as stored (orientation is
// not applied by decoders).
//
// Window is the part that will be delivered, in stored pixels: the wanted window, or one widened to whole chroma
// samples; empty means exactly what was asked for. Shrink is the factor used; 0 means 1. A sink needs both before
// the first row, because it places every sample by them.
type Header struct {
	Layout Layout
	Planes []image.Point // width and height of each plane, in samples
	Window image.Rectangle
	Shrink int
}

// Sink takes the rows of one picture.
type Sink interface {
	// Begin is called once, before the first row.
	Begin(Header) error
	// Row takes the next row of a plane. Rows of one plane come in order; planes are interleaved as they are
	// decoded. The slice is the decoder's and is valid only until Row returns.
	Row(plane int, samples []byte) error
}

// Options bound a decode.
type Options struct {
	// Window is the part wanted, in stored pixels; empty means all. For planar layouts a decoder may widen it
	// to whole chroma samples and then says so in Origin of its Result.
	Window image.Rectangle
	// Shrink allows the decoder to deliver the picture reduced by this factor in both directions (1, 2, 4 or 8),
	// where its format can do so cheaply. The Header says what was delivered: ceil(size/Shrink).
	Shrink int
}

// Result is what a decode found beside the rows.
type Result struct {
	Window   image.Rectangle // what was really delivered, in stored pixels
	Shrink   int             // the factor really used, 1 or more
	Warnings []string        // each a short clause: "truncated after row 812 of 1080"
	Cut      bool            // the file ends before the picture does, as one does that is still being written
}

// Decode is the shape of every decoder's entry point.
type Decode func(ctx context.Context, r io.ReaderAt, size int64, opt Options, sink Sink) (Result, error)
