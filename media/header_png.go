package media

const pngSignature = "\x89PNG\r\n\x1a\n"

// png walks the chunks up to the first IDAT. An orientation behind the picture data is found by lateOrientation.
func (p *Prober) png(h *Header) error {
	h.Format, h.Lossless = PNG, true
	b := p.win.at(8, 25)
	if b == nil || string(b[4:8]) != "IHDR" || be32(b) != 13 {
		return ErrHeader
	}
	width, height := be32(b[8:]), be32(b[12:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return ErrHeader
	}
	h.Width, h.Height, h.Depth = int(width), int(height), int(b[16])
	kind := b[17]
	h.Interlaced = b[20] != 0
	switch kind {
	case 0:
		h.Components = 1
	case 2:
		h.Components = 3
	case 3:
		h.Components, h.Palette = 1, true
	case 4:
		h.Components, h.Alpha = 2, true
	case 6:
		h.Components, h.Alpha = 4, true
	default:
		return ErrHeader
	}
	p.pngChunks(h, 33, true)
	return nil
}

// pngChunks reads what the chunks from off on say, up to the first IDAT, or to the end where stop is false.
func (p *Prober) pngChunks(h *Header, off int64, stop bool) {
	for {
		b := p.win.at(off, 12)
		if b == nil {
			return
		}
		length, data := be32(b), off+8
		switch string(b[4:8]) {
		case "IDAT":
			if stop {
				return
			}
		case "IEND":
			return
		case "tRNS":
			h.Alpha = true
		case "iCCP":
			h.Profile = true
		case "acTL":
			if c := p.win.at(data, 4); c != nil && length >= 8 {
				h.Frames = int(min(be32(c), 1<<20))
				h.Animated = h.Frames > 1
			}
		case "eXIf":
			p.orientation(h, data, length)
		}
		off = data + length + 4
	}
}
