package jpeg

// arithmetic decodes what is coded with adapting probabilities, T.81 annex D, with the statistics of F.1.4 and G.1.3.
// Nobody's camera writes such pictures; libraries and optimising tools can.
type arithmetic struct {
	c, a  uint32 // code register and interval
	count int    // shifts before the next byte
	any   bool   // there were data
	dc    [4][64]state
	ac    [4][256]state
	half  state
	last  [4]int // of each component of the scan: the statistics that the last DC difference selects

	conditioning
}

// conditioning is what a file may choose about the statistics, T.81 B.2.4.3, for each table.
type conditioning struct {
	lower, upper [4]uint8 // of DC differences: up to where they are zero, and up to where small
	kx           [4]uint8 // the coefficient from which on magnitudes have statistics of their own
}

func usualConditioning() conditioning {
	return conditioning{upper: [4]uint8{1, 1, 1, 1}, kx: [4]uint8{5, 5, 5, 5}}
}

// state is an index into estimates, and in its highest bit the symbol that is more likely.
type state uint8

// Places in the statistics of a table.
const (
	dcMagnitudes = 20  // of DC differences from 2 on
	acLow        = 189 // of coefficients up to kx
	acHigh       = 217 // of the others
	toBits       = 14  // from the place where a magnitude ended to that of its bits
)

// begin forgets all statistics and fills the code register.
func (q *arithmetic) begin(b *bitReader) {
	q.dc, q.ac, q.last, q.half = [4][64]state{}, [4][256]state{}, [4]int{}, even
	q.a, q.c, q.count = 0x10000, 0, 0
	for range 2 {
		q.c = (q.c | q.byte(b)) << 8
	}
}

// byte is the next byte in place; behind the end of the data there are zeros.
func (q *arithmetic) byte(b *bitReader) uint32 {
	c, ok := b.data()
	q.any = q.any || ok
	return uint32(c) << 8
}

// decide decodes one decision, T.81 D.2.
func (q *arithmetic) decide(b *bitReader, s *state) int {
	e := &estimates[*s&127]
	size := uint32(e.size)
	likely := *s >> 7
	q.a -= size
	if q.c>>16 < q.a {
		if q.a >= 0x8000 {
			return int(likely)
		}
		if q.a >= size {
			return q.settle(b, s, e, likely, true)
		}
		return q.settle(b, s, e, likely, false)
	}
	q.c -= q.a << 16
	more := q.a < size
	q.a = size
	return q.settle(b, s, e, likely, more)
}

// settle moves a state by what was decided and widens the interval again.
func (q *arithmetic) settle(b *bitReader, s *state, e *estimate, likely state, more bool) int {
	symbol := likely
	if more {
		*s = state(e.more) | likely<<7
	} else {
		symbol ^= 1
		*s = state(e.less) | (likely^state(e.swap))<<7
	}
	for q.a < 0x8000 {
		if q.count == 0 {
			q.c += q.byte(b)
			q.count = 8
		}
		q.a <<= 1
		q.c <<= 1
		q.count--
	}
	return int(symbol)
}

// magnitude decodes a value less 1 that is at least 2 less 1: where it ends, its bits follow. It reports false where it
// never ends.
func (q *arithmetic) magnitude(b *bitReader, table []state, at int, value int32) (int32, int, bool) {
	for q.decide(b, &table[at]) != 0 {
		if value <<= 1; value == 0x8000 {
			return 0, at, false
		}
		at++
	}
	return value, at, true
}

// bits decodes the bits of a value below its highest.
func (q *arithmetic) bits(b *bitReader, s *state, value int32) int32 {
	v := value
	for m := value >> 1; m != 0; m >>= 1 {
		if q.decide(b, s) != 0 {
			v |= m
		}
	}
	return v
}

// difference decodes a DC difference of component i, T.81 F.1.4.1.
func (q *arithmetic) difference(b *bitReader, i int, slot byte) (int32, bool) {
	table := q.dc[slot&3][:]
	at := q.last[i]
	q.last[i] = 0
	if q.decide(b, &table[at]) == 0 {
		return 0, true
	}
	sign := q.decide(b, &table[at+1])
	at += 2 + sign
	value := int32(q.decide(b, &table[at]))
	if value != 0 {
		var ok bool
		if value, at, ok = q.magnitude(b, table, dcMagnitudes, value); !ok {
			return 0, false
		}
	}
	switch {
	case value < 1<<q.lower[slot&3]>>1:
	case value > 1<<q.upper[slot&3]>>1:
		q.last[i] = 12 + 4*sign
	default:
		q.last[i] = 4 + 4*sign
	}
	if value != 0 {
		value = q.bits(b, &table[at+toBits], value)
	}
	if sign != 0 {
		return -value - 1, true
	}
	return value + 1, true
}

// coefficient decodes a coefficient that is not zero, k-th in zigzag order, T.81 F.1.4.2.
func (q *arithmetic) coefficient(b *bitReader, k int, slot byte) (int32, bool) {
	table := q.ac[slot&3][:]
	sign := q.decide(b, &q.half)
	at := 3*(k-1) + 2
	value := int32(q.decide(b, &table[at]))
	if value != 0 && q.decide(b, &table[at]) != 0 {
		at = acHigh
		if k <= int(q.kx[slot&3]) {
			at = acLow
		}
		var ok bool
		if value, at, ok = q.magnitude(b, table, at, value<<1); !ok {
			return 0, false
		}
		value = q.bits(b, &table[at+toBits], value)
	}
	if sign != 0 {
		return -value - 1, true
	}
	return value + 1, true
}
