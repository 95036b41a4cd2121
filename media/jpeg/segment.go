package jpeg

import (
	"errors"
	"fmt"
)

var (
	errCut = errors.New("the file ends inside a segment")
	errEnd = errors.New("the picture ends") // of nextScan: there is no further scan
)

// readHead reads up to the first scan and returns it.
func (d *decoder) readHead() (*scan, error) {
	if !d.in.have(2) || d.in.buf[0] != 0xff || d.in.buf[1] != markSOI {
		return nil, errors.New("there is no JPEG start marker")
	}
	d.in.pos = 2
	d.defaultCodes()
	d.conditioning = usualConditioning()
	s, err := d.nextScan()
	if err == errEnd {
		return nil, errors.New("the file ends before its picture data")
	}
	return s, err
}

// nextScan reads segments up to the header of the next scan. It returns errEnd where the picture ends.
func (d *decoder) nextScan() (*scan, error) {
	for {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		mark, stray, ok := d.in.next()
		if stray > 0 {
			d.warn("stray bytes between two segments")
		}
		if !ok {
			d.endMissing = true
			return nil, errEnd
		}
		d.in.pos += 2
		switch {
		case mark == markEOI:
			return nil, errEnd
		case mark == markSOI && d.frame.seen:
			return nil, errors.New("a second picture begins inside the first")
		case mark == markSOI:
			d.warn("the start marker is there twice")
			continue
		case mark == markTEM, mark >= markRST0 && mark <= markRST7:
			continue
		case !known(mark):
			return nil, fmt.Errorf("a marker (0x%02x) means nothing", mark)
		case opensFrame(mark) && d.frame.seen:
			return nil, errors.New("there are two frame headers")
		}
		body, err := d.body(mark)
		if err != nil {
			return nil, err
		}
		if mark == markSOS {
			return d.readScan(body)
		}
		if err := d.segment(mark, body); err != nil {
			return nil, err
		}
	}
}

// body reads a segment behind its marker. Application data, comments and a late height are tolerated with a length that is
// too small or that passes the end of the file, and are skipped where they are long.
func (d *decoder) body(mark byte) ([]byte, error) {
	skipped := mark >= markAPP0 || mark == markDNL
	if !d.in.have(2) {
		d.endMissing = true
		if skipped {
			return nil, errEnd
		}
		return nil, errCut
	}
	length := int(d.in.buf[d.in.pos])<<8 | int(d.in.buf[d.in.pos+1])
	d.in.pos += 2
	if length < 2 {
		if !skipped {
			return nil, fmt.Errorf("a segment (0x%02x) has the length %d", mark, length)
		}
		d.warn("a comment has the length %d", length)
		return nil, nil
	}
	length -= 2
	switch have := d.in.have(length); {
	case !have && skipped:
		d.in.seek(d.in.offset() + int64(length))
		return nil, nil
	case !have:
		return d.cutBody(mark, length)
	}
	b := d.in.buf[d.in.pos : d.in.pos+length]
	d.in.pos += length
	return b, nil
}

// cutBody is a segment in which the file ends, with end markers behind what there is of it: as libjpeg reads it.
func (d *decoder) cutBody(mark byte, length int) ([]byte, error) {
	d.endMissing = true
	if mark == markSOS {
		return nil, errCut
	}
	b := make([]byte, length)
	n := copy(b, d.in.buf[d.in.pos:])
	d.in.pos += n
	for i := range b[n:] {
		b[n+i] = [2]byte{0xff, markEOI}[i&1]
	}
	if d.segment(mark, b) != nil {
		return nil, errCut
	}
	return nil, errEnd
}

// segment takes what a segment says.
func (d *decoder) segment(mark byte, b []byte) error {
	switch {
	case mark == markDQT:
		return d.readQuant(b)
	case mark == markDHT:
		return d.readCodes(b)
	case mark == markDAC:
		return d.readConditioning(b)
	case mark == markDRI:
		if len(b) != 2 {
			return errors.New("the restart interval is damaged")
		}
		d.interval = int(b[0])<<8 | int(b[1])
	case mark == markAPP0:
		d.jfif = d.jfif || len(b) >= 5 && string(b[:5]) == "JFIF\x00"
	case mark == markAPPE:
		if len(b) >= 12 && string(b[:5]) == "Adobe" {
			d.adobe, d.transform = true, b[11]
		}
	case opensFrame(mark):
		return d.readFrame(mark, b)
	}
	return nil
}

// known tells markers with a meaning, and a segment behind them, from those that are reserved.
func known(mark byte) bool {
	switch {
	case mark == markJPG, mark > markDRI && mark < markAPP0:
		return false
	case mark >= markSOF0 && mark < markAPP0+16:
		return true
	}
	return mark == markCOM
}

// readConditioning reads what arithmetic coding needs, T.81 B.2.4.3.
func (d *decoder) readConditioning(b []byte) error {
	for ; len(b) >= 2; b = b[2:] {
		slot, v := b[0]&15, b[1]
		switch {
		case b[0] > 31, b[0] < 16 && v&15 > v>>4, b[0] >= 16 && (v < 1 || v > 63):
			return errors.New("arithmetic conditioning is damaged")
		case slot > 3:
			continue // no scan can use it
		case b[0] < 16:
			d.conditioning.lower[slot], d.conditioning.upper[slot] = v&15, v>>4
		default:
			d.conditioning.kx[slot] = v
		}
	}
	return nil
}

// opensFrame tells the markers of frame headers from the others in their range. markDHT is one of those.
func opensFrame(mark byte) bool {
	return mark >= markSOF0 && mark <= markSOFF && mark != markDHT && mark != markJPG && mark != markDAC
}

// readQuant reads quantisation tables, T.81 B.2.4.1.
func (d *decoder) readQuant(b []byte) error {
	for len(b) > 0 {
		wide, slot := int(b[0]>>4), int(b[0]&15)
		n := 64 * (1 + wide)
		if wide > 1 || slot > 3 || len(b) < 1+n {
			return errors.New("a quantisation table is damaged")
		}
		t := new([64]int32)
		for i := range t {
			if wide == 1 {
				t[i] = int32(b[1+2*i])<<8 | int32(b[2+2*i])
			} else {
				t[i] = int32(b[1+i])
			}
		}
		d.quant[slot] = t
		b = b[1+n:]
	}
	return nil
}

// readCodes reads Huffman tables, T.81 B.2.4.2. Whether their codes are possible is seen when a scan uses them.
func (d *decoder) readCodes(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 3 {
			return errors.New("a Huffman table is damaged")
		}
		c := new(code)
		copy(c.counts[1:], b[1:17])
		total := 0
		for _, n := range c.counts {
			total += int(n)
		}
		if total > len(c.values) || len(b) < 17+total {
			return errors.New("a Huffman table is damaged")
		}
		copy(c.values[:], b[17:17+total])
		d.huffman[b[0]>>4][b[0]&15] = c
		d.tables = true
		b = b[17+total:]
	}
	return nil
}
