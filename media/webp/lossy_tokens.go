package webp

// Kinds of blocks, as the probabilities of coefficients are indexed.
const (
	kindLumaRest = 0 // luma whose first coefficients are in a block of their own
	kindDC       = 1 // that block
	kindChroma   = 2
	kindLuma     = 3
)

// Where the coefficients of a block are among those of a macroblock: 16 of luma, 8 of chroma, the one of first ones.
const (
	chromaBlock = 16
	dcBlock     = 24
	blocksOf    = 25
)

// The order in which coefficients are stored, and the band of each, by RFC 6386, section 13. The band behind the last
// is never used.
var (
	zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}
	bands  = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}
)

// extras are the probabilities of the bits behind the four largest kinds of token.
var extras = [4][]uint8{
	{173, 148, 140},
	{176, 155, 140, 135},
	{180, 157, 141, 134, 130},
	{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

// around says which blocks above or left of a macroblock have coefficients.
type around struct {
	luma   [4]uint8
	chroma [2][2]uint8
	dc     uint8
}

// reset forgets all but the block of first coefficients, which is kept where the macroblock has none.
func (a *around) reset(dc bool) {
	kept := a.dc
	if dc {
		kept = 0
	}
	*a = around{dc: kept}
}

// residue is what a macroblock adds to its prediction.
type residue struct {
	coefficients [blocksOf * 16]int16
	last         [blocksOf]uint8 // how many coefficients of a block may be other than 0
}

// read reads a macroblock's coefficients and reports whether there are any. First coefficients of luma that come to
// nothing do not count, as in the reference decoder.
func (r *residue) read(in *boolReader, h *lossyHead, m *macroblock, above, left *around) (some bool) {
	clear(r.coefficients[:])
	q := &h.steps[m.segment]
	kind, first := kindLuma, 0
	if m.luma != modeBlocks {
		kind, first = kindLumaRest, 1
		n := r.block(in, &h.probs[kindDC], above.dc+left.dc, 0, dcBlock, &q.dc)
		above.dc, left.dc = flagOf(n > 0), flagOf(n > 0)
		some = n > 0 && r.spreadFirsts()
	}
	for i := range 16 {
		a, l := &above.luma[i%4], &left.luma[i/4]
		n := r.block(in, &h.probs[kind], *a+*l, first, i, &q.luma)
		*a, *l = flagOf(n > first), flagOf(n > first)
		some = some || n > first
	}
	for i := range 8 {
		a, l := &above.chroma[i/4][i%2], &left.chroma[i/4][i/2%2]
		n := r.block(in, &h.probs[kindChroma], *a+*l, 0, chromaBlock+i, &q.chroma)
		*a, *l = flagOf(n > 0), flagOf(n > 0)
		some = some || n > 0
	}
	return some
}

func flagOf(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// block reads the coefficients of a block from first on and returns the place behind the last one stored; context is
// how many of the blocks above and left have some.
func (r *residue) block(b *boolReader, probs *[8][3][11]uint8, context uint8, first, at int, step *[2]int32) int {
	out := (*[16]int16)(r.coefficients[16*at:])
	n := tokens(b, probs, context, first, out, step)
	r.last[at] = uint8(n)
	return n
}

// tokens reads the coefficients of a block into out. It decides between branches by hand, so that each decision is one.
func tokens(b *boolReader, probs *[8][3][11]uint8, context uint8, first int, out *[16]int16, step *[2]int32) int {
	c := b.coder
	n := first
	p := &probs[bands[n]][context]
	for n < 16 {
		if c.n < enough {
			c = b.load(c)
		}
		split := c.split(p[0])
		if !c.above(split) {
			c = c.zero(split)
			break
		}
		c = c.one(split)
		for split = c.split(p[1]); !c.above(split); split = c.split(p[1]) {
			c = c.zero(split)
			if n++; n == 16 {
				b.coder = c
				return 16
			}
			p = &probs[bands[n]][0]
			if c.n < enough {
				c = b.load(c)
			}
		}
		c = c.one(split)
		value, next := int32(1), 1
		if split = c.split(p[2]); c.above(split) {
			c, value = b.large(c.one(split), p)
			next = 2
		} else {
			c = c.zero(split)
		}
		if c.n < 0 {
			c = b.load(c)
		}
		var sign uint32
		c, sign = c.next(even)
		out[zigzag[n]] = int16((value ^ -int32(sign) + int32(sign)) * step[min(n, 1)])
		n++
		p = &probs[bands[n]][next]
	}
	b.coder = c
	return n
}

// large reads a coefficient of 2 or more, without its sign.
func (b *boolReader) large(c coder, p *[11]uint8) (coder, int32) {
	if c.n < enough {
		c = b.load(c)
	}
	split := c.split(p[3])
	if c.above(split) {
		return b.larger(c.one(split), p)
	}
	c = c.zero(split)
	if split = c.split(p[4]); !c.above(split) {
		return c.zero(split), 2
	}
	c, bit := c.one(split).next(p[5])
	return c, 3 + int32(bit)
}

// larger reads a coefficient of 5 or more, without its sign.
func (b *boolReader) larger(c coder, p *[11]uint8) (coder, int32) {
	if c.n < enough {
		c = b.load(c)
	}
	var high, low uint32
	if c, high = c.next(p[6]); high == 0 {
		if c, high = c.next(p[7]); high == 0 {
			c, low = c.next(159)
			return c, 5 + int32(low)
		}
		if c.n < enough {
			c = b.load(c)
		}
		c, high = c.next(165)
		c, low = c.next(145)
		return c, 7 + int32(2*high+low)
	}
	c, high = c.next(p[8])
	c, low = c.next(p[9+high])
	kind := 2*high + low
	value := int32(0)
	for _, p := range extras[kind] {
		if c.n < 0 {
			c = b.load(c)
		}
		c, low = c.next(p)
		value = value<<1 | int32(low)
	}
	return c, value + 3 + 8<<kind
}
