package jpeg

import (
	"errors"
	"image"
	"image/color"

	"espy/media/rows"
)

// plane is a component on its way to the sink.
type plane struct {
	c       *component
	stepX   int             // pixels a sample stands for, before the picture is shrunk
	stepY   int             //
	at      image.Rectangle // what is delivered, in samples of the shrunk plane
	columns []int32         // where a component is spread over all pixels: the stored sample of each
	spread  []byte
}

// rowLines is how many lines of the delivered picture a row of units has.
func (d *decoder) rowLines() int { return d.frame.vMax * 8 / d.shrink }

// lastLine is the line of the delivered picture at which the window ends.
func (d *decoder) lastLine() int { return ceilDiv(d.window.Max.Y, d.shrink) }

// place settles what will be delivered: size, layout, planes, window; and allocates a row of units.
func (d *decoder) place(opt rows.Options) error {
	f := &d.frame
	if f.height == 0 {
		if err := d.readHeight(); err != nil {
			return err
		}
	}
	if err := f.measure(); err != nil {
		return err
	}
	d.shrink, d.inverse = 1, inverse8
	switch {
	case opt.Shrink >= 8:
		d.shrink, d.inverse = 8, inverse1
	case opt.Shrink >= 4:
		d.shrink, d.inverse = 4, inverse2
	case opt.Shrink >= 2:
		d.shrink, d.inverse = 2, inverse4
	}
	d.choosePlanes()
	d.window = image.Rect(0, 0, f.width, f.height)
	if !opt.Window.Empty() {
		d.window = opt.Window.Intersect(d.window)
	}
	if d.window.Empty() {
		return errors.New("the window is outside the picture")
	}
	d.widen()
	for i := range d.planes {
		d.planes[i].place(d)
	}
	if d.layout == rows.RGB {
		d.packed = make([]byte, 3*d.planes[0].at.Dx())
	}
	return nil
}

// choosePlanes decides which components go out as they are stored. Those of packed layouts do not; of YCbCr those whose
// samples stand for a whole number of pixels do, except brightness where it has fewer samples than pixels.
func (d *decoder) choosePlanes() {
	f := &d.frame
	switch {
	case len(f.comps) == 1:
		d.layout = rows.Gray
	case len(f.comps) == 3 && !d.rgb():
		d.layout = rows.YCbCr
	default:
		d.layout = rows.RGB
	}
	for i, c := range f.comps {
		p := plane{c: c, stepX: 1, stepY: 1}
		if d.layout == rows.YCbCr && i > 0 && f.hMax%c.h == 0 && f.vMax%c.v == 0 {
			p.stepX, p.stepY = f.hMax/c.h, f.vMax/c.v
		}
		d.planes = append(d.planes, p)
	}
}

// widen extends the window to whole samples of every plane.
func (d *decoder) widen() {
	x, y := d.shrink, d.shrink
	for _, p := range d.planes {
		x, y = commonMultiple(x, p.stepX*d.shrink), commonMultiple(y, p.stepY*d.shrink)
	}
	w := &d.window
	w.Min.X, w.Min.Y = w.Min.X/x*x, w.Min.Y/y*y
	w.Max.X, w.Max.Y = min(ceilDiv(w.Max.X, x)*x, d.frame.width), min(ceilDiv(w.Max.Y, y)*y, d.frame.height)
}

func commonMultiple(a, b int) int {
	for m := a; ; m += a {
		if m%b == 0 {
			return m
		}
	}
}

// place finds the plane's part of the window and the blocks it needs.
func (p *plane) place(d *decoder) {
	c, f, x, y := p.c, &d.frame, p.stepX*d.shrink, p.stepY*d.shrink
	p.at = image.Rect(d.window.Min.X/x, d.window.Min.Y/y, ceilDiv(d.window.Max.X, x), ceilDiv(d.window.Max.Y, y))
	first, last := p.at.Min.X, p.at.Max.X-1
	if c.h*p.stepX != f.hMax {
		p.columns = make([]int32, p.at.Dx())
		for i := range p.columns {
			p.columns[i] = int32((2*(p.at.Min.X+i) + 1) * c.h / (2 * f.hMax))
		}
		p.spread = make([]byte, p.at.Dx())
		first, last = int(p.columns[0]), int(p.columns[len(p.columns)-1])
	}
	side := 8 / d.shrink
	c.x0, c.x1 = first/side, last/side+1
	c.stride = c.padded * side
	c.pix = make([]byte, c.stride*c.v*side)
	for i := range c.pix {
		c.pix[i] = 128
	}
	if f.progressive {
		c.coefs = make([][64]int16, c.padded*c.v)
		c.some = make([]uint64, c.padded*c.v)
	}
}

// line is the plane's samples on a line of the current row of units.
func (p *plane) line(y int, f *frame) []byte {
	stored := p.c.pix[(2*y+1)*p.c.v*p.stepY/(2*f.vMax)*p.c.stride:]
	if p.columns == nil {
		return stored[p.at.Min.X:p.at.Max.X]
	}
	for i, x := range p.columns {
		p.spread[i] = stored[x]
	}
	return p.spread
}

func (d *decoder) head() rows.Header {
	h := rows.Header{Layout: d.layout, Window: d.window, Shrink: d.shrink}
	if d.layout == rows.RGB {
		h.Planes = []image.Point{d.planes[0].at.Size()}
		return h
	}
	for _, p := range d.planes {
		h.Planes = append(h.Planes, p.at.Size())
	}
	return h
}

// deliver hands a row of units on.
func (d *decoder) deliver(row int) error {
	if d.layout == rows.RGB {
		return d.deliverPixels(row)
	}
	for i := range d.planes {
		p := &d.planes[i]
		lines := d.rowLines() / p.stepY
		for y := max(row*lines, p.at.Min.Y); y < min((row+1)*lines, p.at.Max.Y); y++ {
			if err := d.sink.Row(i, p.line(y-row*lines, &d.frame)); err != nil {
				return err
			}
		}
	}
	return nil
}

// deliverPixels puts planes together into red, green and blue.
func (d *decoder) deliverPixels(row int) error {
	lines, at := d.rowLines(), d.planes[0].at
	for y := max(row*lines, at.Min.Y); y < min((row+1)*lines, at.Max.Y); y++ {
		var l [4][]byte
		for i := range d.planes {
			l[i] = d.planes[i].line(y-row*lines, &d.frame)
		}
		if l[3] == nil {
			for i := range l[0] {
				d.packed[3*i], d.packed[3*i+1], d.packed[3*i+2] = l[0][i], l[1][i], l[2][i]
			}
		} else {
			d.mixInks(l)
		}
		if err := d.sink.Row(0, d.packed); err != nil {
			return err
		}
	}
	return nil
}

// mixInks turns a line of CMYK, or of YCCK, into d.packed. Adobe stores inks inverted, and the colour of YCCK is that of
// the inverted inks: turned into red, green and blue it is cyan, magenta and yellow upright.
func (d *decoder) mixInks(l [4][]byte) {
	flip := byte(0)
	if d.adobe {
		flip = 255
	}
	ycck := d.adobe && d.transform != 0
	for i := range l[0] {
		c, m, y, k := l[0][i], l[1][i], l[2][i], l[3][i]^flip
		if ycck {
			c, m, y = color.YCbCrToRGB(c, m, y)
		} else {
			c, m, y = c^flip, m^flip, y^flip
		}
		d.packed[3*i], d.packed[3*i+1], d.packed[3*i+2] = color.CMYKToRGB(c, m, y, k)
	}
}
