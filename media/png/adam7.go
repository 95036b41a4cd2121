package png

// The seven passes of an interlaced picture: where each begins and how far apart its pixels are.
var adam7 = [7]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// passSize is how many pixels and rows pass i has.
func (d *decoder) passSize(i int) (w, h int) {
	p := adam7[i]
	w, h = (d.width-p.x+p.dx-1)/p.dx, (d.height-p.y+p.dy-1)/p.dy
	if w <= 0 || h <= 0 {
		return 0, 0
	}
	return w, h
}

// passBytes is the length of pass i in the inflated data.
func (d *decoder) passBytes(i int) int64 {
	w, h := d.passSize(i)
	if w == 0 {
		return 0
	}
	return int64(h) * int64(1+d.rowBytes(w))
}

// readInterlaced pushes the rows of an interlaced picture, all passes in step.
func (d *decoder) readInterlaced() error {
	var passes [7]*pass
	row := make([]byte, d.width*d.samples)
	part := make([]byte, d.width*d.samples)
	last := d.lastPass()
	for y := range d.window.Max.Y {
		if y%ctxRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		for i, p := range adam7 {
			w, _ := d.passSize(i)
			if w == 0 || y < p.y || (y-p.y)%p.dy != 0 {
				continue
			}
			if passes[i] == nil {
				var err error
				if passes[i], err = d.openPass(i, i == last); err != nil {
					return err
				}
			}
			raw, err := passes[i].next()
			if err != nil {
				return d.cut(y, err)
			}
			if y >= d.window.Min.Y {
				spread(row, d.expand(d, part, raw, 0, w), d.samples, p.x, p.dx)
			}
		}
		if y < d.window.Min.Y {
			continue
		}
		if err := d.sink.Row(0, row[d.window.Min.X*d.samples:d.window.Max.X*d.samples]); err != nil {
			return err
		}
	}
	if d.window.Max.Y < d.height {
		return nil
	}
	return d.finish(passes[last].in)
}

// lastPass is the last pass that has pixels: its inflater reads everything and so checks everything.
func (d *decoder) lastPass() int {
	last := 0
	for i := range adam7 {
		if w, _ := d.passSize(i); w > 0 {
			last = i
		}
	}
	return last
}

func (d *decoder) openPass(i int, check bool) (*pass, error) {
	in, err := d.open(check)
	if err != nil {
		return nil, d.cut(0, err)
	}
	var before int64
	for j := range i {
		before += d.passBytes(j)
	}
	if err := in.skip(d.ctx, before); err != nil {
		if d.ctx.Err() != nil {
			return nil, d.ctx.Err()
		}
		return nil, d.cut(adam7[i].y, err)
	}
	w, _ := d.passSize(i)
	return newPass(in, d.rowBytes(w), d.bpp()), nil
}

// spread places the pixels of a pass into a row, from x on, dx apart.
func spread(row, part []byte, samples, x, dx int) {
	step := dx * samples
	at := x * samples
	for i := 0; i < len(part); i += samples {
		copy(row[at:at+samples], part[i:i+samples])
		at += step
	}
}
