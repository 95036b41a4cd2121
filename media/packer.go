package media

import (
	"bytes"
	"errors"
	"image"
	"image/color"

	"espy/media/rows"
)

// packer turns planar pictures with alpha into packed ones on their way to the renderer, because a colour can be
// weighed by its alpha only where both are known. Other layouts pass. Rows of the planes may come in any order; those
// that wait are kept, equal neighbours once.
type packer struct {
	to      rows.Sink
	packing bool
	size    image.Point
	sub     image.Point // pixels a chroma sample stands for
	y       int         // next row
	queues  [4]rowQueue
	line    []byte
}

// Begin announces what comes out.
func (p *packer) Begin(h rows.Header) error {
	if h.Layout != rows.YCbCrA {
		return p.to.Begin(h)
	}
	if len(h.Planes) != 4 || h.Planes[1].X < 1 || h.Planes[1].Y < 1 || h.Planes[2] != h.Planes[1] || h.Planes[3] != h.Planes[0] {
		return errors.New("the decoder announces planes that do not fit together")
	}
	p.packing, p.size = true, h.Planes[0]
	p.sub = image.Pt(ceilDiv(p.size.X, h.Planes[1].X), ceilDiv(p.size.Y, h.Planes[1].Y))
	p.line = make([]byte, 4*p.size.X)
	h.Layout, h.Planes = rows.RGBA, h.Planes[:1]
	return p.to.Begin(h)
}

// Row keeps a row and passes on those of which nothing is missing any more.
func (p *packer) Row(plane int, samples []byte) error {
	if !p.packing {
		return p.to.Row(plane, samples)
	}
	if plane < 0 || plane > 3 || len(samples) < p.samples(plane) {
		return errors.New("the decoder delivers a plane it did not announce")
	}
	p.queues[plane].add(samples)
	for p.y < p.size.Y {
		q := &p.queues
		l, cb, cr, a := q[0].at(p.y), q[1].at(p.y/p.sub.Y), q[2].at(p.y/p.sub.Y), q[3].at(p.y)
		if l == nil || cb == nil || cr == nil || a == nil {
			return nil
		}
		p.pack(l, cb, cr, a)
		if err := p.to.Row(0, p.line); err != nil {
			return err
		}
		p.y++
		for i := range q {
			next := p.y
			if i == 1 || i == 2 {
				next /= p.sub.Y
			}
			q[i].drop(next)
		}
	}
	return nil
}

// samples is how many a row of a plane has.
func (p *packer) samples(plane int) int {
	if plane == 1 || plane == 2 {
		return ceilDiv(p.size.X, p.sub.X)
	}
	return p.size.X
}

// pack puts a row together. What cannot be seen has no colour.
func (p *packer) pack(l, cb, cr, a []byte) {
	for x := range p.size.X {
		o := p.line[4*x : 4*x+4 : 4*x+4]
		if o[3] = a[x]; o[3] == 0 {
			o[0], o[1], o[2] = 0, 0, 0
			continue
		}
		c := x
		if p.sub.X == 2 {
			c = x >> 1
		} else if p.sub.X > 2 {
			c = x / p.sub.X
		}
		o[0], o[1], o[2] = color.YCbCrToRGB(l[x], cb[c], cr[c])
	}
}

// rowQueue is rows of a plane that wait for those of others.
type rowQueue struct {
	first int // number of the first
	rows  [][]byte
	spare [][]byte
}

// add keeps a row, or the one before once more where it is the same.
func (q *rowQueue) add(samples []byte) {
	if n := len(q.rows); n > 0 && bytes.Equal(q.rows[n-1], samples) {
		q.rows = append(q.rows, q.rows[n-1])
		return
	}
	var row []byte
	if n := len(q.spare); n > 0 {
		row, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	q.rows = append(q.rows, append(row[:0], samples...))
}

// at is row y, or nil where it has not come yet.
func (q *rowQueue) at(y int) []byte {
	if i := y - q.first; i >= 0 && i < len(q.rows) {
		return q.rows[i]
	}
	return nil
}

// drop lets go of the rows before y.
func (q *rowQueue) drop(y int) {
	for q.first < y && len(q.rows) > 0 {
		row := q.rows[0]
		q.rows[0] = nil
		q.rows = q.rows[1:]
		q.first++
		if len(q.rows) == 0 || &q.rows[0][0] != &row[0] {
			q.spare = append(q.spare, row)
		}
	}
}
