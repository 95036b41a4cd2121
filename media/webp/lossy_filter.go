package webp

// The loop filters of RFC 6386, section 15. Both work across an edge: p are the pixels before it, q those behind, the
// nearest first.

// strength is how an edge is filtered.
type strength struct {
	outer  int32 // limit for the difference across edges of macroblocks; 0: nothing is filtered
	inner  int32 // for those inside
	beside int32 // limit for the differences beside an edge
	high   int32 // more than this beside an edge is detail, which only the nearest pixels are adjusted for
	within bool  // edges inside are filtered
}

// strengthOf is the strength for macroblocks of a segment, with and without modes for each block. A level of 0 in the
// frame's header turns the filter off whatever else says (RFC 6386, section 15).
func (h *lossyHead) strengthOf(segment int, blocks bool) (s strength) {
	if h.level == 0 {
		return s
	}
	level := h.ofSegment(h.level, h.levels[segment])
	if h.adjusted {
		level += h.intra
		if blocks {
			level += h.blocks
		}
	}
	level = min(max(level, 0), 63)
	if level == 0 {
		return s
	}
	beside := level
	if h.sharpness > 0 {
		beside >>= 1
		if h.sharpness > 4 {
			beside >>= 1
		}
		beside = min(beside, 9-h.sharpness)
	}
	beside = max(beside, 1)
	s.beside = int32(beside)
	s.inner = int32(2*level + beside)
	s.outer = s.inner + 4
	switch {
	case level >= 40:
		s.high = 2
	case level >= 15:
		s.high = 1
	}
	return s
}

func abs(v int32) int32 {
	s := v >> 31
	return (v ^ s) - s
}

// narrow keeps a sum within a signed byte.
func narrow(v int32) int32 { return min(max(v, -128), 127) }

// simpleEdge filters n pixels along an edge whose first pixel behind it is at; along is the way to the next one and
// across the way over the edge.
func simpleEdge(pix []uint8, at, along, across, n int, limit int32) {
	for range n {
		b := pix[at-2*across : at+across+1]
		p1, p0, q0, q1 := int32(b[0]), int32(b[across]), int32(b[2*across]), int32(b[3*across])
		if 2*abs(p0-q0)+abs(p1-q1)>>1 <= limit {
			a := narrow(narrow(p1-q1) + 3*(q0-p0))
			b[across] = clamp(p0 + narrow(a+3)>>3)
			b[2*across] = clamp(q0 - narrow(a+4)>>3)
		}
		at += along
	}
}

// filterSimple filters the luma of macroblock x. The first row of macroblocks has nothing above.
func (b *band) filterSimple(x int, first bool, s *strength) {
	w := b.lumaWidth
	at := kept*w + 16*x
	if x > 0 {
		simpleEdge(b.luma, at, w, 1, 16, s.outer)
	}
	if s.within {
		for i := 4; i < 16; i += 4 {
			simpleEdge(b.luma, at+i, w, 1, 16, s.inner)
		}
	}
	if !first {
		simpleEdge(b.luma, at, 1, w, 16, s.outer)
	}
	if s.within {
		for i := 4; i < 16; i += 4 {
			simpleEdge(b.luma, at+i*w, 1, w, 16, s.inner)
		}
	}
}

// filterNormal filters all planes of macroblock x.
func (b *band) filterNormal(x int, first bool, s *strength) {
	b.filterPlane(b.luma, b.lumaWidth, 16, x, first, s)
	b.filterPlane(b.cb, b.lumaWidth/2, 8, x, first, s)
	b.filterPlane(b.cr, b.lumaWidth/2, 8, x, first, s)
}

func (b *band) filterPlane(pix []uint8, w, n, x int, first bool, s *strength) {
	at := kept*w + n*x
	outer := smoother{limit: s.outer, beside: s.beside, high: s.high, wide: true}
	inner := smoother{limit: s.inner, beside: s.beside, high: s.high}
	if x > 0 {
		outer.upright(pix, at, w, n)
	}
	if s.within {
		for i := 4; i < n; i += 4 {
			inner.upright(pix, at+i, w, n)
		}
	}
	if !first {
		outer.level(pix, at, w, n)
	}
	if s.within {
		for i := 4; i < n; i += 4 {
			inner.level(pix, at+i*w, w, n)
		}
	}
}
