package media

import (
	"image"
	"image/color"

	"espy/media/png"
	"espy/media/rows"
)

// plane is one plane of a picture that is held: the scaled result, never the source.
type plane struct {
	w, h, n int // n samples a pixel
	pix     []byte
}

func newPlane(w, h, n int) plane { return plane{w, h, n, make([]byte, w*h*n)} }

func (p plane) row(y int) []byte { return p.pix[y*p.w*p.n : (y+1)*p.w*p.n] }

// canvas is the scaled picture. Its planar layouts are 4:2:0, or 4:4:4 where pixels will be wanted whole.
type canvas struct {
	layout rows.Layout
	size   image.Point
	planes []plane
}

// samplesOf is how many samples a pixel of a plane of this layout has.
func samplesOf(l rows.Layout) int {
	switch l {
	case rows.RGB:
		return 3
	case rows.RGBA:
		return 4
	}
	return 1
}

// mirrored returns the picture as an orientation asks for it, once rows and columns were exchanged where it is 5 or more.
func (c *canvas) mirrored(orientation int) *canvas {
	mirrorX, mirrorY := mirrors(orientation)
	for _, p := range c.planes {
		if mirrorX {
			flipRows(p)
		}
		if mirrorY {
			flipColumns(p)
		}
	}
	return c
}

// mirrors says what an orientation asks for, after transposing where it is 5 or more: left for right, top for bottom.
func mirrors(orientation int) (x, y bool) {
	switch orientation {
	case 2, 6:
		return true, false
	case 3, 7:
		return true, true
	case 4, 8:
		return false, true
	}
	return false, false
}

// storedRect maps a rectangle of the upright picture to stored pixels. width and height are the stored picture's.
func storedRect(r image.Rectangle, orientation, width, height int) image.Rectangle {
	if orientation >= 5 {
		width, height = height, width
	}
	mirrorX, mirrorY := mirrors(orientation)
	if mirrorX {
		r.Min.X, r.Max.X = width-r.Max.X, width-r.Min.X
	}
	if mirrorY {
		r.Min.Y, r.Max.Y = height-r.Max.Y, height-r.Min.Y
	}
	if orientation >= 5 {
		r.Min.X, r.Min.Y, r.Max.X, r.Max.Y = r.Min.Y, r.Min.X, r.Max.Y, r.Max.X
	}
	return r
}

func flipRows(p plane) {
	for y := range p.h {
		row := p.row(y)
		for i, j := 0, (p.w-1)*p.n; i < j; i, j = i+p.n, j-p.n {
			for k := range p.n {
				row[i+k], row[j+k] = row[j+k], row[i+k]
			}
		}
	}
}

func flipColumns(p plane) {
	spare := make([]byte, p.w*p.n)
	for i, j := 0, p.h-1; i < j; i, j = i+1, j-1 {
		copy(spare, p.row(i))
		copy(p.row(i), p.row(j))
		copy(p.row(j), spare)
	}
}

// packed returns the picture as Gray, RGB or RGBA. Its chroma must be whole.
func (c *canvas) packed() *canvas {
	if c.layout != rows.YCbCr {
		return c
	}
	out := newPlane(c.size.X, c.size.Y, 3)
	for y := range c.size.Y {
		row := out.row(y)
		for x := range c.size.X {
			at := y*c.size.X + x
			o := row[3*x : 3*x+3 : 3*x+3]
			o[0], o[1], o[2] = color.YCbCrToRGB(c.planes[0].pix[at], c.planes[1].pix[at], c.planes[2].pix[at])
		}
	}
	return &canvas{rows.RGB, c.size, []plane{out}}
}

// transparent reports whether any pixel is not opaque.
func (c *canvas) transparent() bool {
	if c.layout != rows.RGBA {
		return false
	}
	pix := c.planes[0].pix
	for i := 3; i < len(pix); i += 4 {
		if pix[i] != 255 {
			return true
		}
	}
	return false
}

// picture is the canvas as the PNG encoder reads it.
func (c *canvas) picture() png.Picture {
	p := c.planes[0]
	return png.Picture{Width: p.w, Height: p.h, Samples: p.n, Row: p.row}
}

// subsampled turns packed pixels into 4:2:0 planes for JPEG, laying transparency on white. Brightness overwrites the
// pixels it came from, so that no second copy is needed; c must not be used afterwards.
func (c *canvas) subsampled() *canvas {
	if c.layout != rows.RGB && c.layout != rows.RGBA {
		return c
	}
	p := c.planes[0]
	luma := plane{p.w, p.h, 1, p.pix[: p.w*p.h : p.w*p.h]}
	cb, cr := newPlane((p.w+1)/2, (p.h+1)/2, 1), newPlane((p.w+1)/2, (p.h+1)/2, 1)
	sums := make([]int32, 2*cb.w)
	for y := range p.h {
		row, out := p.row(y), luma.row(y)
		for x := range p.w {
			r, g, b := onWhite(row[x*p.n : (x+1)*p.n])
			yy, u, v := color.RGBToYCbCr(r, g, b)
			out[x] = yy
			sums[x&^1] += int32(u)
			sums[x|1] += int32(v)
		}
		if y&1 == 1 || y == p.h-1 {
			averageChroma(cb.row(y/2), cr.row(y/2), sums, p.w, 1+y&1)
		}
	}
	return &canvas{rows.YCbCr, c.size, []plane{luma, cb, cr}}
}

// averageChroma ends a row of chroma that was summed over the given number of rows, and clears the sums.
func averageChroma(cb, cr []byte, sums []int32, width, height int) {
	for x := range cb {
		n := int32(height)
		if 2*x+1 < width {
			n *= 2
		}
		cb[x], cr[x] = byte((sums[2*x]+n/2)/n), byte((sums[2*x+1]+n/2)/n)
	}
	clear(sums)
}

// onWhite is a pixel of 3 or 4 samples without transparency.
func onWhite(s []byte) (r, g, b byte) {
	if len(s) < 4 || s[3] == 255 {
		return s[0], s[1], s[2]
	}
	a := int(s[3])
	over := func(v byte) byte { return byte((int(v)*a + 255*(255-a) + 127) / 255) }
	return over(s[0]), over(s[1]), over(s[2])
}

// padded returns the picture enlarged to at least side by side with white at the right and below, so that
// coordinates stay what they were.
func (c *canvas) padded(side int) *canvas {
	out := &canvas{layout: c.layout, size: image.Pt(max(c.size.X, side), max(c.size.Y, side))}
	for i, p := range c.planes {
		w, h, fill := out.size.X, out.size.Y, byte(255)
		if i == 1 || i == 2 {
			fill = 128
			if p.w < c.size.X || p.h < c.size.Y {
				w, h = (w+1)/2, (h+1)/2
			}
		}
		q := newPlane(w, h, p.n)
		for j := range q.pix {
			q.pix[j] = fill
		}
		for y := range min(p.h, q.h) {
			copy(q.row(y), p.row(y)[:min(p.w, q.w)*p.n])
		}
		out.planes = append(out.planes, q)
	}
	return out
}
