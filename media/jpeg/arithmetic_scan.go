package jpeg

import "math/bits"

// arithmeticLine decodes a line of units of any arithmetic scan.
func (s *scan) arithmeticLine(d *decoder, line, length int, show bool) {
	for i := range length {
		if !s.begin() {
			if show && !d.frame.progressive {
				s.gray(d, i, line)
			}
			continue
		}
		whole := true
		for j := range s.units {
			u := &s.units[j]
			if !d.frame.progressive {
				whole = s.arithmeticBlock(d, u, i*u.step+u.x, line+u.y, show && whole) && whole
				continue
			}
			at := (line+u.y)*u.c.padded + i*u.step + u.x
			whole = whole && s.arithmeticStep(u.c, &u.c.coefs[at], &u.c.some[at])
		}
		if s.any = s.arithmetic.any; !whole {
			s.bad = true
			s.lose()
		}
	}
	if s.bits.stopped && s.lost < 0 && !s.bits.have(1) {
		s.lost = s.row // behind the end of data there may be more to decode, behind that of the file there is not
	}
}

// arithmeticBlock decodes a block of a sequential scan and turns it into samples.
func (s *scan) arithmeticBlock(d *decoder, u *unitBlock, bx, by int, show bool) bool {
	c := u.c
	last, ok := 0, s.arithmeticDC(c)
	d.scratch[0] = c.before * c.quant[0]
	if ok {
		ok = s.arithmeticAC(c, 1, 63, func(k int, v int32) {
			d.scratch[zigzag[k&63]&63] = v * c.quant[k&63]
			last = k
		})
	}
	if show && bx >= c.x0 && bx < c.x1 {
		d.put(c.component, bx, by, last)
	} else {
		d.scratch = [64]int32{}
	}
	return ok
}

// arithmeticDC decodes a DC coefficient into c.before.
func (s *scan) arithmeticDC(c *scanComponent) bool {
	i := 0
	for &s.comps[i] != c {
		i++
	}
	diff, ok := s.arithmetic.difference(&s.bits, i, c.slots>>4)
	c.before += diff
	return ok
}

// arithmeticAC decodes coefficients ss to se that are not zero.
func (s *scan) arithmeticAC(c *scanComponent, ss, se int, set func(k int, v int32)) bool {
	q, table := s.arithmetic, s.arithmetic.ac[c.slots&3][:]
	for k := ss; k <= se; k++ {
		if q.decide(&s.bits, &table[3*(k-1)]) != 0 {
			return true
		}
		for q.decide(&s.bits, &table[3*(k-1)+1]) == 0 {
			if k++; k > se {
				return false
			}
		}
		v, ok := q.coefficient(&s.bits, k, c.slots)
		if !ok {
			return false
		}
		set(k, v)
	}
	return true
}

// arithmeticStep decodes what a progressive scan adds to a block.
func (s *scan) arithmeticStep(c *scanComponent, out *[64]int16, some *uint64) bool {
	switch {
	case s.ss == 0 && s.ah == 0:
		ok := s.arithmeticDC(c)
		out[0] = int16(c.before << s.al)
		*some |= 1
		return ok
	case s.ss == 0:
		out[0] |= int16(s.arithmetic.decide(&s.bits, &s.arithmetic.half) << s.al)
		*some |= 1
		return true
	case s.ah == 0:
		return s.arithmeticAC(c, s.ss, s.se, func(k int, v int32) {
			out[k&63] = int16(v << s.al)
			*some |= 1 << k
		})
	}
	return s.arithmeticRefine(c, out, some)
}

// arithmeticRefine decodes one more bit of each coefficient, T.81 G.1.3.3. Before the last that is known, a block
// cannot end.
func (s *scan) arithmeticRefine(c *scanComponent, out *[64]int16, some *uint64) bool {
	q, table := s.arithmetic, s.arithmetic.ac[c.slots&3][:]
	known := *some & (^uint64(0) >> (63 - s.se)) &^ 1
	end := 63 - bits.LeadingZeros64(known|1)
	step := int16(1) << s.al
	for k := s.ss; k <= s.se; k++ {
		if k > end && q.decide(&s.bits, &table[3*(k-1)]) != 0 {
			return true
		}
		for ; ; k++ {
			if k > s.se {
				return false
			}
			at := 3 * (k - 1)
			if known>>k&1 != 0 {
				if q.decide(&s.bits, &table[at+2]) != 0 {
					out[k&63] += step * int16(1|out[k&63]>>15)
				}
				break
			}
			if q.decide(&s.bits, &table[at+1]) != 0 {
				out[k&63] = step
				if q.decide(&s.bits, &q.half) != 0 {
					out[k&63] = -step
				}
				*some |= 1 << k
				break
			}
		}
	}
	return true
}
