package png

import (
	"errors"
	"io"
)

// Row filters.
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
)

var errFilter = errors.New("a row has an unknown filter")

// pass reads the rows of one pass (or of the whole picture) and undoes their filters.
type pass struct {
	in       *input
	bpp      int
	cur, old []byte // filter byte and row; old is zero before the first row
}

func newPass(in *input, rowBytes, bpp int) *pass {
	return &pass{in: in, bpp: bpp, cur: make([]byte, 1+rowBytes), old: make([]byte, 1+rowBytes)}
}

// next returns the next row; the slice is valid until the call after the next.
func (p *pass) next() ([]byte, error) {
	p.cur, p.old = p.old, p.cur
	if _, err := io.ReadFull(p.in.z, p.cur); err != nil {
		return nil, err
	}
	row, above, bpp := p.cur[1:], p.old[1:], p.bpp
	above = above[:len(row)]
	switch p.cur[0] {
	case filterNone:
	case filterSub:
		for i := bpp; i < len(row); i++ {
			row[i] += row[i-bpp]
		}
	case filterUp:
		for i, a := range above {
			row[i] += a
		}
	case filterAverage:
		for i := range min(bpp, len(row)) {
			row[i] += above[i] / 2
		}
		for i := bpp; i < len(row); i++ {
			row[i] += byte((int(row[i-bpp]) + int(above[i])) / 2)
		}
	case filterPaeth:
		undoPaeth(row, above, bpp)
	default:
		return nil, errFilter
	}
	return row, nil
}

// undoPaeth undoes the filter of the nearest neighbour. Where a pixel equals the one before it in the row above, as most
// do on a screen, the nearest is always the one to the left.
func undoPaeth(row, above []byte, bpp int) {
	switch bpp {
	case 3:
		undoPaeth3(row, above)
	case 4:
		undoPaeth4(row, above)
	default:
		for c := range bpp {
			left, corner := byte(0), byte(0)
			for i := c; i < len(row); i += bpp {
				up := above[i]
				left = nearest(left, up, corner) + row[i]
				row[i], corner = left, up
			}
		}
	}
}

func undoPaeth3(row, above []byte) {
	var l0, l1, l2, c0, c1, c2 byte
	for len(row) >= 3 && len(above) >= 3 {
		v, up := (*[3]byte)(row), (*[3]byte)(above)
		u0, u1, u2 := up[0], up[1], up[2]
		if u0 != c0 || u1 != c1 || u2 != c2 {
			l0, l1, l2 = nearest(l0, u0, c0), nearest(l1, u1, c1), nearest(l2, u2, c2)
			c0, c1, c2 = u0, u1, u2
		}
		l0, l1, l2 = l0+v[0], l1+v[1], l2+v[2]
		v[0], v[1], v[2] = l0, l1, l2
		row, above = row[3:], above[3:]
	}
}

func undoPaeth4(row, above []byte) {
	var l0, l1, l2, l3, c0, c1, c2, c3 byte
	for len(row) >= 4 && len(above) >= 4 {
		v, up := (*[4]byte)(row), (*[4]byte)(above)
		u0, u1, u2, u3 := up[0], up[1], up[2], up[3]
		if u0 != c0 || u1 != c1 || u2 != c2 || u3 != c3 {
			l0, l1, l2, l3 = nearest(l0, u0, c0), nearest(l1, u1, c1), nearest(l2, u2, c2), nearest(l3, u3, c3)
			c0, c1, c2, c3 = u0, u1, u2, u3
		}
		l0, l1, l2, l3 = l0+v[0], l1+v[1], l2+v[2], l3+v[3]
		v[0], v[1], v[2], v[3] = l0, l1, l2, l3
		row, above = row[4:], above[4:]
	}
}

// nearest is the neighbour closest to left+up-corner.
func nearest(left, up, corner byte) byte {
	pa, pb := int(up)-int(corner), int(left)-int(corner)
	pc := abs(pa + pb)
	pa, pb = abs(pa), abs(pb)
	switch {
	case pa <= pb && pa <= pc:
		return left
	case pb <= pc:
		return up
	}
	return corner
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
