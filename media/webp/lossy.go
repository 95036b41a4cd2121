package webp

import (
	"context"
	"image"

	"espy/media/rows"
)

// kept is how many lines of each plane above a row of macroblocks are still open: the filter across the edge between
// reads four and changes three.
const kept = 4

// band holds one row of macroblocks as it is shown, and the lines above it that its filter still changes.
type band struct {
	lumaWidth    int // whole macroblocks
	luma, cb, cr []uint8
}

func newBand(columns int) band {
	w := 16 * columns
	return band{w, make([]uint8, w*(kept+16)), make([]uint8, w/2*(kept+8)), make([]uint8, w/2*(kept+8))}
}

// put takes macroblock x over from the work area.
func (b *band) put(x int, w *work) {
	for y := range 16 {
		copy(b.luma[(kept+y)*b.lumaWidth+16*x:], w[lumaAt+y*stride:lumaAt+y*stride+16])
	}
	for y := range 8 {
		at := (kept+y)*b.lumaWidth/2 + 8*x
		copy(b.cb[at:], w[cbAt+y*stride:cbAt+y*stride+8])
		copy(b.cr[at:], w[crAt+y*stride:crAt+y*stride+8])
	}
}

// advance moves the lines that are still open above the next row of macroblocks.
func (b *band) advance() {
	copy(b.luma, b.luma[16*b.lumaWidth:])
	copy(b.cb, b.cb[8*b.lumaWidth/2:])
	copy(b.cr, b.cr[8*b.lumaWidth/2:])
}

// lossy decodes a VP8 key frame, one row of macroblocks at a time.
type lossy struct {
	ctx           context.Context
	width, height int
	columns, rows int // in macroblocks
	head          *lossyHead
	modes         modeReader
	parts         []boolReader
	strengths     [segments][2]strength

	residue   residue
	work      work
	band      band
	above     []around
	left      around
	aboveLuma []uint8 // the last line of the row above, not filtered, and four pixels more
	aboveCb   []uint8
	aboveCr   []uint8
	filters   []strength // of each macroblock of the row
}

func newLossy(ctx context.Context, f *frame) (*lossy, error) {
	head, modes, parts, err := readLossyHead(f.data)
	if err != nil {
		return nil, err
	}
	n := (f.size.X + 15) / 16
	d := &lossy{
		ctx: ctx, width: f.size.X, height: f.size.Y, columns: n, rows: (f.size.Y + 15) / 16,
		head: head, modes: modeReader{in: modes, head: head, above: make([]uint8, 4*n)}, parts: parts,
		band: newBand(n), above: make([]around, n), filters: make([]strength, n),
		aboveLuma: make([]uint8, 16*n+4), aboveCb: make([]uint8, 8*n), aboveCr: make([]uint8, 8*n),
	}
	for i := range d.strengths {
		d.strengths[i] = [2]strength{head.strengthOf(i, false), head.strengthOf(i, true)}
	}
	return d, nil
}

// row decodes and filters a row of macroblocks.
func (d *lossy) row(y int) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	d.startRow(y)
	part := &d.parts[y%len(d.parts)]
	var m macroblock
	for x := range d.columns {
		d.modes.read(&m, x)
		some := false
		if m.skip {
			clear(d.residue.last[:])
			clear(d.residue.coefficients[:])
			d.above[x].reset(m.luma != modeBlocks)
			d.left.reset(m.luma != modeBlocks)
		} else {
			some = d.residue.read(part, d.head, &m, &d.above[x], &d.left)
		}
		s := &d.filters[x]
		*s = d.strengths[m.segment][flagOf(m.luma == modeBlocks)]
		s.within = some || m.luma == modeBlocks
		d.build(&m, x, y)
	}
	if err := d.modes.in.overrun(); err != nil {
		return err
	}
	if err := part.overrun(); err != nil {
		return err
	}
	d.filter(y == 0)
	return nil
}

// startRow sets what stands left of the row's first macroblock and, in the first row, above.
func (d *lossy) startRow(y int) {
	d.left = around{}
	d.modes.left = [4]uint8{}
	w := &d.work
	if y == 0 {
		for _, line := range [][]uint8{d.aboveLuma, d.aboveCb, d.aboveCr} {
			for x := range line {
				line[x] = outsideAbove
			}
		}
	}
	cornerPixel := uint8(outsideLeft)
	if y == 0 {
		cornerPixel = outsideAbove
	}
	for line := range 16 {
		w[lumaAt+line*stride-1] = outsideLeft
	}
	for line := range 8 {
		w[cbAt+line*stride-1], w[crAt+line*stride-1] = outsideLeft, outsideLeft
	}
	w[lumaAt-stride-1], w[cbAt-stride-1], w[crAt-stride-1] = cornerPixel, cornerPixel, cornerPixel
}

// build makes the pixels of a macroblock and puts them into the band.
func (d *lossy) build(m *macroblock, x, y int) {
	w := &d.work
	copy(w[lumaAt-stride:], d.aboveLuma[16*x:16*x+20])
	copy(w[cbAt-stride:], d.aboveCb[8*x:8*x+8])
	copy(w[crAt-stride:], d.aboveCr[8*x:8*x+8])
	if m.luma == modeBlocks {
		d.buildBlocks(m)
	} else {
		w.predictSquare(m.luma, lumaAt, 16, y > 0, x > 0)
		for i := range 16 {
			d.residue.add(i, w[lumaAt+i/4*4*stride+i%4*4:])
		}
	}
	w.predictSquare(m.chroma, cbAt, 8, y > 0, x > 0)
	w.predictSquare(m.chroma, crAt, 8, y > 0, x > 0)
	for i := range 4 {
		at := i/2*4*stride + i%2*4
		d.residue.add(chromaBlock+i, w[cbAt+at:])
		d.residue.add(chromaBlock+4+i, w[crAt+at:])
	}
	d.band.put(x, w)
	d.hand(x)
}

// buildBlocks makes luma block by block. The blocks at the right edge all look at the macroblock above to the right,
// since that beside them is not there yet.
func (d *lossy) buildBlocks(m *macroblock) {
	w := &d.work
	beyond := w[lumaAt-stride+16 : lumaAt-stride+20]
	for _, line := range [3]int{3, 7, 11} {
		copy(w[lumaAt+line*stride+16:], beyond)
	}
	for i, mode := range m.blocks {
		at := lumaAt + i/4*4*stride + i%4*4
		w.predictBlock(mode, at)
		d.residue.add(i, w[at:])
	}
}

// hand keeps what the macroblocks beside and below predict from.
func (d *lossy) hand(x int) {
	w := &d.work
	copy(d.aboveLuma[16*x:], w[lumaAt+15*stride:lumaAt+15*stride+16])
	copy(d.aboveCb[8*x:], w[cbAt+7*stride:cbAt+7*stride+8])
	copy(d.aboveCr[8*x:], w[crAt+7*stride:crAt+7*stride+8])
	for line := -1; line < 16; line++ {
		w[lumaAt+line*stride-1] = w[lumaAt+line*stride+15]
	}
	for line := -1; line < 8; line++ {
		w[cbAt+line*stride-1] = w[cbAt+line*stride+7]
		w[crAt+line*stride-1] = w[crAt+line*stride+7]
	}
	if x == d.columns-1 { // beyond the right edge its last pixel goes on
		for i := range 4 {
			d.aboveLuma[16*d.columns+i] = w[lumaAt+15*stride+15]
		}
	}
}

// filter filters a row of macroblocks once all of it is made, since predictions are from pixels not filtered.
func (d *lossy) filter(first bool) {
	for x := range d.filters {
		s := &d.filters[x]
		switch {
		case s.outer == 0:
		case d.head.simple:
			d.band.filterSimple(x, first, s)
		default:
			d.band.filterNormal(x, first, s)
		}
	}
}

// decodeLossy pushes a VP8 frame, with its alpha where it has some.
func decodeLossy(ctx context.Context, f *frame, opt rows.Options, sink rows.Sink) (image.Rectangle, error) {
	d, err := newLossy(ctx, f)
	if err != nil {
		return image.Rectangle{}, cut(0, f.size.Y, err)
	}
	layout := rows.YCbCr
	if f.alpha.length > 0 || !f.covers() {
		layout = rows.YCbCrA
	}
	out, err := f.open(layout, opt, sink)
	if err != nil {
		return image.Rectangle{}, err
	}
	p, err := newLossyPusher(ctx, f, d, out, layout)
	if err != nil {
		return image.Rectangle{}, err
	}
	wanted := out.rows()
	for y := 0; p.luma < wanted || p.chroma < (wanted+1)/2; y++ {
		if err := d.row(y); err != nil {
			return image.Rectangle{}, cut(min(16*y, f.size.Y), f.size.Y, err)
		}
		if err := p.push(y, wanted); err != nil {
			return image.Rectangle{}, err
		}
		d.band.advance()
	}
	return out.window, out.finish()
}
