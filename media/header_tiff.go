package media

// EXIF metadata is a TIFF structure, so that one reader serves both.

const (
	tagWidth       = 256
	tagHeight      = 257
	tagBits        = 258
	tagOrientation = 274
	tagSamples     = 277
	tagExtra       = 338
)

// tiffView is a TIFF structure inside a file.
type tiffView struct {
	off, length int64
	little      bool
}

func (v tiffView) u16(b []byte) int {
	if v.little {
		return le16(b)
	}
	return be16(b)
}

func (v tiffView) u32(b []byte) int64 {
	if v.little {
		return le32(b)
	}
	return be32(b)
}

// openTIFF checks the byte order mark and returns the offset of the first directory; 0 is a damaged structure.
func (p *Prober) openTIFF(off, length int64) int64 {
	b := p.win.at(off, 8)
	if b == nil || length < 8 {
		return 0
	}
	p.tiff = tiffView{off: off, length: length, little: b[0] == 'I'}
	if b[0] != b[1] || b[0] != 'I' && b[0] != 'M' || p.tiff.u16(b[2:]) != 42 {
		return 0
	}
	first := p.tiff.u32(b[4:])
	if first < 8 || first > length-2 {
		return 0
	}
	return first
}

// orientation reads the EXIF orientation into h; damaged metadata leaves it upright.
func (p *Prober) orientation(h *Header, off, length int64) {
	dir := p.openTIFF(off, length)
	if dir == 0 {
		return
	}
	for i := range p.entries(dir) {
		if tag, v := p.entry(dir, i); tag == tagOrientation && v >= 1 && v <= 8 {
			h.Orientation = int(v)
			return
		}
	}
}

// entries is the number of directory entries at dir, at most 512: writers of EXIF use about 20.
func (p *Prober) entries(dir int64) int {
	b := p.win.at(p.tiff.off+dir, 2)
	if b == nil {
		return 0
	}
	return min(p.tiff.u16(b), 512)
}

// entry returns tag and first value of a SHORT or LONG entry; tag 0 where it is out of reach or of another type.
func (p *Prober) entry(dir int64, i int) (tag int, value int64) {
	at := dir + 2 + int64(12*i)
	b := p.win.at(p.tiff.off+at, 12)
	if b == nil || at+12 > p.tiff.length {
		return 0, 0
	}
	switch p.tiff.u16(b[2:]) {
	case 3:
		if p.tiff.u32(b[4:]) > 2 { // values do not fit into the entry
			return p.tiff.u16(b), 0
		}
		return p.tiff.u16(b), int64(p.tiff.u16(b[8:]))
	case 4:
		return p.tiff.u16(b), p.tiff.u32(b[8:])
	}
	return 0, 0
}

func (p *Prober) tiffFile(h *Header) error {
	h.Format, h.Lossless, h.Components, h.Depth = TIFF, true, 1, 8
	dir := p.openTIFF(0, p.win.size)
	if dir == 0 {
		return ErrHeader
	}
	for i := range p.entries(dir) {
		tag, v := p.entry(dir, i)
		switch tag {
		case tagWidth:
			h.Width = int(v)
		case tagHeight:
			h.Height = int(v)
		case tagBits:
			if v > 0 {
				h.Depth = int(v)
			}
		case tagSamples:
			h.Components = int(v)
		case tagExtra:
			h.Alpha = true
		case tagOrientation:
			if v >= 1 && v <= 8 {
				h.Orientation = int(v)
			}
		}
	}
	return nil
}

// bmp accepts only headers that make sense: text that starts with "BM" is not a picture.
func (p *Prober) bmp(h *Header) error {
	b := p.win.at(0, 30)
	if b == nil {
		return ErrNotPicture
	}
	pixels, info := le32(b[10:]), le32(b[14:])
	switch info {
	case 40, 52, 56, 64, 108, 124:
	default:
		return ErrNotPicture
	}
	if pixels < 14+info || pixels > p.win.size || le16(b[26:]) != 1 {
		return ErrNotPicture
	}
	h.Format, h.Lossless, h.Depth, h.Components = BMP, true, 8, 3
	h.Width, h.Height = int(int32(le32(b[18:]))), int(int32(le32(b[22:])))
	if h.Height < 0 && h.Height > -1<<31 { // stored from the top
		h.Height = -h.Height
	}
	switch bits := le16(b[28:]); bits {
	case 1, 4, 8:
		h.Palette, h.Components = true, 1
	case 32:
		h.Alpha = true
	}
	return nil
}
