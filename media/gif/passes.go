package gif

// pass reads the rows of a frame from first on, each step rows apart.
type pass struct {
	unpacker    *unpacker
	first, step int
	next        int // the row it will read next
}

// interlace is the order of rows in an interlaced frame, GIF89a appendix E.
var interlace = [4]pass{{first: 0, step: 8}, {first: 4, step: 8}, {first: 2, step: 4}, {first: 1, step: 2}}

// open starts an unpacker for each pass and moves it to the pass's first row.
func (d *decoder) open() error {
	d.line = make([]byte, d.frame.Dx())
	start := d.in
	start.off = d.data
	d.passes = []pass{{step: 1}}
	if d.interlaced {
		d.passes = append([]pass{}, interlace[:]...)
	}
	before := 0 // rows in the passes before
	for i := range d.passes {
		p := &d.passes[i]
		if p.next = p.first; p.first >= d.frame.Dy() {
			continue
		}
		p.unpacker = newUnpacker(blocks{input: start, buf: make([]byte, 0, inputBytes)}, d.codeSize)
		if err := d.skip(p, before); err != nil {
			return err
		}
		before += (d.frame.Dy() - p.first + p.step - 1) / p.step
	}
	return d.skipAbove()
}

// skipAbove moves every pass to its first row in the window.
func (d *decoder) skipAbove() error {
	top := d.window.Min.Y + d.canvas.Min.Y - d.frame.Min.Y
	for i := range d.passes {
		p := &d.passes[i]
		for p.unpacker != nil && p.next < min(top, d.frame.Dy()) {
			if err := d.skip(p, 1); err != nil {
				return err
			}
			p.next += p.step
		}
	}
	return nil
}

// empty reports that data were looked for and not found.
func (d *decoder) empty() bool { return d.passes[0].unpacker.ended && !d.passes[0].unpacker.any }

// skip unpacks rows that are not wanted.
func (d *decoder) skip(p *pass, rows int) error {
	for i := range rows {
		if i%ctxRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if p.unpacker.ended && len(p.unpacker.left) == 0 {
			break
		}
		p.unpacker.skip(len(d.line))
	}
	return p.unpacker.err
}

// readLine reads row y of the frame into d.line and returns how much of it was there. Rows come in order. Of an
// interlaced frame that ends too early, what is missing is what stands above it.
func (d *decoder) readLine(y int) (there int, err error) {
	for i := range d.passes {
		p := &d.passes[i]
		if p.next != y {
			continue
		}
		p.next += p.step
		n := p.unpacker.read(d.line)
		if p.unpacker.err != nil {
			return 0, p.unpacker.err
		}
		if n == len(d.line) {
			return n, nil
		}
		if d.ends < 0 {
			d.ends = y
		}
		if d.interlaced && y > 0 {
			return len(d.line), nil
		}
		return n, nil
	}
	return 0, nil
}
