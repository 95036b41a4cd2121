package webp

import (
	"context"
	"sync"

	"espy/media/rows"
)

// ranges are the tables from BT.601's limited range, which WebP stores, to the full one: brightness from 16 to 235,
// colour from 16 to 240 around 128.
var ranges = sync.OnceValue(func() *[2][256]uint8 {
	var t [2][256]uint8
	for i := range t[0] {
		t[0][i] = spread8(i-16, 219, 0)
		t[1][i] = spread8(i-128, 224, 128)
	}
	return &t
})

// spread8 is v*255/span + centre, rounded and kept within a byte.
func spread8(v, span, centre int) uint8 {
	n := 2*(v*255+centre*span) + span
	return uint8(min(max(n, 0)/(2*span), 255))
}

// lossyPusher hands out the lines of a band that nothing changes any more.
type lossyPusher struct {
	d            *lossy
	out          *output
	alpha        alphaSource // nil where nothing is transparent inside the frame
	opaque       []uint8     // a row of alpha where the layout has it and the frame does not
	luma, chroma int         // lines pushed
	line         []uint8
}

func newLossyPusher(ctx context.Context, f *frame, d *lossy, out *output, layout rows.Layout) (*lossyPusher, error) {
	p := &lossyPusher{d: d, out: out, line: make([]uint8, f.size.X)}
	if layout != rows.YCbCrA {
		return p, nil
	}
	if f.alpha.length > 0 && out.rows() > 0 {
		var err error
		p.alpha, err = openAlpha(ctx, f)
		return p, err
	}
	p.opaque = make([]uint8, f.size.X)
	for i := range p.opaque {
		p.opaque[i] = 255
	}
	return p, nil
}

// push hands out what row y of macroblocks has finished, up to the line wanted.
func (p *lossyPusher) push(y, wanted int) error {
	lumaEnd, chromaEnd := 16*y+16-kept, 8*y+8-kept
	if y == p.d.rows-1 {
		lumaEnd, chromaEnd = p.d.height, (p.d.height+1)/2
	}
	b, t := &p.d.band, ranges()
	for ; p.chroma < min(chromaEnd, (wanted+1)/2); p.chroma++ {
		at := (p.chroma - 8*y + kept) * b.lumaWidth / 2
		if err := p.row(1, b.cb[at:], (p.d.width+1)/2, &t[1]); err != nil {
			return err
		}
		if err := p.row(2, b.cr[at:], (p.d.width+1)/2, &t[1]); err != nil {
			return err
		}
	}
	for ; p.luma < min(lumaEnd, wanted); p.luma++ {
		at := (p.luma - 16*y + kept) * b.lumaWidth
		if err := p.row(0, b.luma[at:], p.d.width, &t[0]); err != nil {
			return err
		}
		if err := p.rowOfAlpha(); err != nil {
			return err
		}
	}
	return nil
}

func (p *lossyPusher) row(plane int, samples []uint8, n int, table *[256]uint8) error {
	line := p.line[:n]
	for i, v := range samples[:n] {
		line[i] = table[v]
	}
	return p.out.row(plane, line)
}

func (p *lossyPusher) rowOfAlpha() error {
	switch {
	case p.alpha != nil:
		line, err := p.alpha.next()
		if err != nil {
			return cut(p.luma, p.d.height, err)
		}
		return p.out.row(3, line)
	case p.opaque != nil:
		return p.out.row(3, p.opaque)
	}
	return nil
}
