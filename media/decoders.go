package media

import (
	"context"
	"errors"
	"image"
	"io"

	"espy/media/gif"
	"espy/media/jpeg"
	"espy/media/png"
	"espy/media/rows"
	"espy/media/webp"
)

// decoding is how a format is read: the decoder, and the memory it will take by the header, in bytes. A decoder that
// streams takes little; one that holds the whole picture is asked before it starts.
type decoding struct {
	decode rows.Decode
	memory func(h Header, size int64) int64
	shrink bool // the decoder can reduce as it reads
}

// decodings is the table of formats. BMP and TIFF are PNG by the time they are decoded.
var decodings = map[Format]decoding{
	PNG:  {decode: png.Decode, memory: pngMemory},
	JPEG: {decode: jpeg.Decode, memory: jpegMemory, shrink: true},
	GIF:  {decode: decodeGIF, memory: gifMemory},
	WebP: {decode: webp.Decode, memory: webpMemory},
}

func (h Header) pixels() int64 { return int64(h.Width) * int64(h.Height) }

// pngMemory: rows as stored and as delivered, and seven inflaters where it is interlaced.
func pngMemory(h Header, _ int64) int64 {
	m := int64(256<<10) + 8*int64(h.Width)*8
	if h.Interlaced {
		m += 6 * (256 << 10)
	}
	return m
}

// jpegMemory: one row of units, 64 samples a block and as many coefficients where the picture is progressive, beside the
// buffers and tables of the scans, of which a hundred fit in.
func jpegMemory(h Header, _ int64) int64 {
	hMax, blocks := 1, 0
	for _, s := range h.Sampling[:min(h.Components, 4)] {
		hMax = max(hMax, int(s[0]))
		blocks += int(s[0]) * int(s[1])
	}
	perBlock := 64
	if h.Progressive {
		perBlock += 64*2 + 8
	}
	return 5<<20 + int64(ceilDiv(h.Width, 8*hMax)*blocks*perBlock)
}

// gifMemory: rows, and an unpacker for each pass.
func gifMemory(h Header, _ int64) int64 { return 256<<10 + 16*int64(h.Width) }

// webpMemory is the most the decoder lets itself take. The first frame of an animation may be of any kind.
func webpMemory(h Header, _ int64) int64 {
	return webp.Memory(h.Width, h.Height, h.Lossless, h.Alpha || h.Animated)
}

// decodeGIF delivers the first frame on the canvas that Probe reported, transparent around it.
func decodeGIF(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	h, err := Probe(r, size)
	if err != nil {
		return rows.Result{}, err
	}
	canvas := image.Rect(0, 0, h.Width, h.Height)
	if h.Frame.Size() == canvas.Size() {
		canvas = h.Frame
	}
	return gif.On(canvas)(ctx, r, size, opt, sink)
}

// errTwoSizes is a file whose headers contradict each other.
var errTwoSizes = errors.New("it declares two different sizes")
