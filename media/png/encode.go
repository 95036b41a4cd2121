package png

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/zlib"
)

// ErrOver means that the encoded picture passed its limit; it was given up there.
var ErrOver = errors.New("the encoded picture is larger than its limit")

const (
	level     = 3        // of deflate: the size of the default, for flat content at a fifth of its time
	flatShare = 0.3      // from this share of pixels equal to their left neighbour rows are stored unfiltered
	flatEvery = 16       // every how many rows that share is measured
	dataBytes = 64 << 10 // of one IDAT chunk
	mostGrown = 8 << 20  // limits above this are not taken in advance
	growth    = 1 << 20  // bytes from which the output grows to its limit at once: doubling would leave as much behind
)

// Picture is what Encode reads: rows of 8-bit samples, 1 (gray), 3 (RGB) or 4 (RGBA, not premultiplied) a pixel. Row
// is called for every row, twice, from the top each time.
type Picture struct {
	Width, Height int
	Samples       int
	Row           func(y int) []byte
}

// Form says how a picture was stored.
type Form struct {
	Palette  int  // colours; 0 without a palette
	Gray     bool // red, green and blue are equal everywhere
	Alpha    bool // something is not opaque
	Filtered bool
}

// Encode writes p losslessly in the smallest form that holds it: gray where all pixels are, without alpha where all
// are opaque, with a palette of up to 256 colours. Past limit bytes it gives up with ErrOver.
func Encode(ctx context.Context, p Picture, limit int64) ([]byte, Form, error) {
	s := survey(p)
	e := &encoder{p: p, s: s, limit: limit}
	e.plan()
	e.out.WriteString(signature)
	e.header()
	if err := e.pixels(ctx); err != nil {
		return nil, e.form, err
	}
	e.chunk("IEND", nil)
	if int64(e.out.Len()) > limit {
		return nil, e.form, ErrOver
	}
	return e.out.Bytes(), e.form, nil
}

type encoder struct {
	p     Picture
	s     *colours
	form  Form
	limit int64
	out   bytes.Buffer
	data  []byte // of the IDAT chunk being filled

	colour byte
	depth  int
	bpp    int
	pack   packer
}

// plan chooses colour type and depth.
func (e *encoder) plan() {
	n := e.s.n
	e.form = Form{Gray: e.s.gray, Alpha: !e.s.opaque}
	e.depth = 8
	switch {
	case n > 0 && !(e.s.gray && e.s.opaque && n > 16):
		e.form.Palette = n
		e.colour, e.bpp, e.pack = indexed, 1, packIndexed
		for _, d := range []int{8, 4, 2, 1} {
			if n <= 1<<d {
				e.depth = d
			}
		}
	case e.s.gray && e.s.opaque:
		e.colour, e.bpp, e.pack = grey, 1, packGray
	case e.s.gray:
		e.colour, e.bpp, e.pack = greyAlpha, 2, packGrayAlpha
	case e.s.opaque:
		e.colour, e.bpp, e.pack = trueCol, 3, packRGB
	default:
		e.colour, e.bpp, e.pack = trueAlpha, 4, packRGBA
	}
	e.form.Filtered = e.colour != indexed && e.s.flat < flatShare
}

func (e *encoder) header() {
	var b [13]byte
	binary.BigEndian.PutUint32(b[:], uint32(e.p.Width))
	binary.BigEndian.PutUint32(b[4:], uint32(e.p.Height))
	b[8], b[9] = byte(e.depth), e.colour
	e.chunk("IHDR", b[:])
	if e.colour != indexed {
		return
	}
	plte, trns, seen := make([]byte, 0, 3*e.s.n), make([]byte, 0, e.s.n), 0
	for i, c := range e.s.list() {
		plte = append(plte, byte(c>>24), byte(c>>16), byte(c>>8))
		trns = append(trns, byte(c))
		if byte(c) != 255 {
			seen = i + 1
		}
	}
	e.chunk("PLTE", plte)
	if seen > 0 {
		e.chunk("tRNS", trns[:seen])
	}
}

func (e *encoder) chunk(kind string, data []byte) {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:], uint32(len(data)))
	copy(b[4:], kind)
	e.out.Write(b[:])
	e.out.Write(data)
	sum := crc32.Update(crc32.ChecksumIEEE(b[4:]), crc32.IEEETable, data)
	binary.BigEndian.PutUint32(b[:], sum)
	e.out.Write(b[:4])
}

// Write takes deflated bytes and cuts them into IDAT chunks.
func (e *encoder) Write(b []byte) (int, error) {
	if int64(e.out.Len()+len(e.data)+len(b)) > e.limit {
		return 0, ErrOver
	}
	e.data = append(e.data, b...)
	if len(e.data) >= dataBytes {
		if e.out.Len()+2*len(e.data) > e.out.Cap() && e.out.Cap() >= growth && e.limit <= mostGrown {
			e.out.Grow(int(e.limit) - e.out.Len())
		}
		e.chunk("IDAT", e.data)
		e.data = e.data[:0]
	}
	return len(b), nil
}

func (e *encoder) pixels(ctx context.Context) error {
	z, err := zlib.NewWriterLevel(e, level)
	if err != nil {
		return err
	}
	size := (e.p.Width*e.bpp*e.depth + 7) / 8
	f := newFilters(size, e.bpp)
	for y := range e.p.Height {
		if y%ctxRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e.pack(e, f.row(), e.p.Row(y))
		if _, err := z.Write(f.best(e.form.Filtered)); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	e.chunk("IDAT", e.data)
	return nil
}
