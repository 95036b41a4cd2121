package png

// colours is what a first look at a picture finds.
type colours struct {
	gray, opaque bool
	flat         float64 // share of pixels equal to their left neighbour, in a sample of rows
	n            int     // colours, 0 where there are more than 256
	slots        [tableSize]slot
}

// The colours are kept in a table with open addressing, at a quarter of its size at most.
const (
	tableBits = 10
	tableSize = 1 << tableBits
	mostColor = 256
)

type slot struct {
	colour uint32 // RGBA
	index  uint16 // 1 and up; 0 is a free slot
}

// survey looks at every pixel once.
func survey(p Picture) *colours {
	c := &colours{gray: true, opaque: true}
	counting, equal, seen := true, 0, 0
	last := uint32(0)
	first := true
	for y := range p.Height {
		row := p.Row(y)
		sample := y%flatEvery == 0
		for x := range p.Width {
			v := pixel(row, x, p.Samples)
			if sample && x > 0 {
				seen++
				if v == last {
					equal++
				}
			}
			if v == last && !first {
				continue
			}
			last, first = v, false
			r, g, b := byte(v>>24), byte(v>>16), byte(v>>8)
			c.gray = c.gray && r == g && g == b
			c.opaque = c.opaque && byte(v) == 255
			if counting && c.add(v) == 0 {
				counting = false
			}
		}
	}
	if !counting {
		c.n = 0
	}
	c.flat = 1
	if seen > 0 {
		c.flat = float64(equal) / float64(seen)
	}
	return c
}

// Flatness is the share of pixels equal to their left neighbour, measured on every 16th row; 1 for a picture one
// pixel wide. Screens are above 0.4, photographs below 0.1.
func Flatness(p Picture) float64 {
	equal, seen := 0, 0
	for y := 0; y < p.Height; y += flatEvery {
		row := p.Row(y)
		for x := 1; x < p.Width; x++ {
			seen++
			if pixel(row, x, p.Samples) == pixel(row, x-1, p.Samples) {
				equal++
			}
		}
	}
	if seen == 0 {
		return 1
	}
	return float64(equal) / float64(seen)
}

func pixel(row []byte, x, samples int) uint32 {
	switch samples {
	case 1:
		v := uint32(row[x])
		return v<<24 | v<<16 | v<<8 | 255
	case 3:
		b := row[3*x : 3*x+3 : 3*x+3]
		return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | 255
	}
	b := row[4*x : 4*x+4 : 4*x+4]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// add returns the number of a colour, from 1, giving it one if it is new; 0 where the table is full.
func (c *colours) add(v uint32) int {
	for i := v * 0x9e3779b1 >> (32 - tableBits); ; i = (i + 1) % tableSize {
		s := &c.slots[i]
		if s.index == 0 {
			if c.n == mostColor {
				return 0
			}
			c.n++
			*s = slot{v, uint16(c.n)}
			return c.n
		}
		if s.colour == v {
			return int(s.index)
		}
	}
}

// list is the colours by number.
func (c *colours) list() []uint32 {
	list := make([]uint32, c.n)
	for _, s := range c.slots {
		if s.index > 0 {
			list[s.index-1] = s.colour
		}
	}
	return list
}

// packer turns a row of samples into a row as it is stored.
type packer func(e *encoder, out, row []byte)

func packIndexed(e *encoder, out, row []byte) {
	clear(out)
	last, index := ^pixel(row, 0, e.p.Samples), 0
	for x := range e.p.Width {
		if v := pixel(row, x, e.p.Samples); v != last {
			last, index = v, e.s.add(v)-1
		}
		at := x * e.depth
		out[at>>3] |= byte(index << (8 - e.depth - at&7))
	}
}

func packGray(e *encoder, out, row []byte) {
	for x := range e.p.Width {
		out[x] = row[x*e.p.Samples]
	}
}

func packGrayAlpha(e *encoder, out, row []byte) {
	for x := range e.p.Width {
		out[2*x], out[2*x+1] = row[4*x], row[4*x+3]
	}
}

func packRGB(e *encoder, out, row []byte) {
	if e.p.Samples == 3 {
		copy(out, row)
		return
	}
	for x := range e.p.Width {
		copy(out[3*x:3*x+3], row[4*x:4*x+3])
	}
}

func packRGBA(_ *encoder, out, row []byte) { copy(out, row) }

// filters holds a row in its five filtered forms.
type filters struct {
	bpp      int
	cur, old []byte
	forms    [5][]byte // filter byte and row
}

func newFilters(size, bpp int) *filters {
	f := &filters{bpp: bpp, cur: make([]byte, size), old: make([]byte, size)}
	for i := range f.forms {
		f.forms[i] = make([]byte, 1+size)
		f.forms[i][0] = byte(i)
	}
	return f
}

// row is where the next row goes.
func (f *filters) row() []byte {
	f.cur, f.old = f.old, f.cur
	return f.cur
}

// best is the row as it is written: unfiltered, or in the form with the smallest sum of differences.
func (f *filters) best(filtered bool) []byte {
	if !filtered {
		copy(f.forms[filterNone][1:], f.cur)
		return f.forms[filterNone]
	}
	f.apply()
	best, least := 0, 1<<62
	for i, form := range f.forms {
		sum := 0
		for _, b := range form[1:] {
			sum += abs(int(int8(b)))
			if sum >= least {
				break
			}
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return f.forms[best]
}

func (f *filters) apply() {
	none, sub, up := f.forms[filterNone][1:], f.forms[filterSub][1:], f.forms[filterUp][1:]
	average, paeth := f.forms[filterAverage][1:], f.forms[filterPaeth][1:]
	copy(none, f.cur)
	for i, v := range f.cur {
		above, left, corner := f.old[i], byte(0), byte(0)
		if i >= f.bpp {
			left, corner = f.cur[i-f.bpp], f.old[i-f.bpp]
		}
		sub[i], up[i] = v-left, v-above
		average[i] = v - byte((int(left)+int(above))/2)
		paeth[i] = v - predict(left, above, corner)
	}
}

func predict(left, above, corner byte) byte {
	a, b, c := int(left), int(above), int(corner)
	pa, pb := abs(b-c), abs(a-c)
	pc := abs(a + b - 2*c)
	switch {
	case pa <= pb && pa <= pc:
		return left
	case pb <= pc:
		return above
	}
	return corner
}
