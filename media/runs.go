package media

import "encoding/binary"

// runs tells where pixels of a row equal the ones behind them, as most do on a screen: scaled they are what they were, and
// need no work. On pictures that have few, they are looked for only now and then.
type runs struct {
	ends  []int32 // of each pixel, the first behind it that differs; nil where there are too few
	space []int32
	worth bool
}

// Runs are looked for while a quarter of the pixels have them, and tried again every so many rows.
const (
	runsWorth = 4
	runsEvery = 16
)

// inside reports whether all samples of a result pixel are of one run.
func (s span) inside(ends []int32) bool {
	return s.start < len(ends) && int(ends[s.start]) >= s.start+s.length
}

// find looks at row y of pixels of n samples; only 3 and 4 are known.
func (r *runs) find(row []byte, n, y int) {
	r.ends = nil
	if n < 3 || !r.worth && y%runsEvery != 0 {
		return
	}
	width := len(row) / n
	if len(r.space) != width {
		r.space = make([]int32, width)
	}
	equal := 0
	if n == 3 {
		equal = runs3(r.space, row)
	} else {
		equal = runs4(r.space, row)
	}
	if r.worth = equal*runsWorth >= width; r.worth {
		r.ends = r.space
	}
}

func runs3(ends []int32, row []byte) (equal int) {
	end := int32(len(ends))
	var r, g, b byte
	for x := len(ends) - 1; x >= 0; x-- {
		p := row[3*x : 3*x+3 : 3*x+3]
		if p[0] == r && p[1] == g && p[2] == b {
			equal++
		} else {
			r, g, b, end = p[0], p[1], p[2], int32(x+1)
		}
		ends[x] = end
	}
	return equal
}

func runs4(ends []int32, row []byte) (equal int) {
	end := int32(len(ends))
	var before uint32
	for x := len(ends) - 1; x >= 0; x-- {
		if p := binary.LittleEndian.Uint32(row[4*x:]); p == before {
			equal++
		} else {
			before, end = p, int32(x+1)
		}
		ends[x] = end
	}
	return equal
}
