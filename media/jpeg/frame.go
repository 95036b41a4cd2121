package jpeg

import (
	"errors"
	"fmt"
)

// frame is the picture's header.
type frame struct {
	seen          bool
	progressive   bool
	arithmetic    bool
	width, height int
	comps         []*component
	hMax, vMax    int
	across, down  int // minimum coded units of interleaved scans
}

// component is one plane as it is stored.
type component struct {
	id      byte
	h, v    int // sampling factors
	slot    byte
	quant   *[64]int32 // in zigzag order, as it was when the component's first scan began
	scanned bool

	blocksX, blocksY int // that its own samples fill
	padded           int // blocks in a row of units, those beyond the picture included

	// One row of units.
	pix    []byte // samples
	stride int
	x0, x1 int         // columns of blocks that will be delivered
	coefs  [][64]int16 // of a progressive picture, in zigzag order
	some   []uint64    // which of them are not zero
}

// readFrame reads a frame header, T.81 B.2.2.
func (d *decoder) readFrame(mark byte, b []byte) error {
	switch {
	case mark > markSOF2 && mark != markSOF9 && mark != markSOF10:
		return errors.New("its process (lossless or hierarchical) is not read")
	case len(b) < 6 || len(b) < 6+3*int(b[5]):
		return errors.New("the frame header is damaged")
	case b[0] != 8:
		return fmt.Errorf("it has %d bits a sample; only 8 are read", b[0])
	}
	f := frame{seen: true, progressive: mark == markSOF2 || mark == markSOF10, arithmetic: mark >= markSOF9, height: int(b[1])<<8 | int(b[2]), width: int(b[3])<<8 | int(b[4])}
	n := int(b[5])
	if n != 1 && n != 3 && n != 4 {
		return fmt.Errorf("it has %d colour components; 1, 3 or 4 are read", n)
	}
	for i := range n {
		s := b[6+3*i:]
		c := &component{id: s[0], h: int(s[1] >> 4), v: int(s[1] & 15), slot: s[2]}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.slot > 3 {
			return errors.New("the frame header has sampling factors or tables that do not exist")
		}
		f.comps = append(f.comps, c)
	}
	if n == 1 {
		f.comps[0].h, f.comps[0].v = 1, 1 // a single plane is never subsampled, whatever it says
	}
	d.frame = f
	return nil
}

// measure computes what follows from the size, which must be known.
func (f *frame) measure() error {
	if f.width == 0 || f.height == 0 {
		return errors.New("it has no pixels")
	}
	if int64(f.width)*int64(f.height) > maxPixels {
		return fmt.Errorf("it is %dx%d pixels, more than can be read", f.width, f.height)
	}
	f.hMax, f.vMax = 1, 1
	for _, c := range f.comps {
		f.hMax, f.vMax = max(f.hMax, c.h), max(f.vMax, c.v)
	}
	f.across, f.down = ceilDiv(f.width, 8*f.hMax), ceilDiv(f.height, 8*f.vMax)
	for _, c := range f.comps {
		c.blocksX = ceilDiv(ceilDiv(f.width*c.h, f.hMax), 8)
		c.blocksY = ceilDiv(ceilDiv(f.height*c.v, f.vMax), 8)
		c.padded = f.across * c.h
	}
	return nil
}

// rgb reports whether three components are red, green and blue. JFIF knows no such thing; Adobe says so with a marker,
// others with the letters.
func (d *decoder) rgb() bool {
	switch c := d.frame.comps; {
	case len(c) != 3 || d.jfif:
		return false
	case d.adobe:
		return d.transform == 0
	default:
		return c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B'
	}
}

// readHeight looks for the height behind the first scan, T.81 B.2.5, and returns to where it was.
func (d *decoder) readHeight() error {
	at := d.in.offset()
	defer func() { d.in.seek(at) }()
	mark, ok := d.in.skipData(d.interval > 0)
	if !ok || mark != markDNL || !d.in.have(6) {
		return errors.New("it declares no height")
	}
	b := d.in.buf[d.in.pos:]
	d.frame.height = int(b[4])<<8 | int(b[5])
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
