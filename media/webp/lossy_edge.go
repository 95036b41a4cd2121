package webp

// smoother is the normal filter of RFC 6386, section 15.3, at one strength. The two directions are written out, because
// this is a quarter of the work of a picture and a step that is not known costs a check at each pixel.
type smoother struct {
	limit, beside, high int32
	wide                bool // an edge of macroblocks, where three pixels on each side change
}

// upright filters n pixels down an edge between columns; at is the first pixel to its right, w the way to the next line.
func (e *smoother) upright(pix []uint8, at, w, n int) {
	limit, beside, high, wide := e.limit, e.beside, e.high, e.wide
	for range n {
		b := (*[8]uint8)(pix[at-4:])
		at += w
		p1, p0, q0, q1 := int32(b[2]), int32(b[3]), int32(b[4]), int32(b[5])
		if differ(p1, p0, q0, q1) > limit {
			continue
		}
		p2, q2 := int32(b[1]), int32(b[6])
		switch {
		case rough(int32(b[0]), p2, p1, p0, beside) || rough(int32(b[7]), q2, q1, q0, beside):
		case abs(p1-p0) > high || abs(q1-q0) > high:
			b[3], b[4] = nearest(p1, p0, q0, q1)
		case wide:
			a := narrow(narrow(p1-q1) + 3*(q0-p0))
			b[3], b[4] = moved(p0, q0, (27*a+63)>>7)
			b[2], b[5] = moved(p1, q1, (18*a+63)>>7)
			b[1], b[6] = moved(p2, q2, (9*a+63)>>7)
		default:
			a := narrow(3 * (q0 - p0))
			v := narrow(a+4) >> 3
			b[3], b[4] = clamp(p0+narrow(a+3)>>3), clamp(q0-v)
			b[2], b[5] = moved(p1, q1, (v+1)>>1)
		}
	}
}

// level filters n pixels along an edge between lines; at is the first pixel below it, w the way from line to line.
func (e *smoother) level(pix []uint8, at, w, n int) {
	limit, beside, high, wide := e.limit, e.beside, e.high, e.wide
	l0, l1, l2, l3 := pix[at-4*w:][:n], pix[at-3*w:][:n], pix[at-2*w:][:n], pix[at-w:][:n]
	l4, l5, l6, l7 := pix[at:][:n], pix[at+w:][:n], pix[at+2*w:][:n], pix[at+3*w:][:n]
	for i := range l0 {
		p1, p0, q0, q1 := int32(l2[i]), int32(l3[i]), int32(l4[i]), int32(l5[i])
		if differ(p1, p0, q0, q1) > limit {
			continue
		}
		p2, q2 := int32(l1[i]), int32(l6[i])
		switch {
		case rough(int32(l0[i]), p2, p1, p0, beside) || rough(int32(l7[i]), q2, q1, q0, beside):
		case abs(p1-p0) > high || abs(q1-q0) > high:
			l3[i], l4[i] = nearest(p1, p0, q0, q1)
		case wide:
			a := narrow(narrow(p1-q1) + 3*(q0-p0))
			l3[i], l4[i] = moved(p0, q0, (27*a+63)>>7)
			l2[i], l5[i] = moved(p1, q1, (18*a+63)>>7)
			l1[i], l6[i] = moved(p2, q2, (9*a+63)>>7)
		default:
			a := narrow(3 * (q0 - p0))
			v := narrow(a+4) >> 3
			l3[i], l4[i] = clamp(p0+narrow(a+3)>>3), clamp(q0-v)
			l2[i], l5[i] = moved(p1, q1, (v+1)>>1)
		}
	}
}

// differ is how much the pixels on both sides of an edge differ.
func differ(p1, p0, q0, q1 int32) int32 { return 2*abs(p0-q0) + abs(p1-q1)>>1 }

// rough reports whether neighbours on one side of an edge differ by more than a limit.
func rough(v3, v2, v1, v0, most int32) bool {
	return abs(v3-v2) > most || abs(v2-v1) > most || abs(v1-v0) > most
}

// nearest are the two pixels at an edge with detail beside it, brought closer.
func nearest(p1, p0, q0, q1 int32) (p, q uint8) {
	a := narrow(narrow(p1-q1) + 3*(q0-p0))
	return clamp(p0 + narrow(a+3)>>3), clamp(q0 - narrow(a+4)>>3)
}

// moved are two pixels brought closer by v each.
func moved(p, q, v int32) (uint8, uint8) { return clamp(p + v), clamp(q - v) }
