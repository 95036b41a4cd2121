package png

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// ErrOver means that the encoded picture passed its limit; it was given up there.
var ErrOver = errors.New("the encoded picture is larger than its limit")

const (
	level     = 3        // of deflate: the size of the default, for flat content at a fifth of its time
	flatShare = 0.3      // from this share of pixels equal to their left neighbour rows are stored unfiltered
	flatEvery = 16       // every how many rows that share is measured
	mostGrown = 8 << 20  // limits above this are not taken in advance
	growth    = 1 << 20  // bytes from which the output grows to its limit at once: doubling would leave as much behind
	dataBytes = 64 << 10 // of one IDAT chunk
	splitFrom = 1 << 20  // bytes of all rows from which they are deflated in two parts at once
	splitUpTo = 20 << 20 // bytes of all rows up to which they are: above, memory matters more
)

// Picture is what Encode reads: rows of 8-bit samples, 1 (gray), 3 (RGB) or 4 (RGBA, not premultiplied) a pixel. Row
// is called for every row more than once, and by two goroutines at a time.
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

// pixels writes the picture data: rows from the top deflated into one part, and beside it, where the picture is neither
// too small to be worth it nor too large for the memory, those of the lower half into another. Both are one stream all the
// same: the first ends at a whole byte, and the second reaches back for nothing.
func (e *encoder) pixels(ctx context.Context) error {
	size := (e.p.Width*e.bpp*e.depth + 7) / 8
	cuts := []int{0, e.p.Height}
	if total := size * e.p.Height; total >= splitFrom && total <= splitUpTo {
		cuts = []int{0, e.p.Height / 2, e.p.Height}
	}
	budget := new(atomic.Int64)
	budget.Store(e.limit - int64(e.out.Len()))
	parts := make([]*part, len(cuts)-1)
	within, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	for i := range parts {
		p := &part{e: e, first: i == 0, budget: budget, sum: adler32.New()}
		parts[i] = p
		group.Go(func() {
			if p.err = p.deflate(within, cuts[i], cuts[i+1], size); p.err != nil {
				stop()
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, p := range parts {
		if p.err != nil && !errors.Is(p.err, context.Canceled) {
			return p.err
		}
	}
	e.join(parts, size, cuts)
	return nil
}

// join writes what is left of the first part, the other behind it, and the checksum of both.
func (e *encoder) join(parts []*part, size int, cuts []int) {
	sum := uint32(1)
	for i, p := range parts {
		sum = adlerJoined(sum, p.sum.Sum32(), int64(1+size)*int64(cuts[i+1]-cuts[i]))
		if i == len(parts)-1 {
			p.data = binary.BigEndian.AppendUint32(p.data, sum)
		}
		for _, piece := range append(p.pieces, p.data) {
			e.chunk("IDAT", piece)
		}
	}
}
