package media

import "image"

// gif reads the screen and the first frame. A canvas that is declared empty or beyond the limits while the first
// frame is not is corrected to the frame, as viewers do; a frame that reaches out of the canvas widens it.
func (p *Prober) gif(h *Header) error {
	h.Format, h.Lossless, h.Palette, h.Components, h.Depth, h.Frames = GIF, true, true, 1, 8, 0
	b := p.win.at(0, 13)
	if b == nil {
		return ErrHeader
	}
	h.Width, h.Height = le16(b[6:]), le16(b[8:])
	off := int64(13)
	if b[10]&0x80 != 0 {
		off += 3 << (b[10]&7 + 1)
	}
	frames := 0
	for {
		b = p.win.at(off, 1)
		if b == nil {
			break
		}
		switch b[0] {
		case ',':
			frames++
			if frames > 1 {
				h.Animated = true
			} else if !p.gifFrame(h, off) {
				return ErrHeader
			}
			off = p.gifSkipFrame(off)
		case '!':
			p.gifExtension(h, off)
			off = p.gifSkip(off + 2)
		case ';':
			h.Frames = frames
			off = -1
		default:
			off = -1
		}
		if off < 0 {
			break
		}
	}
	if h.Frame.Empty() && h.Width == 0 {
		return ErrHeader
	}
	return nil
}

func (p *Prober) gifFrame(h *Header, off int64) bool {
	b := p.win.at(off, 10)
	if b == nil {
		return h.Width > 0
	}
	x, y := le16(b[1:]), le16(b[3:])
	h.Frame = image.Rect(x, y, x+le16(b[5:]), y+le16(b[7:]))
	h.Interlaced = b[9]&0x40 != 0
	h.Width, h.Height = gifCanvas(h.Width, h.Height, h.Frame)
	return true
}

// gifCanvas is the picture's size for a declared screen and a first frame.
func gifCanvas(width, height int, frame image.Rectangle) (int, int) {
	if frame.Empty() {
		return width, height
	}
	w, ht := max(width, frame.Max.X), max(height, frame.Max.Y)
	if fits(w, ht) && width > 0 && height > 0 || !fits(frame.Dx(), frame.Dy()) {
		return w, ht
	}
	return frame.Dx(), frame.Dy()
}

func fits(w, h int) bool {
	return w <= MaxImageDimension && h <= MaxImageDimension && int64(w)*int64(h) <= MaxImagePixels
}

// gifSkipFrame returns the offset behind the frame at off, or -1.
func (p *Prober) gifSkipFrame(off int64) int64 {
	b := p.win.at(off, 10)
	if b == nil {
		return -1
	}
	off += 10
	if b[9]&0x80 != 0 {
		off += 3 << (b[9]&7 + 1)
	}
	return p.gifSkip(off + 1)
}

// gifSkip returns the offset behind the data blocks at off, or -1 where they do not end within the budget.
func (p *Prober) gifSkip(off int64) int64 {
	for {
		b := p.win.at(off, 1)
		if b == nil {
			return -1
		}
		off += 1 + int64(b[0])
		if b[0] == 0 {
			return off
		}
	}
}

func (p *Prober) gifExtension(h *Header, off int64) {
	b := p.win.at(off, 8)
	if b == nil {
		return
	}
	switch b[1] {
	case 0xf9:
		if b[2] >= 4 && b[3]&1 != 0 {
			h.Alpha = true
		}
	case 0xff:
		if c := p.win.at(off+3, 11); c != nil && string(c) == "NETSCAPE2.0" {
			h.Animated = true
		}
	}
}
