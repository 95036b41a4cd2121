package webp

import (
	"errors"
	"image"

	"espy/media/rows"
)

// output cuts the window out of a frame's rows and hands it to the sink. Where the frame leaves part of the window
// free, rows are made as long as the window: the nearest pixel goes on, transparent, so that a scaler finds no seam.
type output struct {
	sink   rows.Sink
	window image.Rectangle // on the canvas
	planes []outPlane
}

// outPlane is one plane of the window. Rectangles are in samples of the plane, on the canvas.
type outPlane struct {
	window, frame image.Rectangle
	n             int // samples a pixel
	alpha         int // which of them is alpha; -1 for none
	blank         byte
	got           int    // rows of the frame that came
	next          int    // canvas row that the sink gets next
	padded        []byte // a row as long as the window, where the frame is not
	seen          bool   // padded holds a row
}

// newOutput announces the window. The frame must lie inside the canvas; for planar layouts it begins on a whole chroma
// sample.
func newOutput(layout rows.Layout, canvas, frame, window image.Rectangle, sink rows.Sink) (*output, error) {
	if window.Empty() {
		window = canvas
	}
	if window = window.Intersect(canvas); window.Empty() {
		return nil, errors.New("the window is outside the picture")
	}
	planar := layout == rows.YCbCr || layout == rows.YCbCrA
	if planar {
		window.Min.X, window.Min.Y = window.Min.X&^1, window.Min.Y&^1
		window.Max.X, window.Max.Y = min(window.Max.X+window.Max.X&1, canvas.Max.X), min(window.Max.Y+window.Max.Y&1, canvas.Max.Y)
	}
	o := &output{sink: sink, window: window}
	switch layout {
	case rows.RGB:
		o.add(window, frame, 3, -1, 0)
	case rows.RGBA:
		o.add(window, frame, 4, 3, 0)
	default:
		o.add(window, frame, 1, -1, 0)
		o.add(halved(window), halved(frame), 1, -1, 128)
		o.add(halved(window), halved(frame), 1, -1, 128)
		if layout == rows.YCbCrA {
			o.add(window, frame, 1, 0, 0)
		}
	}
	h := rows.Header{Layout: layout, Window: window, Shrink: 1}
	for _, p := range o.planes {
		h.Planes = append(h.Planes, p.window.Size())
	}
	return o, sink.Begin(h)
}

// halved is a rectangle in chroma samples.
func halved(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.X/2, r.Min.Y/2, (r.Max.X+1)/2, (r.Max.Y+1)/2)
}

func (o *output) add(window, frame image.Rectangle, n, alpha int, blank byte) {
	p := outPlane{window: window, frame: frame, n: n, alpha: alpha, blank: blank, next: window.Min.Y}
	if !window.In(frame) {
		p.padded = make([]byte, window.Dx()*n)
		for i := range p.padded {
			p.padded[i] = blank
		}
	}
	o.planes = append(o.planes, p)
}

// rows is how many rows of the frame are wanted, from its top.
func (o *output) rows() int {
	p := &o.planes[0]
	if p.window.Intersect(p.frame).Empty() {
		return 0
	}
	return min(p.window.Max.Y, p.frame.Max.Y) - p.frame.Min.Y
}

// row takes the next row of the frame for a plane.
func (o *output) row(plane int, samples []byte) error {
	p := &o.planes[plane]
	y := p.frame.Min.Y + p.got
	p.got++
	if y < p.window.Min.Y || y >= p.window.Max.Y {
		return nil
	}
	if p.padded == nil {
		p.next++
		from := (p.window.Min.X - p.frame.Min.X) * p.n
		return o.sink.Row(plane, samples[from:from+p.window.Dx()*p.n])
	}
	first := !p.seen
	p.place(samples)
	if first {
		if err := o.free(plane, y); err != nil {
			return err
		}
		p.place(samples)
	}
	p.next++
	return o.sink.Row(plane, p.padded)
}

// place copies a row of the frame into a row of the window and goes on to both sides.
func (p *outPlane) place(samples []byte) {
	p.seen = true
	for x := p.window.Min.X; x < p.window.Max.X; x++ {
		at := min(max(x, p.frame.Min.X), p.frame.Max.X-1)
		dst := p.padded[(x-p.window.Min.X)*p.n:][:p.n]
		copy(dst, samples[(at-p.frame.Min.X)*p.n:])
		if at != x && p.alpha >= 0 {
			dst[p.alpha] = 0
		}
	}
}

// free hands out rows without the frame up to canvas row y.
func (o *output) free(plane, y int) error {
	p := &o.planes[plane]
	if p.alpha >= 0 && p.next < y {
		for i := p.alpha; i < len(p.padded); i += p.n {
			p.padded[i] = 0
		}
	}
	for ; p.next < y; p.next++ {
		if err := o.sink.Row(plane, p.padded); err != nil {
			return err
		}
	}
	return nil
}

// finish hands out what lies below the frame.
func (o *output) finish() error {
	for i := range o.planes {
		p := &o.planes[i]
		if p.padded == nil {
			continue
		}
		if err := o.free(i, p.window.Max.Y); err != nil {
			return err
		}
	}
	return nil
}
