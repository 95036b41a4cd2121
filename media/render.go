package media

import (
	"errors"
	"image"
	"math"

	"espy/media/rows"
)

// renderer is the sink between a decoder and the canvas: it hides what is to be redacted, cuts the wanted window
// out of what the decoder delivers, and scales each plane on its own.
type renderer struct {
	full   image.Rectangle   // the whole picture, stored pixels; empty does not bind
	want   image.Rectangle   // stored pixels
	redact []image.Rectangle // stored pixels
	side   int               // longest side of the result, px
	budget int64             // bytes of the result
	turn   bool              // rows and columns of the result are exchanged
	whole  bool              // chroma is wanted at full size

	canvas *canvas
	planes []renderPlane
	limit  bool // the budget, not the side, bound the result
}

// renderPlane is one plane of the source.
type renderPlane struct {
	scaler *planeScaler
	src    image.Point
	n      int
	y      int
	origin image.Point // stored pixels
	step   float64     // stored pixels a sample, horizontally
	stepY  float64
	black  []byte // a pixel's samples where it is hidden
	spare  []byte
}

// Begin chooses the size of the result and places every plane.
func (r *renderer) Begin(h rows.Header) error {
	window := h.Window
	if window.Empty() {
		window = r.want
	}
	if !r.want.In(window) || len(h.Planes) == 0 || h.Planes[0].X <= 0 || h.Planes[0].Y <= 0 {
		return errors.New("the decoder delivers another part than was asked for")
	}
	if h.Layout == rows.YCbCrA {
		return errors.New("a planar picture with alpha must be packed first")
	}
	if !r.full.Empty() && !window.In(r.full) {
		return errTwoSizes
	}
	shrink := max(h.Shrink, 1)
	size := r.resultSize(h.Layout)
	r.canvas = &canvas{layout: h.Layout, size: size}
	if r.turn {
		r.canvas.size = image.Pt(size.Y, size.X)
	}
	for i, src := range h.Planes {
		subX, subY := 1.0, 1.0
		out := size
		if i == 1 || i == 2 {
			subX, subY = subsampling(h.Planes[0].X, src.X), subsampling(h.Planes[0].Y, src.Y)
			if !r.whole && h.Layout == rows.YCbCr {
				out = image.Pt((size.X+1)/2, (size.Y+1)/2)
			}
		}
		p := renderPlane{src: src, n: samplesOf(h.Layout), origin: window.Min, step: subX * float64(shrink), stepY: subY * float64(shrink)}
		p.black = blackOf(h.Layout, i)
		dst := newTarget(out.X, out.Y, p.n, r.turn)
		half := func(full, got int) float64 { // luma pixels one result sample stands for
			if got < full {
				return 2
			}
			return 1
		}
		g := geometry{
			ratioX:  float64(r.want.Dx()) / float64(size.X) * half(size.X, out.X) / p.step,
			ratioY:  float64(r.want.Dy()) / float64(size.Y) * half(size.Y, out.Y) / p.stepY,
			offsetX: float64(r.want.Min.X-window.Min.X) / p.step,
			offsetY: float64(r.want.Min.Y-window.Min.Y) / p.stepY, averaged: shrink > 1,
		}
		p.scaler = newPlaneScaler(src.X, src.Y, dst, g, h.Layout == rows.RGBA)
		r.canvas.planes = append(r.canvas.planes, dst.held())
		r.planes = append(r.planes, p)
	}
	return nil
}

// subsampling is how many pixels a chroma sample stands for: the number whose rounding up gave the plane's size. A
// plane of a pixel or two fits several; then the usual one is meant.
func subsampling(full, part int) float64 {
	for _, n := range []int{1, 2, 4, 3} {
		if ceilDiv(full, n) == part {
			return float64(n)
		}
	}
	return max(1, float64(full)/float64(max(part, 1)))
}

// resultSize fits the wanted window into the longest side and the memory for results.
func (r *renderer) resultSize(layout rows.Layout) image.Point {
	size := fitSide(r.want.Size(), r.side)
	per := bytesPerPixel(layout, r.whole)
	if need, budget := float64(size.X)*float64(size.Y)*per, float64(r.budget); need > budget {
		r.limit = true
		size = fitSide(size, max(1, int(float64(max(size.X, size.Y))*math.Sqrt(budget/need))))
	}
	return size
}

// bytesPerPixel is what a result of this layout takes.
func bytesPerPixel(layout rows.Layout, whole bool) float64 {
	switch layout {
	case rows.Gray:
		return 1
	case rows.RGB:
		return 3
	case rows.RGBA:
		return 4
	}
	if whole {
		return 6
	}
	return 1.5
}

// fitSide shrinks a size to a longest side; it never enlarges.
func fitSide(size image.Point, side int) image.Point {
	long := max(size.X, size.Y)
	if side <= 0 || long <= side {
		return size
	}
	return image.Pt(scaled(size.X, side, long), scaled(size.Y, side, long))
}

func blackOf(layout rows.Layout, plane int) []byte {
	switch {
	case layout == rows.RGBA:
		return []byte{0, 0, 0, 255}
	case layout == rows.RGB:
		return []byte{0, 0, 0}
	case plane == 1 || plane == 2:
		return []byte{128}
	}
	return []byte{0}
}

// Row hides what is to be hidden in a row and scales it.
func (r *renderer) Row(plane int, samples []byte) error {
	if plane < 0 || plane >= len(r.planes) {
		return errors.New("the decoder delivers a plane it did not announce")
	}
	p := &r.planes[plane]
	if p.y >= p.src.Y || len(samples) != p.src.X*p.n {
		return errors.New("the decoder delivers more than it announced")
	}
	if len(r.redact) > 0 {
		samples = p.hide(samples, r.redact)
	}
	p.y++
	p.scaler.push(samples)
	return nil
}

// hide returns the row with every sample black that shares area with a redaction. The decoder's row is not touched:
// it may still need it.
func (p *renderPlane) hide(samples []byte, redact []image.Rectangle) []byte {
	top := float64(p.origin.Y) + float64(p.y)*p.stepY
	copied := false
	for _, rect := range redact {
		if top+p.stepY <= float64(rect.Min.Y) || top >= float64(rect.Max.Y) {
			continue
		}
		from := clampInt(int(math.Floor(float64(rect.Min.X-p.origin.X)/p.step)), 0, p.src.X)
		to := clampInt(int(math.Ceil(float64(rect.Max.X-p.origin.X)/p.step)), 0, p.src.X)
		if from >= to {
			continue
		}
		if !copied {
			p.spare = append(p.spare[:0], samples...)
			samples, copied = p.spare, true
		}
		for x := from; x < to; x++ {
			copy(samples[x*p.n:], p.black)
		}
	}
	return samples
}

// complete reports whether every row that was announced came.
func (r *renderer) complete() bool {
	for _, p := range r.planes {
		if p.y < p.src.Y {
			return false
		}
	}
	return r.canvas != nil
}
