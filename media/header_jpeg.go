package media

// strayBytes is how much rubbish between two JPEG segments is stepped over, as every viewer does.
const strayBytes = 1024

// jpeg walks the segments up to the first scan, skipping what they hold.
func (p *Prober) jpeg(h *Header) error {
	h.Format = JPEG
	off, exif := int64(2), false
	for stray := 0; stray < strayBytes; {
		b := p.win.at(off, 2)
		if b == nil {
			break
		}
		if b[0] != 0xff || b[1] == 0xff || b[1] == 0 {
			off++
			if b[0] != 0xff || b[1] == 0 {
				stray++
			}
			continue
		}
		marker := b[1]
		off += 2
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 {
			continue
		}
		if marker == 0xd9 || marker == 0xda {
			break
		}
		b = p.win.at(off, 2)
		if b == nil {
			break
		}
		length := int64(be16(b))
		switch {
		case isFrame(marker):
			if h.Components != 0 || !p.jpegFrame(h, marker, off, length) {
				return ErrHeader
			}
		case marker == 0xe1 && !exif && length > 8:
			if c := p.win.at(off+2, 6); c != nil && string(c) == "Exif\x00\x00" {
				exif = true
				p.orientation(h, off+8, length-8)
			}
		case marker == 0xe2 && length > 16:
			if c := p.win.at(off+2, 12); c != nil && string(c) == "ICC_PROFILE\x00" {
				h.Profile = true
			}
		}
		off += max(length, 2)
	}
	if h.Components == 0 {
		return ErrHeader
	}
	return nil
}

// isFrame tells the markers that open a frame from the tables that share their range (DHT, JPG, DAC).
func isFrame(m byte) bool { return m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc }

func (p *Prober) jpegFrame(h *Header, marker byte, off, length int64) bool {
	b := p.win.at(off, 8)
	if b == nil {
		return false
	}
	n := int(b[7])
	h.coding, h.Depth, h.Height, h.Width = marker&15, int(b[2]), be16(b[3:]), be16(b[5:])
	if n == 0 || n > 4 || length < int64(8+3*n) {
		return false
	}
	h.Components = n
	h.Arithmetic = h.coding >= 9
	h.Progressive = h.coding&3 == 2
	h.Lossless = h.coding&3 == 3
	b = p.win.at(off+8, 3*n)
	if b == nil {
		return false
	}
	for i := range n {
		h.Sampling[i] = [2]uint8{b[3*i+1] >> 4, b[3*i+1] & 15}
	}
	return true
}
