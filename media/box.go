package media

import "encoding/binary"

// boxes averages blocks of x by y pixels into one row of pixels, row by row. Colours are multiplied by alpha where there
// is some.
type boxes struct {
	x, y  int
	n     int // samples a pixel
	width int // source pixels in a row
	alpha bool
	rows  int      // added since the last end
	sums  []uint32 // of blocks, sample by sample: 4096 by 4096 samples fit in
	sumsA []uint64 // the same where each is multiplied by alpha
}

func newBoxes(width, x, y, n int, alpha bool) *boxes {
	b := &boxes{x: x, y: y, n: n, width: width, alpha: alpha}
	if size := ceilDiv(width, x) * n; alpha {
		b.sumsA = make([]uint64, size)
	} else {
		b.sums = make([]uint32, size)
	}
	return b
}

// add adds a source row.
func (b *boxes) add(row []byte) {
	b.rows++
	switch {
	case b.alpha:
		b.addAlpha(row)
	case b.n == 1 && b.x == 2:
		b.addPairs(row)
	case b.n == 3 && b.x == 2:
		b.addPairs3(row)
	default:
		b.addAny(row)
	}
}

func (b *boxes) addAny(row []byte) {
	n, step := b.n, b.x*b.n
	for o, at := 0, 0; at < len(row); o, at = o+n, at+step {
		block := row[at:min(at+step, len(row))]
		for c := range n {
			sum := uint32(0)
			for i := c; i < len(block); i += n {
				sum += uint32(block[i])
			}
			b.sums[o+c] += sum
		}
	}
}

// addPairs adds blocks of two samples, four blocks at a time: the even and the odd bytes of a word, in lanes of 16 bits.
func (b *boxes) addPairs(row []byte) {
	const even = 0x00ff00ff00ff00ff
	sums := b.sums
	for len(row) >= 8 && len(sums) >= 4 {
		v := binary.LittleEndian.Uint64(row)
		v = v&even + v>>8&even
		s := (*[4]uint32)(sums)
		s[0], s[1] = s[0]+uint32(v&0xffff), s[1]+uint32(v>>16&0xffff)
		s[2], s[3] = s[2]+uint32(v>>32&0xffff), s[3]+uint32(v>>48)
		row, sums = row[8:], sums[4:]
	}
	for i, v := range row {
		sums[i/2] += uint32(v)
	}
}

// addPairs3 adds blocks of two pixels of three samples.
func (b *boxes) addPairs3(row []byte) {
	sums := b.sums
	for len(row) >= 6 && len(sums) >= 3 {
		v, s := (*[6]byte)(row), (*[3]uint32)(sums)
		s[0], s[1], s[2] = s[0]+uint32(v[0])+uint32(v[3]), s[1]+uint32(v[1])+uint32(v[4]), s[2]+uint32(v[2])+uint32(v[5])
		row, sums = row[6:], sums[3:]
	}
	for i, v := range row { // a block of one pixel
		sums[i] += uint32(v)
	}
}

func (b *boxes) addAlpha(row []byte) {
	step := b.x * 4
	for o, at := 0, 0; at < len(row); o, at = o+4, at+step {
		block := row[at:min(at+step, len(row))]
		var r, g, bl, a uint64
		for i := 0; i+3 < len(block); i += 4 {
			v := uint64(block[i+3])
			r, g, bl, a = r+uint64(block[i])*v, g+uint64(block[i+1])*v, bl+uint64(block[i+2])*v, a+v
		}
		s := b.sumsA[o : o+4 : o+4]
		s[0], s[1], s[2], s[3] = s[0]+r, s[1]+g, s[2]+bl, s[3]+a
	}
}

// end writes the averages and begins anew. The last block of a row may be narrower.
func (b *boxes) end(line []float32) {
	n := b.n
	full := 1 / float32(b.rows*b.x)
	last := 1 / float32(b.rows*(b.width-(ceilDiv(b.width, b.x)-1)*b.x))
	if b.alpha {
		for i, v := range b.sumsA {
			scale := full
			if i >= len(b.sumsA)-n {
				scale = last
			}
			if i%4 != 3 {
				scale *= 1.0 / 255
			}
			line[i] = float32(v) * scale
		}
		clear(b.sumsA)
	} else {
		for i, v := range b.sums {
			line[i] = float32(v) * full
		}
		for i := len(b.sums) - n; i < len(b.sums); i++ {
			line[i] = float32(b.sums[i]) * last
		}
		clear(b.sums)
	}
	b.rows = 0
}
