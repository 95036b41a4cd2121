package jpeg

import "math/bits"

// dcLine decodes the DC coefficients of a line of units, T.81 G.1.2.1, or one more bit of them.
func (s *scan) dcLine(line, length int) {
	for i := range length {
		if !s.begin() {
			if s.interval == 0 {
				return
			}
			continue
		}
		for j := range s.units {
			u := &s.units[j]
			at := (line+u.y)*u.c.padded + i*u.step + u.x
			u.c.some[at] |= 1
			if s.ah == 0 {
				u.c.before += s.bits.value(s.bits.symbol(u.c.dc, &s.bad))
				u.c.coefs[at][0] = int16(u.c.before << s.al)
			} else {
				u.c.coefs[at][0] |= int16(s.bits.take(1) << s.al)
			}
		}
		s.end()
	}
}

// acLine decodes other coefficients of a line of blocks for the first time, T.81 G.1.2.2.
func (s *scan) acLine(line, length int) {
	c := &s.comps[0]
	at := line * c.padded
	for i := 0; i < length; i++ {
		if !s.begin() {
			if s.interval == 0 {
				return
			}
			continue
		}
		if s.run > 0 {
			s.run--
			if s.interval == 0 { // the whole run at once
				n := min(s.run, length-1-i)
				i += n
				s.run -= n
			}
			continue
		}
		s.first(c, &c.coefs[at+i], &c.some[at+i])
		s.end()
	}
}

// first decodes the coefficients of one block.
func (s *scan) first(c *scanComponent, out *[64]int16, some *uint64) {
	for k := s.ss; k <= s.se; k++ {
		e := s.bits.symbol(c.ac, &s.bad)
		run := int(e >> runShift & 15)
		v := s.bits.value(e)
		if v == 0 {
			if run < 15 {
				s.run = s.endRun(run) - 1
				return
			}
			k += 15
			continue
		}
		if k += run; k > s.se {
			s.bad = true
			return
		}
		out[k&63] = int16(v << s.al)
		*some |= 1 << k
	}
}

// endRun is how many blocks end with the current one, this included.
func (s *scan) endRun(size int) int {
	n := 1 << size
	if size > 0 {
		n += int(s.bits.take(uint(size)))
	}
	return n
}

// refineLine decodes one more bit of the coefficients of a line of blocks, T.81 G.1.2.3.
func (s *scan) refineLine(line, length int) {
	c := &s.comps[0]
	at := line * c.padded
	band := ^uint64(0) << s.ss & (^uint64(0) >> (63 - s.se))
	for i := range length {
		if !s.begin() {
			if s.interval == 0 {
				return
			}
			continue
		}
		block, some := &c.coefs[at+i], &c.some[at+i]
		if s.run > 0 {
			s.run--
			if known := *some & band; known != 0 {
				s.correct(block, known)
				s.end()
			}
			continue
		}
		s.refine(c, block, some)
		s.end()
	}
}

// refine decodes one block: new coefficients of one bit, and between them a bit for each that is known.
func (s *scan) refine(c *scanComponent, out *[64]int16, some *uint64) {
	known := *some
	for k := s.ss; k <= s.se; k++ {
		e := s.bits.symbol(c.ac, &s.bad)
		run := int(e >> runShift & 15)
		v := s.bits.value(e)
		if v == 0 && run < 15 {
			s.run = s.endRun(run) - 1
			s.correct(out, known&(^uint64(0)<<k)&(^uint64(0)>>(63-s.se)))
			return
		}
		for ; k <= s.se; k++ {
			if known>>k&1 != 0 {
				s.correct(out, 1<<k)
			} else if run == 0 {
				break
			} else {
				run--
			}
		}
		if v == 0 || k > s.se {
			continue
		}
		out[k&63] = 1 << s.al
		if v < 0 {
			out[k&63] = -1 << s.al
		}
		*some |= 1 << k
	}
}

// correct reads a bit for each of the known coefficients and moves those with a one away from zero.
func (s *scan) correct(out *[64]int16, known uint64) {
	for ; known != 0; known &= known - 1 {
		if s.bits.take(1) == 0 {
			continue
		}
		k := bits.TrailingZeros64(known) & 63
		switch step := int16(1) << s.al; {
		case out[k]&step != 0: // a damaged file says it twice
		case out[k] >= 0:
			out[k] += step
		default:
			out[k] -= step
		}
	}
}

// transformRow turns the coefficients of a row of units into samples, once all scans have added theirs, and clears them.
func (d *decoder) transformRow(show bool) {
	for _, c := range d.frame.comps {
		for i, some := range c.some {
			by, bx := i/c.padded, i%c.padded
			if show && bx >= c.x0 && bx < c.x1 {
				last := 0
				for m := some; m != 0; m &= m - 1 {
					last = bits.TrailingZeros64(m) & 63
					d.scratch[zigzag[last]&63] = int32(c.coefs[i][last]) * c.quant[last]
				}
				d.put(c, bx, by, last)
			}
			if some != 0 {
				c.coefs[i] = [64]int16{}
				c.some[i] = 0
			}
		}
	}
}
