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
	return p.webpChunks(h)
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

// webpChunks walks the chunks behind VP8X. The one frame of a still picture must be as large as the canvas: a decoder
// allocates by the frame, the limits are judged by the canvas.
func (p *Prober) webpChunks(h *Header) error {
	framed := h.Animated
	for off := int64(12 + 8 + 10); ; {
		b := p.win.at(off, 8)
		if b == nil {
			break
		}
		length := le32(b[4:])
		switch string(b[:4]) {
		case "VP8 ", "VP8L":
			if framed {
				break
			}
			framed = true
			frame := Header{}
			if err := p.webpFrame(&frame, off); err != nil || frame.Width != h.Width || frame.Height != h.Height {
				return ErrHeader
			}
			h.Lossless = frame.Lossless
		case "ALPH":
			h.Alpha = true // whether announced or not
		case "ANMF":
			if c := p.win.at(off+24, 4); c != nil {
				h.Lossless = h.Lossless || string(c) == "VP8L"
			}
		case "EXIF":
			p.webpOrientation(h, off+8, length)
		}
		off += 8 + length + length&1
	}
	if !framed {
		return ErrHeader
	}
	return nil
}

// webpOrientation accepts both a bare TIFF structure and one with the JPEG prefix, which some writers keep.
func (p *Prober) webpOrientation(h *Header, off, length int64) {
	if c := p.win.at(off, 6); c != nil && string(c) == "Exif\x00\x00" {
		off, length = off+6, length-6
	}
	p.orientation(h, off, length)
}
