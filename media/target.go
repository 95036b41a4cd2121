package media

// target is a plane that is written row by row. Turned, its rows are the columns of what is written, so that a picture
// that lies on its side is never held twice.
type target struct {
	plane
	turned bool
	band   []byte // rows that wait to become columns
}

// turnedRows is how many rows become columns at once: so many that whole lines of the cache are written.
const turnedRows = 32

// newTarget is a target of w by h pixels as they are written, of n samples each.
func newTarget(w, h, n int, turned bool) target {
	if !turned {
		return target{plane: newPlane(w, h, n)}
	}
	t := target{plane: newPlane(h, w, n), turned: true, band: make([]byte, turnedRows*w*n)}
	t.w, t.h = w, h
	return t
}

// held is the plane as it was written.
func (t *target) held() plane {
	if t.turned {
		return plane{t.h, t.w, t.n, t.pix}
	}
	return t.plane
}

// row is where row y goes.
func (t *target) row(y int) []byte {
	if !t.turned {
		return t.plane.row(y)
	}
	size := t.w * t.n
	return t.band[y%turnedRows*size:][:size]
}

// wrote is called when row y stands. Rows come in order.
func (t *target) wrote(y int) {
	if !t.turned || y%turnedRows < turnedRows-1 && y < t.h-1 {
		return
	}
	first, size := y-y%turnedRows, t.w*t.n
	for x := range t.w {
		column := t.pix[(x*t.h+first)*t.n:]
		for k := range y - first + 1 {
			copy(column[k*t.n:(k+1)*t.n], t.band[k*size+x*t.n:])
		}
	}
}
