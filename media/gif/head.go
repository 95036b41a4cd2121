package gif

import (
	"errors"
	"image"
	"io"
)

var errCut = errors.New("the file ends before its picture data")

// input reads a file at an offset.
type input struct {
	r    io.ReaderAt
	size int64
	off  int64
	err  error // of the reader, other than its end
}

// read fills b, or reports that the file ends before.
func (in *input) read(b []byte) bool {
	if int64(len(b)) > in.size-in.off {
		return false
	}
	n, err := in.r.ReadAt(b, in.off)
	in.off += int64(n)
	if n < len(b) && err != nil && err != io.EOF {
		in.err = err
	}
	return n == len(b)
}

// readHead reads up to the picture data of the first frame.
func (d *decoder) readHead() error {
	var b [13]byte
	if !d.in.read(b[:]) || string(b[:6]) != "GIF87a" && string(b[:6]) != "GIF89a" {
		return errors.New("there is no GIF signature")
	}
	d.screen = image.Pt(le16(b[6:]), le16(b[8:]))
	d.clear, d.ends = -1, -1
	if !d.readTable(b[10]) {
		return errCut
	}
	for range mostBlocks {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if !d.in.read(b[:1]) {
			return errCut
		}
		switch b[0] {
		case ',':
			return d.readFrame()
		case '!':
			if !d.readExtension() {
				return errCut
			}
		case ';':
			return errors.New("it has no frame")
		case 0: // a terminator too many, which is common
		default:
			return errors.New("a block of an unknown kind comes before the first frame")
		}
	}
	return errors.New("there are too many blocks before the first frame")
}

// readTable reads the colour table that flags announce.
func (d *decoder) readTable(flags byte) bool {
	if flags&0x80 == 0 {
		return true
	}
	var b [3 * 256]byte
	n := 1 << (flags&7 + 1)
	if !d.in.read(b[:3*n]) {
		return false
	}
	for i := range d.colours {
		d.colours[i] = [4]byte{3: 255}
		if i < n {
			copy(d.colours[i][:3], b[3*i:])
		}
	}
	d.table = true
	return true
}

// readExtension steps over an extension, noting which colour is transparent in the frame that follows.
func (d *decoder) readExtension() bool {
	var b [255]byte
	if !d.in.read(b[:1]) {
		return false
	}
	control := b[0] == 0xf9
	for {
		if !d.in.read(b[:1]) {
			return false
		}
		n := int(b[0])
		if n == 0 {
			return true
		}
		if !control {
			d.in.off += int64(n)
			continue
		}
		if !d.in.read(b[:n]) {
			return false
		}
		if n >= 4 {
			d.clear = -1
			if b[0]&1 != 0 {
				d.clear = int(b[3])
			}
			control = false
		}
	}
}

// readFrame reads the header of the frame and settles its colours.
func (d *decoder) readFrame() error {
	var b [9]byte
	if !d.in.read(b[:]) {
		return errCut
	}
	x, y := le16(b[:]), le16(b[2:])
	d.frame = image.Rect(x, y, x+le16(b[4:]), y+le16(b[6:]))
	if d.frame.Empty() {
		return errors.New("its first frame has no pixels")
	}
	d.interlaced = b[8]&0x40 != 0
	if !d.readTable(b[8]) || !d.in.read(b[:1]) {
		return errCut
	}
	d.codeSize = int(b[0])
	if d.codeSize < 1 || d.codeSize > 8 {
		return errors.New("the size of its codes is not possible")
	}
	if !d.table {
		for i := range d.colours {
			v := byte(min(i*255/(1<<d.codeSize-1), 255))
			d.colours[i] = [4]byte{v, v, v, 255}
		}
	}
	if d.clear >= 0 {
		d.colours[d.clear] = [4]byte{}
	}
	d.data = d.in.off
	return nil
}

func le16(b []byte) int { return int(b[0]) | int(b[1])<<8 }
