package webp

// Alphabets of the five codes of a group.
const (
	greens        = 256 // then lengths, then colours of the cache
	lengthCodes   = 24
	distanceCodes = 40
)

// group is the five prefix codes that hold for a part of the picture.
type group struct {
	green, red, blue, alpha, distance code
	literal                           uint32 // red, blue and alpha where all three are single symbols
	flat                              bool   // they are
}

// lengthOrder is the order in which the lengths of the code for lengths are stored.
var lengthOrder = [19]uint8{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// codeReader reads codes from a stream.
type codeReader struct {
	br      *bitReader
	builder codeBuilder
	lengths [2328]uint8
}

// group reads the five codes of a group; with skip they are checked and not kept.
func (r *codeReader) group(cacheColours int, skip bool) (*group, error) {
	g := &group{}
	for i, c := range [5]*code{&g.green, &g.red, &g.blue, &g.alpha, &g.distance} {
		n := 256
		switch i {
		case 0:
			n = greens + lengthCodes + cacheColours
		case 4:
			n = distanceCodes
		}
		if err := r.code(c, n, skip); err != nil {
			return nil, err
		}
	}
	if skip {
		return nil, r.br.overrun()
	}
	red, one := g.red.single()
	blue, two := g.blue.single()
	alpha, three := g.alpha.single()
	g.flat = one && two && three
	g.literal = alpha<<24 | red<<16 | blue
	return g, r.br.overrun()
}

// code reads one code over an alphabet of n symbols.
func (r *codeReader) code(c *code, n int, skip bool) (err error) {
	if r.br.read(1) == 1 {
		return r.simple(c, n, skip)
	}
	if err := r.readLengths(n); err != nil {
		return err
	}
	if skip {
		_, err = countLengths(r.lengths[:n])
		return err
	}
	*c, err = r.builder.build(r.lengths[:n])
	return err
}

// simple reads a code of one or two symbols that are named.
func (r *codeReader) simple(c *code, n int, skip bool) (err error) {
	two := r.br.read(1) == 1
	first := int(r.br.read(1 + 7*uint(r.br.read(1))))
	second := first
	if two {
		second = int(r.br.read(8))
	}
	if first >= n || second >= n {
		return errCode
	}
	if skip {
		return nil
	}
	if first == second {
		*c, err = r.builder.one(first)
		return err
	}
	clear(r.lengths[:n])
	r.lengths[first], r.lengths[second] = 1, 1
	*c, err = r.builder.build(r.lengths[:n])
	return err
}

// readLengths reads the lengths of n symbols, which are coded themselves.
func (r *codeReader) readLengths(n int) error {
	var of [19]uint8
	stored := 4 + int(r.br.read(4))
	if stored > len(lengthOrder) {
		return errCode
	}
	for _, symbol := range lengthOrder[:stored] {
		of[symbol] = uint8(r.br.read(3))
	}
	c, err := r.builder.scratch(of[:])
	if err != nil {
		return err
	}
	left := n // symbols of the code for lengths still to be read
	if r.br.read(1) == 1 {
		k := 2 + 2*uint(r.br.read(3))
		if left = 2 + int(r.br.read(k)); left > n {
			return errCode
		}
	}
	return r.expand(&c, r.lengths[:n], left)
}

// expand reads lengths and runs of them into dst, with at most left symbols.
func (r *codeReader) expand(c *code, dst []uint8, left int) error {
	clear(dst)
	last := uint8(8) // by the specification, where a run comes first
	for i := 0; i < len(dst) && left > 0; left-- {
		r.br.fill()
		symbol := c.symbol(r.br)
		if symbol < 16 {
			if dst[i] = uint8(symbol); symbol != 0 {
				last = uint8(symbol)
			}
			i++
			continue
		}
		value, run := uint8(0), 0
		switch symbol {
		case 16:
			value, run = last, 3+int(r.br.read(2))
		case 17:
			run = 3 + int(r.br.read(3))
		default:
			run = 11 + int(r.br.read(7))
		}
		if run > len(dst)-i {
			return errCode
		}
		for ; run > 0; run-- {
			dst[i] = value
			i++
		}
	}
	return r.br.overrun()
}
