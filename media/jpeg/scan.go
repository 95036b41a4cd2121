package jpeg

import (
	"errors"
	"fmt"
)

// scan is one pass over the picture: of some components, and of a progressive picture, of some coefficients.
type scan struct {
	bits     bitReader
	comps    []scanComponent
	units    []unitBlock
	ss, se   int  // coefficients, in zigzag order
	ah, al   uint // bits of them that are known, and that are left open
	interval int  // units between restart markers; 0 is none
	left     int  // units before the next
	rst      byte // number of the next
	run      int  // blocks still to come that end early
	dead     bool // there is no data before the next restart marker
	any      bool // a unit was read
	bad      bool // there were bits that are no code
	stray    int  // bytes passed over
	lost     int  // first row of units with missing data, or -1
	row      int  // being read

	arithmetic *arithmetic // nil where codes are Huffman's
}

type scanComponent struct {
	*component
	dc, ac *table
	slots  byte  // of statistics, where coding is arithmetic
	before int32 // DC coefficient of the block before
}

// unitBlock is a block of a unit: that of unit i is at column i*step+x.
type unitBlock struct {
	c          *scanComponent
	x, y, step int
}

// readScan reads a scan header, T.81 B.2.3. The entropy-coded data begins where the input then stands.
func (d *decoder) readScan(b []byte) (*scan, error) {
	if !d.frame.seen {
		return nil, errors.New("a scan begins before the frame header")
	}
	if len(b) < 4 || int(b[0]) < 1 || int(b[0]) > len(d.frame.comps) || len(b) < 4+2*int(b[0]) {
		return nil, errors.New("a scan header is damaged")
	}
	n := int(b[0])
	tail := b[1+2*n:]
	s := &scan{ss: int(tail[0]), se: int(tail[1]), ah: uint(tail[2] >> 4), al: uint(tail[2] & 15), interval: d.interval, left: d.interval, lost: -1}
	if err := d.checkProgress(s, n); err != nil {
		return nil, err
	}
	if d.frame.arithmetic {
		s.arithmetic = &arithmetic{conditioning: d.conditioning}
	}
	for i := range n {
		c := d.find(s, b[1+2*i])
		if c == nil {
			return nil, fmt.Errorf("a scan is of a component (%d) that there is not, or not in this place", b[1+2*i])
		}
		if err := d.join(s, c, b[2+2*i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkProgress judges the selection of coefficients, T.81 G.1.1.1. Sequential scans are of all, whatever they say.
func (d *decoder) checkProgress(s *scan, comps int) error {
	if !d.frame.progressive {
		s.ss, s.se, s.ah, s.al = 0, 63, 0, 0
		return nil
	}
	dc := s.ss == 0 && s.se == 0
	ac := s.ss > 0 && s.ss <= s.se && s.se < 64 && comps == 1
	if !dc && !ac || s.al > 13 || s.ah != 0 && s.ah != s.al+1 {
		return fmt.Errorf("a scan is of coefficients %d to %d, bits %d to %d, which cannot be", s.ss, s.se, s.ah, s.al)
	}
	return nil
}

// find looks a component up by its name. Where two have the same, the one that had no scan yet is meant. Scans name
// components in the order of the frame, T.81 B.2.3, so that the first ones cannot be meant any more.
func (d *decoder) find(s *scan, id byte) *component {
	var found *component
	for _, c := range d.frame.comps[min(len(s.comps), len(d.frame.comps)):] {
		used := false
		for _, o := range s.comps {
			used = used || o.component == c
		}
		if c.id == id && !used && (found == nil || found.scanned && !c.scanned) {
			found = c
		}
	}
	return found
}

// join takes a component into a scan with the tables as they are now.
func (d *decoder) join(s *scan, c *component, slots byte) (err error) {
	if !c.scanned {
		if c.quant = d.quant[c.slot]; c.quant == nil {
			return fmt.Errorf("quantisation table %d is missing", c.slot)
		}
		c.scanned = true
	}
	m := scanComponent{component: c, slots: slots}
	if s.arithmetic != nil {
		if slots&0xcc != 0 {
			return errors.New("a scan is of statistics that there cannot be")
		}
		s.comps = append(s.comps, m)
		return nil
	}
	if s.ss == 0 && s.ah == 0 {
		if m.dc, err = d.ready(0, slots>>4); err != nil {
			return err
		}
	}
	if s.se > 0 {
		if m.ac, err = d.ready(1, slots&15); err != nil {
			return err
		}
	}
	s.comps = append(s.comps, m)
	return nil
}

func (d *decoder) ready(class int, slot byte) (*table, error) {
	if slot > 3 || d.huffman[class][slot] == nil {
		return nil, fmt.Errorf("code table %d is missing", slot)
	}
	return newTable(d.huffman[class][slot], class == 0)
}

// lay lists the blocks of a unit. A scan of one component has units of one block and leaves out what lies beyond it.
func (s *scan) lay() {
	if len(s.comps) == 1 {
		s.units = []unitBlock{{c: &s.comps[0], step: 1}}
		return
	}
	for i := range s.comps {
		c := &s.comps[i]
		for y := range c.v {
			for x := range c.h {
				s.units = append(s.units, unitBlock{c, x, y, c.h})
			}
		}
	}
}

// listScans finds where the scans begin. The first was read; a picture whose first scan holds everything needs no
// search. The file may end anywhere.
func (d *decoder) listScans(s *scan) error {
	if !d.tables && !d.frame.arithmetic {
		d.warn("the code tables are missing; the usual ones were taken")
	}
	d.oneScan = !d.frame.progressive && len(s.comps) == len(d.frame.comps)
	for s != nil {
		s.lay()
		if d.oneScan {
			s.bits.input = d.in
			d.scans = append(d.scans, s)
			return nil
		}
		if s.ss <= d.lastNeeded() {
			s.bits.input = newInput(d.in.r, d.in.size, d.in.offset(), scanBytes)
			d.scans = append(d.scans, s)
		}
		if len(d.scans) == maxScans {
			d.warn("there are more than %d scans; the others were left out", maxScans)
			return nil
		}
		d.in.skipData(d.interval > 0)
		var err error
		if s, err = d.nextScan(); err != nil {
			return d.endOf(err)
		}
	}
	return nil
}

// lastNeeded is the last coefficient, in zigzag order, that the transform in use reads.
func (d *decoder) lastNeeded() int {
	switch d.shrink {
	case 2:
		return lastOfHalf
	case 4:
		return lastOfQuarter
	case 8:
		return lastOfEighth
	}
	return 63
}

// readRow decodes what the scan holds of a row of the frame's units.
func (s *scan) readRow(d *decoder, row int, show bool) {
	lines, length := 1, d.frame.across
	if len(s.comps) == 1 {
		c := s.comps[0].component
		lines, length = min(c.v, c.blocksY-row*c.v), c.blocksX
	}
	s.row = row
	if s.arithmetic != nil && row == 0 {
		s.arithmetic.begin(&s.bits)
	}
	for line := range lines {
		switch {
		case s.arithmetic != nil:
			s.arithmeticLine(d, line, length, show)
		case !d.frame.progressive:
			s.sequentialLine(d, line, length, show)
		case s.ss == 0:
			s.dcLine(line, length)
		case s.ah == 0:
			s.acLine(line, length)
		default:
			s.refineLine(line, length)
		}
	}
}

// begin steps over a restart marker where one is due, and reports whether the next unit has data.
func (s *scan) begin() bool {
	if s.interval > 0 {
		if s.left == 0 {
			s.restart()
		}
		s.left--
	}
	return !s.dead
}

// end looks after a unit whether its data was there.
func (s *scan) end() {
	if s.bits.pad > 0 && s.bits.short() {
		s.lose()
		return
	}
	s.any = true
}

func (s *scan) lose() {
	s.dead = true
	if s.lost < 0 {
		s.lost = s.row
	}
}

// restart begins an interval, T.81 F.2.2.5. Where another marker than the expected one is found, it is judged whether
// it is late or early: data from before is passed over, a marker of what is still to come is left for its turn.
func (s *scan) restart() {
	s.bits.restart()
	s.left, s.run = s.interval, 0
	for i := range s.comps {
		s.comps[i].before = 0
	}
	want := s.rst
	s.rst = (s.rst + 1) & 7
	for {
		mark, stray, ok := s.bits.next()
		s.stray += stray
		if !ok || mark > markRST7 {
			s.lose()
			return
		}
		ahead := (mark - markRST0 - want) & 7
		if mark >= markRST0 && (ahead == 1 || ahead == 2) {
			s.lose()
			return
		}
		s.bits.pos += 2
		if mark >= markRST0 && ahead < 6 {
			s.dead = false
			if s.arithmetic != nil {
				s.arithmetic.begin(&s.bits)
			}
			return
		}
		if mark >= markSOF0 && mark < markRST0 {
			s.bits.pos -= 2
			s.lose()
			return
		}
		s.stray += 2
	}
}
