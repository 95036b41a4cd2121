package png

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const signature = "\x89PNG\r\n\x1a\n"

// chunks reads chunk headers and short chunks at offsets.
type chunks struct {
	r    io.ReaderAt
	size int64
	buf  []byte // for checksums
}

// chunk is one chunk's place in the file.
type chunk struct {
	kind   string
	data   int64 // offset
	length int64
}

func (c chunk) next() int64 { return c.data + c.length + 4 }

// at reads the chunk header at off.
func (c *chunks) at(off int64) (chunk, error) {
	var b [8]byte
	if off < 0 || off > c.size-8 {
		return chunk{}, io.ErrUnexpectedEOF
	}
	if err := readFull(c.r, b[:], off); err != nil {
		return chunk{}, err
	}
	length := int64(binary.BigEndian.Uint32(b[:]))
	if length > 1<<31-1 {
		return chunk{}, fmt.Errorf("a chunk of %d bytes is declared", length)
	}
	for _, l := range b[4:] {
		if l|0x20 < 'a' || l|0x20 > 'z' {
			return chunk{}, errors.New("a chunk has no valid name")
		}
	}
	return chunk{string(b[4:]), off + 8, length}, nil
}

// read returns a chunk's data of at most limit bytes and whether its checksum is right.
func (c *chunks) read(k chunk, limit int64) (data []byte, ok bool, err error) {
	if k.length > limit {
		return nil, false, fmt.Errorf("the %s chunk is %d bytes long", k.kind, k.length)
	}
	b := make([]byte, k.length+4)
	if err := readFull(c.r, b, k.data); err != nil {
		return nil, false, err
	}
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(k.kind)), crc32.IEEETable, b[:k.length])
	return b[:k.length], sum == binary.BigEndian.Uint32(b[k.length:]), nil
}

// intact reports whether a chunk of any length has the right checksum, without keeping it.
func (c *chunks) intact(k chunk) bool {
	if k.next() > c.size {
		return false
	}
	if c.buf == nil {
		c.buf = make([]byte, inputBytes)
	}
	sum := crc32.ChecksumIEEE([]byte(k.kind))
	for off, end := k.data, k.data+k.length; off < end; {
		part := c.buf[:min(int64(len(c.buf)), end-off)]
		if readFull(c.r, part, off) != nil {
			return false
		}
		sum = crc32.Update(sum, crc32.IEEETable, part)
		off += int64(len(part))
	}
	return readFull(c.r, c.buf[:4], k.data+k.length) == nil && sum == binary.BigEndian.Uint32(c.buf)
}

// readFull is ReadAt for a caller that needs all bytes; an early end is io.ErrUnexpectedEOF.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readHead reads everything before the first IDAT chunk.
func (d *decoder) readHead() error {
	var sig [8]byte
	if err := readFull(d.chunks.r, sig[:], 0); err != nil || string(sig[:]) != signature {
		return errors.New("the signature is not that of a PNG file")
	}
	if err := d.readIHDR(); err != nil {
		return err
	}
	palette := false
	off := int64(8 + 8 + 13 + 4)
	for range maxChunks {
		k, err := d.chunks.at(off)
		if err != nil {
			return fmt.Errorf("the file ends before its picture data: %w", err)
		}
		switch k.kind {
		case "IDAT":
			d.idat = off
			if d.colour == indexed && !palette {
				return errors.New("the palette is missing")
			}
			return nil
		case "IEND":
			return errors.New("there is no picture data")
		case "IHDR":
			return errors.New("there are two headers")
		case "PLTE":
			if err := d.readPalette(k); err != nil {
				return err
			}
			palette = true
		case "tRNS":
			d.readTransparency(k)
		default:
			if !d.chunks.intact(k) {
				d.warn("the %s chunk is damaged", k.kind)
			}
		}
		off = k.next()
	}
	return fmt.Errorf("more than %d chunks stand before its picture data", maxChunks)
}

func (d *decoder) readIHDR() error {
	k, err := d.chunks.at(8)
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	if k.kind != "IHDR" || k.length != 13 {
		return errors.New("the header is missing")
	}
	b, ok, err := d.chunks.read(k, 13)
	if err != nil || !ok {
		return errors.New("the header is damaged")
	}
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if width == 0 || height == 0 || width > maxSide || height > maxSide {
		return fmt.Errorf("the header declares %dx%d pixels", width, height)
	}
	d.width, d.height, d.depth, d.colour = int(width), int(height), int(b[8]), b[9]
	d.interlaced = b[12] == 1
	if !validDepth(d.colour, d.depth) || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return fmt.Errorf("the header declares colour type %d with %d bits, which does not exist", d.colour, d.depth)
	}
	for i := range d.palette {
		d.palette[i] = [4]byte{0, 0, 0, 255}
	}
	return nil
}

func validDepth(colour byte, depth int) bool {
	switch colour {
	case grey:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16
	case indexed:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8
	case trueCol, greyAlpha, trueAlpha:
		return depth == 8 || depth == 16
	}
	return false
}

func (d *decoder) readPalette(k chunk) error {
	b, ok, err := d.chunks.read(k, 3*256)
	if d.colour != indexed { // a suggestion for screens with few colours
		return nil
	}
	if err != nil || !ok || len(b) == 0 || len(b)%3 != 0 {
		return errors.New("the palette is damaged")
	}
	d.colours = len(b) / 3
	for i := range d.colours {
		copy(d.palette[i][:3], b[3*i:])
	}
	return nil
}

func (d *decoder) readTransparency(k chunk) {
	b, ok, err := d.chunks.read(k, 256)
	switch {
	case err != nil || !ok:
		d.warn("the tRNS chunk is damaged and was left out")
	case d.colour == indexed:
		d.keyed = true
		for i, a := range b {
			d.palette[i][3] = a
		}
	case d.colour == grey && len(b) >= 2:
		v := int(binary.BigEndian.Uint16(b))
		d.key, d.keyed = [3]int{v, v, v}, true
	case d.colour == trueCol && len(b) >= 6:
		for i := range d.key {
			d.key[i] = int(binary.BigEndian.Uint16(b[2*i:]))
		}
		d.keyed = true
	}
}

// readTail checks the chunks behind the picture data.
func (d *decoder) readTail(off int64) {
	for range maxChunks {
		k, err := d.chunks.at(off)
		if err != nil {
			d.warn("the end of the file is missing")
			return
		}
		if k.kind == "IEND" {
			return
		}
		if k.kind != "IDAT" && !d.chunks.intact(k) {
			d.warn("the %s chunk is damaged", k.kind)
		}
		off = k.next()
	}
}
