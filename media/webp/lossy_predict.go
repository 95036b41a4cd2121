package webp

// A macroblock is made in a work area with the pixels around it that predictions read: a row above, a column to the
// left. Luma is at the top, four more pixels of the row above at its right; both chroma blocks side by side below.
const (
	stride     = 32
	lumaAt     = stride + 8     // the first luma pixel
	cbAt       = 18*stride + 8  // the first pixel of Cb
	crAt       = 18*stride + 24 // and of Cr
	workLength = (18 + 8) * stride
)

type work [workLength]uint8

// What stands for pixels outside of the picture (RFC 6386, section 12.2).
const (
	outsideAbove = 127
	outsideLeft  = 129
)

// predictSquare predicts n by n pixels at a place. For blockDC, missing neighbours are left out of the mean.
func (w *work) predictSquare(mode uint8, at, n int, hasAbove, hasLeft bool) {
	above := w[at-stride : at-stride+n]
	switch mode {
	case modeDC:
		w.fill(at, n, w.mean(at, n, hasAbove, hasLeft))
	case modeV:
		for y := range n {
			copy(w[at+y*stride:], above)
		}
	case modeH:
		for y := range n {
			row := w[at+y*stride-1 : at+y*stride+n]
			for x := range row {
				row[x] = row[0]
			}
		}
	case modeTM:
		w.gradient(at, n)
	}
}

func (w *work) fill(at, n int, v uint8) {
	for y := range n {
		row := w[at+y*stride : at+y*stride+n]
		for x := range row {
			row[x] = v
		}
	}
}

func (w *work) mean(at, n int, hasAbove, hasLeft bool) uint8 {
	sum, count := 0, 0
	if hasAbove {
		for _, v := range w[at-stride : at-stride+n] {
			sum += int(v)
		}
		count += n
	}
	if hasLeft {
		for y := range n {
			sum += int(w[at+y*stride-1])
		}
		count += n
	}
	if count == 0 {
		return 128
	}
	return uint8((sum + count/2) / count)
}

// gradient predicts left + above - corner.
func (w *work) gradient(at, n int) {
	above := w[at-stride : at-stride+n]
	corner := int32(w[at-stride-1])
	for y := range n {
		row := w[at+y*stride : at+y*stride+n]
		base := int32(w[at+y*stride-1]) - corner
		for x := range row {
			row[x] = clamp(base + int32(above[x]))
		}
	}
}

func mean2(a, b uint8) uint8    { return uint8((uint(a) + uint(b) + 1) >> 1) }
func mean3(a, b, c uint8) uint8 { return uint8((uint(a) + 2*uint(b) + uint(c) + 2) >> 2) }

// edge are the pixels around a block, from the lowest one at its left over the corner to the last one above, four
// beyond the block.
type edge [13]uint8

const (
	corner    = 4
	firstOver = 5
)

func (w *work) edgeOf(at int) (e edge) {
	e[0], e[1], e[2], e[3] = w[at+3*stride-1], w[at+2*stride-1], w[at+stride-1], w[at-1]
	copy(e[corner:], w[at-stride-1:at-stride+8])
	return e
}

// predictBlock predicts 4 by 4 pixels (RFC 6386, section 12.3).
func (w *work) predictBlock(mode uint8, at int) {
	switch mode {
	case blockDC:
		w.fill(at, 4, w.mean(at, 4, true, true))
		return
	case blockTM:
		w.gradient(at, 4)
		return
	}
	e := w.edgeOf(at)
	above := e[firstOver:]
	switch mode {
	case blockVE:
		for y := range 4 {
			w.put(at, y, mean3(e[4], e[5], e[6]), mean3(e[5], e[6], e[7]), mean3(e[6], e[7], e[8]), mean3(e[7], e[8], e[9]))
		}
	case blockHE:
		for y, v := range [4]uint8{mean3(e[4], e[3], e[2]), mean3(e[3], e[2], e[1]), mean3(e[2], e[1], e[0]), mean3(e[1], e[0], e[0])} {
			w.put(at, y, v, v, v, v)
		}
	case blockLD:
		var d [7]uint8
		for i := range 6 {
			d[i] = mean3(above[i], above[i+1], above[i+2])
		}
		d[6] = mean3(above[6], above[7], above[7])
		for y := range 4 {
			w.put(at, y, d[y], d[y+1], d[y+2], d[y+3])
		}
	case blockRD:
		var d [7]uint8
		for i := range d {
			d[i] = mean3(e[i], e[i+1], e[i+2])
		}
		for y := range 4 {
			w.put(at, y, d[3-y], d[4-y], d[5-y], d[6-y])
		}
	default:
		w.predictSteep(mode, at, &e)
	}
}

// predictSteep predicts along the four directions between the diagonals and the axes.
func (w *work) predictSteep(mode uint8, at int, e *edge) {
	var two [8]uint8   // of e[i] and e[i+1]
	var three [9]uint8 // around e[i+1]
	base := 0
	if mode == blockVL {
		base = firstOver
	}
	for i := 0; i < 8 && base+i+1 < len(e); i++ {
		two[i] = mean2(e[base+i], e[base+i+1])
		if base+i+2 < len(e) {
			three[i] = mean3(e[base+i], e[base+i+1], e[base+i+2])
		}
	}
	switch mode {
	case blockVR:
		w.put(at, 0, two[4], two[5], two[6], two[7])
		w.put(at, 1, three[3], three[4], three[5], three[6])
		w.put(at, 2, three[2], two[4], two[5], two[6])
		w.put(at, 3, three[1], three[3], three[4], three[5])
	case blockVL:
		w.put(at, 0, two[0], two[1], two[2], two[3])
		w.put(at, 1, three[0], three[1], three[2], three[3])
		w.put(at, 2, two[1], two[2], two[3], three[4])
		w.put(at, 3, three[1], three[2], three[3], three[5])
	case blockHD:
		w.put(at, 0, two[3], three[3], three[4], three[5])
		w.put(at, 1, two[2], three[2], two[3], three[3])
		w.put(at, 2, two[1], three[1], two[2], three[2])
		w.put(at, 3, two[0], three[0], two[1], three[1])
	case blockHU:
		l := e[0] // the lowest
		end := mean3(e[1], e[0], e[0])
		w.put(at, 0, two[2], three[1], two[1], three[0])
		w.put(at, 1, two[1], three[0], two[0], end)
		w.put(at, 2, two[0], end, l, l)
		w.put(at, 3, l, l, l, l)
	}
}

func (w *work) put(at, y int, a, b, c, d uint8) {
	row := w[at+y*stride : at+y*stride+4 : at+y*stride+4]
	row[0], row[1], row[2], row[3] = a, b, c, d
}
