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

// undoPaeth runs channel by channel, so that the neighbours stay in registers.
func undoPaeth(row, above []byte, bpp int) {
	for c := range bpp {
		left, corner := 0, 0
		for i := c; i < len(row); i += bpp {
			up := int(above[i])
			pa, pb := up-corner, left-corner
			pc := abs(pa + pb)
			pa, pb = abs(pa), abs(pb)
			switch {
			case pa <= pb && pa <= pc:
			case pb <= pc:
				left = up
			default:
				left = corner
			}
			left = (left + int(row[i])) & 0xff
			row[i] = byte(left)
			corner = up
		}
	}
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
