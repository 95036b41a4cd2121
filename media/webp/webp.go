// Package webp decodes WebP row by row: lossy (VP8), with alpha beside it, and lossless (VP8L), still or the first
// frame of an animation on its canvas.
//
// Contract of Decode: rows.Decode. Lossy pictures come out as they are stored, YCbCr at 4:2:0, with brightness spread
// from the 16 to 235 that WebP stores to the full range; with alpha, or where a frame leaves part of its canvas free,
// as YCbCrA. Lossless ones come out as RGB, or as RGBA where the stream says that there is transparency. What a frame
// leaves free is transparent.
//
// Memory does not hold a picture: lossy pixels live in a band of one row of macroblocks and the few lines above it
// that the loop filter still reaches; lossless ones in a ring as long as a back-reference, 2^20 pixels, beside the
// tiles of transforms, which are kept packed. Transforms are undone row by row. Alpha is read in step from its own
// stream. Memory says how much that is at most, and a stream that wants more is refused. A window stops the decode
// below its last row, so that what is beneath is neither read nor checked.
//
// Damage and missing picture data are errors; a file that is cut behind the picture data, or says of itself that it
// is longer, is read with a warning.
//
// Written from RFC 6386 (VP8), the WebP lossless bitstream specification and RFC 9649 (the container, alpha). The
// package knows WebP and nothing of the gate, its limits or its sentences.
package webp

import (
	"context"
	"image"
	"io"

	"espy/media/rows"
)

// Decode is a rows.Decode for WebP. Shrink is not used.
func Decode(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	f, err := readContainer(r, size)
	if err != nil {
		return rows.Result{}, err
	}
	read := decodeLossy
	if f.lossless {
		read = decodeLossless
	}
	window, err := read(ctx, f, opt, sink)
	if err != nil {
		return rows.Result{}, err
	}
	return rows.Result{Window: window, Shrink: 1, Warnings: f.warnings, Cut: f.cut}, nil
}

// open starts an output for the frame and says whether anything of it is wanted.
func (f *frame) open(layout rows.Layout, opt rows.Options, sink rows.Sink) (*output, error) {
	at := image.Rectangle{Min: f.at, Max: f.at.Add(f.size)}
	return newOutput(layout, image.Rectangle{Max: f.canvas}, at, opt.Window, sink)
}
