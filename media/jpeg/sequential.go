package jpeg

// sequentialLine decodes a line of units and turns their blocks into samples at once.
func (s *scan) sequentialLine(d *decoder, line, length int, show bool) {
	for i := range length {
		if !s.begin() {
			if show {
				s.gray(d, i, line)
			}
			continue
		}
		for j := range s.units {
			u := &s.units[j]
			last := s.block(u.c, &d.scratch)
			if bx := i*u.step + u.x; show && bx >= u.c.x0 && bx < u.c.x1 {
				d.put(u.c.component, bx, u.y+line, last)
			} else {
				d.scratch = [64]int32{}
			}
		}
		s.end()
	}
}

// put transforms d.scratch into samples of the row of units, and clears it.
func (d *decoder) put(c *component, bx, by, last int) {
	side := 8 / d.shrink
	d.inverse(c.pix[by*side*c.stride+bx*side:], c.stride, &d.scratch, last)
	if last == 0 {
		d.scratch[0] = 0
		return
	}
	d.scratch = [64]int32{}
}

// gray fills the blocks of a unit that has no data.
func (s *scan) gray(d *decoder, i, line int) {
	for _, u := range s.units {
		if bx := i*u.step + u.x; bx >= u.c.x0 && bx < u.c.x1 {
			d.put(u.c.component, bx, u.y+line, 0)
		}
	}
}

// block decodes the coefficients of a block, T.81 F.2.2, into their places, multiplied out. It returns the index of the
// last in zigzag order.
func (s *scan) block(c *scanComponent, out *[64]int32) (last int) {
	b := &s.bits
	c.before += b.value(b.symbol(c.dc, &s.bad))
	q := c.quant
	out[0] = c.before * q[0]
	acc, n := b.acc, b.n
	t := c.ac
	for k := 1; k < 64; k++ {
		if n < minBits {
			b.acc, b.n = acc, n
			b.refill()
			acc, n = b.acc, b.n
		}
		e := t.fast[acc>>(64-fastBits)]
		if e == 0 {
			e = t.slow(acc, &s.bad)
		}
		acc <<= e & 63
		n -= uint(e & 63)
		v := int32(e) >> 16
		if v == 0 {
			size := uint(e >> sizeShift & 15)
			if size == 0 {
				if e>>runShift&15 != 15 {
					break
				}
				k += 15
				continue
			}
			v = extend(uint32(acc>>((64-size)&63)), uint32(size))
			acc <<= size & 63
			n -= size
		}
		k += int(e >> runShift & 15)
		if k > 63 {
			s.bad = true
			break
		}
		out[zigzag[k&63]&63] = v * q[k&63]
		last = k
	}
	b.acc, b.n = acc, n
	return last
}
