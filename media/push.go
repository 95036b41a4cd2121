package media

import (
	"context"
	"image"
	"image/color"

	"espy/media/rows"
)

// pushImage hands a whole picture over as rows. canvas is the picture in the coordinates of m: what m does not cover
// is transparent. With limited, brightness is 16 to 235 as WebP stores it, and is put right: no Go decoder does that,
// so that white would come out gray.
func pushImage(ctx context.Context, m image.Image, canvas image.Rectangle, limited bool, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	if m.Bounds().Empty() || canvas.Empty() {
		return rows.Result{}, errNoPixels
	}
	window := image.Rectangle{Max: canvas.Size()}
	if !opt.Window.Empty() {
		window = opt.Window.Intersect(window)
	}
	p := pusher{ctx: ctx, sink: sink, origin: canvas.Min, window: window}
	if limited {
		p.luma, p.chroma = &fullLuma, &fullChroma
	}
	var err error
	covered := canvas == m.Bounds()
	switch m := m.(type) {
	case *image.Gray:
		err = p.gray(m, covered)
	case *image.YCbCr:
		err = p.planar(m, nil, covered)
	case *image.NYCbCrA:
		err = p.planar(&m.YCbCr, m, covered)
	default:
		err = p.packed(m, covered)
	}
	return rows.Result{Window: p.window, Shrink: 1}, err
}

type pusher struct {
	ctx          context.Context
	sink         rows.Sink
	origin       image.Point     // of the canvas, in the picture's coordinates
	window       image.Rectangle // in the canvas
	luma, chroma *[256]byte
}

// limitedToFull builds the table from BT.601 limited range to full range: span steps from low on.
func limitedToFull(low, span, centre int) (t [256]byte) {
	for i := range t {
		v := (float64(i-low)*255)/float64(span) + float64(centre)
		t[i] = byte(min(max(v+0.5, 0), 255))
	}
	return t
}

var (
	fullLuma   = limitedToFull(16, 219, 0)
	fullChroma = limitedToFull(128, 224, 128)
)

func (p *pusher) begin(layout rows.Layout, planes ...image.Point) error {
	return p.sink.Begin(rows.Header{Layout: layout, Planes: planes, Window: p.window, Shrink: 1})
}

// at is the window in the picture's coordinates.
func (p *pusher) at() image.Rectangle { return p.window.Add(p.origin) }

func (p *pusher) gray(m *image.Gray, covered bool) error {
	if !covered {
		return p.packed(m, false)
	}
	if err := p.begin(rows.Gray, p.window.Size()); err != nil {
		return err
	}
	w := p.at()
	for y := w.Min.Y; y < w.Max.Y; y++ {
		if err := p.row(0, m.Pix[m.PixOffset(w.Min.X, y):][:w.Dx()], nil); err != nil {
			return err
		}
	}
	return nil
}

// row pushes one row through a table, where there is one.
func (p *pusher) row(plane int, samples []byte, table *[256]byte) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if table != nil {
		mapped := make([]byte, len(samples))
		for i, v := range samples {
			mapped[i] = table[v]
		}
		samples = mapped
	}
	return p.sink.Row(plane, samples)
}

// planar widens the window to whole chroma samples and pushes the planes, brightness and chroma in step.
func (p *pusher) planar(m *image.YCbCr, alpha *image.NYCbCrA, covered bool) error {
	if !covered || m.Rect.Min != (image.Point{}) {
		if alpha != nil {
			return p.packed(alpha, covered)
		}
		return p.packed(m, covered)
	}
	sx, sy := chromaSteps(m.SubsampleRatio)
	w := p.window
	w.Min.X, w.Min.Y = w.Min.X/sx*sx, w.Min.Y/sy*sy
	w.Max.X, w.Max.Y = min(ceilDiv(w.Max.X, sx)*sx, m.Rect.Max.X), min(ceilDiv(w.Max.Y, sy)*sy, m.Rect.Max.Y)
	p.window = w
	part := image.Pt(ceilDiv(w.Dx(), sx), ceilDiv(w.Dy(), sy))
	var err error
	if alpha != nil {
		err = p.begin(rows.YCbCrA, w.Size(), part, part, w.Size())
	} else {
		err = p.begin(rows.YCbCr, w.Size(), part, part)
	}
	for y := w.Min.Y; y < w.Max.Y && err == nil; y++ {
		err = p.row(0, m.Y[m.YOffset(w.Min.X, y):][:w.Dx()], p.luma)
		if alpha != nil && err == nil {
			err = p.row(3, alpha.A[alpha.AOffset(w.Min.X, y):][:w.Dx()], nil)
		}
		if y%sy != 0 || err != nil {
			continue
		}
		at := m.COffset(w.Min.X, y)
		if err = p.row(1, m.Cb[at:][:part.X], p.chroma); err == nil {
			err = p.row(2, m.Cr[at:][:part.X], p.chroma)
		}
	}
	return err
}

func chromaSteps(r image.YCbCrSubsampleRatio) (x, y int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// packed pushes any picture as RGB, or as RGBA where something may be transparent.
func (p *pusher) packed(m image.Image, covered bool) error {
	layout, n := rows.RGBA, 4
	if covered && samplesIn(m) == 3 {
		layout, n = rows.RGB, 3
	}
	if err := p.begin(layout, p.window.Size()); err != nil {
		return err
	}
	pixel := p.pixels(m)
	w := p.at()
	row := make([]byte, w.Dx()*n)
	for y := w.Min.Y; y < w.Max.Y; y++ {
		for x := w.Min.X; x < w.Max.X; x++ {
			var c color.NRGBA
			if (image.Point{X: x, Y: y}).In(m.Bounds()) {
				c = pixel(x, y)
			}
			o := row[(x-w.Min.X)*n:]
			o[0], o[1], o[2] = c.R, c.G, c.B
			if n == 4 {
				o[3] = c.A
			}
		}
		if err := p.row(0, row, nil); err != nil {
			return err
		}
	}
	return nil
}

// pixels reads single pixels without allocating for the types that library decoders return.
func (p *pusher) pixels(m image.Image) func(x, y int) color.NRGBA {
	switch m := m.(type) {
	case *image.NRGBA:
		return m.NRGBAAt
	case *image.Paletted:
		var table [256]color.NRGBA
		for i, c := range m.Palette[:min(len(m.Palette), 256)] {
			table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		return func(x, y int) color.NRGBA { return table[m.ColorIndexAt(x, y)] }
	case *image.CMYK:
		return func(x, y int) color.NRGBA {
			c := m.CMYKAt(x, y)
			r, g, b := color.CMYKToRGB(c.C, c.M, c.Y, c.K)
			return color.NRGBA{R: r, G: g, B: b, A: 255}
		}
	case *image.YCbCr:
		return func(x, y int) color.NRGBA { return p.full(m.YCbCrAt(x, y), 255) }
	case *image.NYCbCrA:
		return func(x, y int) color.NRGBA {
			c := m.NYCbCrAAt(x, y)
			return p.full(c.YCbCr, c.A)
		}
	}
	return func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA) }
}

func (p *pusher) full(c color.YCbCr, alpha byte) color.NRGBA {
	if p.luma != nil {
		c = color.YCbCr{Y: p.luma[c.Y], Cb: p.chroma[c.Cb], Cr: p.chroma[c.Cr]}
	}
	r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
	return color.NRGBA{R: r, G: g, B: b, A: alpha}
}
