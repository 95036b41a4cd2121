package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"espy/media/png"
)

// Clipboards offer BMP and TIFF. They become PNG here, whole and without loss, before anything else is done: what is
// stored as the original must be a picture that every road admits later.

// bitmap reads one of these formats.
type bitmap struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var bitmaps = map[Format]bitmap{
	BMP:  {bmp.DecodeConfig, bmp.Decode},
	TIFF: {tiff.DecodeConfig, tiff.Decode},
}

// bitmapMemory is what turning a bitmap into PNG takes at most, in bytes: its pixels and the file that grows.
func bitmapMemory(h Header) int64 {
	per := int64(4)
	if h.Depth > 8 {
		per = 8
	}
	return per*h.pixels() + wireOverhead
}

// asPNG turns a bitmap from the clipboard into a PNG source that keeps its orientation.
func (g *Gate) asPNG(ctx context.Context, src Source, h Header) (Source, error) {
	need := bitmapMemory(h)
	if need > MaxDecodeAllocBytes {
		return src, refuse(src, FaultTooBig, "is %dx%d pixels (%s) and would need %s of memory to decode; %s may be used; copy a part of it",
			h.Width, h.Height, h.describe(), megabytes(need), megabytes(MaxDecodeAllocBytes))
	}
	leave, err := g.enter(ctx, need)
	if err != nil {
		return src, err
	}
	defer leave()
	m, err := decodeBitmap(ctx, src, h)
	if err != nil {
		if ctx.Err() != nil {
			return src, ctx.Err()
		}
		return src, broken(src, h, err)
	}
	data, _, err := png.Encode(ctx, imageRows(m), MaxSourceImageBytes)
	if errors.Is(err, png.ErrOver) {
		return src, refuse(src, FaultTooBig, "is %dx%d pixels and more than %s as PNG; copy a part of it, or save it as JPEG and attach that",
			h.Width, h.Height, megabytes(MaxSourceImageBytes))
	}
	if err != nil {
		return src, err
	}
	data = withOrientation(data, h.Orientation)
	src.Bytes, src.Size = bytes.NewReader(data), int64(len(data))
	return src, nil
}

func decodeBitmap(ctx context.Context, src Source, h Header) (m image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
	}()
	file := func() io.Reader { return &contextReader{ctx, io.NewSectionReader(src.Bytes, 0, src.Size)} }
	c, err := bitmaps[h.Format].config(file())
	if err != nil {
		return nil, err
	}
	if c.Width != h.Width || c.Height != h.Height {
		return nil, errTwoSizes
	}
	return bitmaps[h.Format].decode(file())
}

// imageRows reads a whole picture as rows.
func imageRows(m image.Image) png.Picture {
	b := m.Bounds()
	n := samplesIn(m)
	row := make([]byte, b.Dx()*n)
	pixel := pixels(m)
	return png.Picture{Width: b.Dx(), Height: b.Dy(), Samples: n, Row: func(y int) []byte {
		for x := range b.Dx() {
			c := pixel(b.Min.X+x, b.Min.Y+y)
			o := row[x*n:]
			o[0], o[1], o[2] = c.R, c.G, c.B
			if n == 4 {
				o[3] = c.A
			}
		}
		return row
	}}
}

// samplesIn is 3, or 4 where something may be transparent.
func samplesIn(m image.Image) int {
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() {
		return 3
	}
	return 4
}

// withOrientation puts an orientation into a PNG file, behind its header.
func withOrientation(data []byte, orientation int) []byte {
	if orientation <= 1 {
		return data
	}
	chunk := []byte("\x00\x00\x00\x1aeXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	chunk[8+19] = byte(orientation)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	const behind = 33 // signature and IHDR
	return append(append(append(make([]byte, 0, len(data)+len(chunk)), data[:behind]...), chunk...), data[behind:]...)
}

// pixels reads single pixels without allocating for the types that library decoders return.
func pixels(m image.Image) func(x, y int) color.NRGBA {
	switch m := m.(type) {
	case *image.NRGBA:
		return m.NRGBAAt
	case *image.Paletted:
		var table [256]color.NRGBA
		for i, c := range m.Palette[:min(len(m.Palette), 256)] {
			table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		return func(x, y int) color.NRGBA { return table[m.ColorIndexAt(x, y)] }
	case *image.CMYK:
		return func(x, y int) color.NRGBA {
			c := m.CMYKAt(x, y)
			r, g, b := color.CMYKToRGB(c.C, c.M, c.Y, c.K)
			return color.NRGBA{R: r, G: g, B: b, A: 255}
		}
	}
	return func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA) }
}

// contextReader ends a library decoder that would read on.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
