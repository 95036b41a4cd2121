package media

// webp reads the first chunk for the geometry and, in the extended form, walks the rest for the coding of the
// first frame, an orientation and a profile.
func (p *Prober) webp(h *Header) error {
	h.Format, h.Components, h.Depth = WebP, 3, 8
	b := p.win.upTo(12, 18)
	if len(b) < 13 {
		return ErrHeader
	}
	if string(b[:4]) != "VP8X" {
		return p.webpFrame(h, 12)
	}
	if len(b) < 18 {
		return ErrHeader
	}
	flags := b[8]
	h.Profile, h.Alpha, h.Animated = flags&0x20 != 0, flags&0x10 != 0, flags&2 != 0
	h.Width, h.Height = le24(b[12:])+1, le24(b[15:])+1
	if h.Animated {
		h.Frames = 0
	}
	p.webpChunks(h)
	return nil
}

// webpFrame reads the geometry of the VP8 or VP8L chunk at off.
func (p *Prober) webpFrame(h *Header, off int64) error {
	b := p.win.upTo(off, 18)
	switch {
	case len(b) >= 13 && string(b[:4]) == "VP8L" && b[8] == 0x2f:
		bits := le32(b[9:])
		h.Width, h.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		h.Alpha, h.Lossless = h.Alpha || bits>>28&1 != 0, true
	case len(b) == 18 && string(b[:4]) == "VP8 " && string(b[11:14]) == "\x9d\x01\x2a":
		h.Width, h.Height = le16(b[14:])&0x3fff, le16(b[16:])&0x3fff
	default:
		return ErrHeader
	}
	return nil
}

func (p *Prober) webpChunks(h *Header) {
	off := int64(12 + 8 + 10)
	for {
		b := p.win.at(off, 8)
		if b == nil {
			return
		}
		length := le32(b[4:])
		switch string(b[:4]) {
		case "VP8L":
			h.Lossless = true
		case "ANMF":
			if c := p.win.at(off+24, 4); c != nil {
				h.Lossless = h.Lossless || string(c) == "VP8L"
			}
		case "EXIF":
			p.webpOrientation(h, off+8, length)
		}
		off += 8 + length + length&1
	}
}

// webpOrientation accepts both a bare TIFF structure and one with the JPEG prefix, which some writers keep.
func (p *Prober) webpOrientation(h *Header, off, length int64) {
	if c := p.win.at(off, 6); c != nil && string(c) == "Exif\x00\x00" {
		off, length = off+6, length-6
	}
	p.orientation(h, off, length)
}
