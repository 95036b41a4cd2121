package webp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"espy/media/rows"
)

const losslessSignature = 0x2f

// lossless decodes a VP8L stream row by row.
type lossless struct {
	ctx           context.Context
	br            bitReader
	memory        budget
	codes         *codeReader
	width, height int
	stored        int // pixels of a row as stored, where several are bundled into one
	transforms    []*transform
	image         entropy
	ring          []uint32
	buf           []uint32
	y             int // rows given
}

// openLossless reads everything that stands before the first pixel. The section begins with the transforms.
func openLossless(ctx context.Context, s section, width, height int) (*lossless, error) {
	d := &lossless{ctx: ctx, br: bitReader{in: newInput(s)}, width: width, height: height, stored: width}
	d.memory = budget(losslessMemory(width, height))
	d.codes = &codeReader{br: &d.br, builder: codeBuilder{memory: &d.memory}}
	n := ringSize(int64(width) * int64(height))
	if err := d.memory.take(4 * int64(n)); err != nil {
		return nil, err
	}
	d.ring = make([]uint32, max(n, 256)) // a palette may be longer than a small picture
	d.buf = make([]uint32, width)
	if err := d.readTransforms(); err != nil {
		return nil, d.fault(err)
	}
	if err := d.readImage(); err != nil {
		return nil, d.fault(err)
	}
	return d, nil
}

// fault prefers a fault of the source or the end of the stream to what followed from it.
func (d *lossless) fault(err error) error {
	if over := d.br.overrun(); over != nil && d.ctx.Err() == nil {
		return over
	}
	return err
}

func (d *lossless) readTransforms() error {
	seen := 0
	for d.br.read(1) == 1 {
		kind := int(d.br.read(2))
		if seen>>kind&1 != 0 {
			return errors.New("a transform is there twice")
		}
		seen |= 1 << kind
		t := &transform{kind: kind, width: d.stored}
		d.transforms = append(d.transforms, t)
		var err error
		switch kind {
		case predict, crossColour:
			err = d.readTiles(t)
		case indexColours:
			err = d.readPalette(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tilesOf is how many tiles of 1<<bits lie along n pixels.
func tilesOf(n int, bits uint) int { return (n + 1<<bits - 1) >> bits }

// readTiles reads the tiles of a predictor or a colour transform.
func (d *lossless) readTiles(t *transform) error {
	t.bits = uint(d.br.read(3)) + 2
	t.tilesX = tilesOf(t.width, t.bits)
	tilesY, each := tilesOf(d.height, t.bits), 1
	if t.kind == crossColour {
		each = 3
	} else {
		t.above = make([]uint32, t.width+1)
	}
	if err := d.memory.take(int64(t.tilesX) * int64(tilesY) * int64(each)); err != nil {
		return err
	}
	t.tiles = make([]byte, 0, t.tilesX*tilesY*each)
	return d.readPart(t.tilesX, tilesY, func(row []uint32) {
		for _, p := range row {
			if each == 1 {
				t.tiles = append(t.tiles, byte(p>>8))
			} else {
				t.tiles = append(t.tiles, byte(p), byte(p>>8), byte(p>>16))
			}
		}
	})
}

// readPalette reads the colours, each stored as the difference to the one before. Few colours bundle several pixels
// into one.
func (d *lossless) readPalette(t *transform) error {
	n := int(d.br.read(8)) + 1
	switch {
	case n <= 2:
		t.bundle = 3
	case n <= 4:
		t.bundle = 2
	case n <= 16:
		t.bundle = 1
	}
	d.stored = tilesOf(t.width, t.bundle)
	last := uint32(0)
	return d.readPart(n, 1, func(row []uint32) {
		for i, p := range row {
			last = add(last, p)
			t.palette[i] = last
		}
	})
}

// readPart reads one of the smaller images before the picture and hands its rows on. It uses the picture's ring.
func (d *lossless) readPart(width, height int, use func(row []uint32)) error {
	d.image.begin(&d.br, width, height, d.ring)
	if err := d.image.readCache(); err != nil {
		return err
	}
	before, free := d.memory, d.codes.builder.free
	if err := d.image.readGroups(d.ctx, d.codes, 1, func(int) bool { return true }); err != nil {
		return err
	}
	row := make([]uint32, width)
	for y := range height {
		if y%ctxRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.image.row(); err != nil {
			return err
		}
		d.image.take(row)
		use(row)
	}
	d.memory, d.codes.builder.free = before, free // its codes are done with
	return nil
}

// readImage reads the head of the picture itself: its cache, its tiles of codes, its codes.
func (d *lossless) readImage() error {
	var main entropy
	main.begin(&d.br, d.stored, d.height, d.ring)
	if err := main.readCache(); err != nil {
		return err
	}
	groups := 1
	used := func(int) bool { return true }
	if d.br.read(1) == 1 {
		main.tileBits = uint(d.br.read(3)) + 2
		main.tilesX = tilesOf(d.stored, main.tileBits)
		tilesY := tilesOf(d.height, main.tileBits)
		if err := d.memory.take(2 * int64(main.tilesX) * int64(tilesY)); err != nil {
			return err
		}
		main.tiles = make([]uint16, 0, main.tilesX*tilesY)
		var named [1 << 16 / 64]uint64
		err := d.readPart(main.tilesX, tilesY, func(row []uint32) {
			for _, p := range row {
				at := uint16(p >> 8)
				groups = max(groups, int(at)+1)
				named[at/64] |= 1 << (at % 64)
				main.tiles = append(main.tiles, at)
			}
		})
		if err != nil {
			return err
		}
		used = func(i int) bool { return named[i/64]>>(i%64)&1 != 0 }
	}
	d.image = main
	return d.image.readGroups(d.ctx, d.codes, groups, used)
}

// next returns the next row, ARGB, good until the row after it.
func (d *lossless) next() ([]uint32, error) {
	if d.y%ctxRows == 0 && d.ctx.Err() != nil {
		return nil, d.ctx.Err()
	}
	if err := d.image.row(); err != nil {
		return nil, d.fault(err)
	}
	d.image.take(d.buf)
	for i := len(d.transforms) - 1; i >= 0; i-- {
		d.transforms[i].undo(d.buf, d.y)
	}
	d.y++
	return d.buf, nil
}

// readLosslessHead reads what follows the signature: two sides of 14 bits, whether alpha is used, the version.
func readLosslessHead(f *frame) (alpha bool, err error) {
	b, err := f.data.head(5)
	if err != nil {
		return false, err
	}
	if b[4]>>5 != 0 {
		return false, fmt.Errorf("it is of version %d of the lossless format, and only 0 is known", b[4]>>5)
	}
	return b[4]>>4&1 != 0, nil
}

// decodeLossless pushes a VP8L frame.
func decodeLossless(ctx context.Context, f *frame, opt rows.Options, sink rows.Sink) (image.Rectangle, error) {
	alpha, err := readLosslessHead(f)
	if err != nil {
		return image.Rectangle{}, err
	}
	layout, n := rows.RGB, 3
	if alpha || !f.covers() {
		layout, n = rows.RGBA, 4
	}
	d, err := openLossless(ctx, f.data.from(5), f.size.X, f.size.Y)
	if err != nil {
		return image.Rectangle{}, cut(0, f.size.Y, err)
	}
	out, err := f.open(layout, opt, sink)
	if err != nil {
		return image.Rectangle{}, err
	}
	line := make([]byte, n*f.size.X)
	for y := range out.rows() {
		pixels, err := d.next()
		if err != nil {
			return image.Rectangle{}, cut(y, f.size.Y, err)
		}
		if n == 3 {
			packRGB(line, pixels)
		} else {
			packRGBA(line, pixels, !alpha)
		}
		if err := out.row(0, line); err != nil {
			return image.Rectangle{}, err
		}
	}
	return out.window, out.finish()
}

func packRGB(line []byte, pixels []uint32) {
	for _, p := range pixels {
		o := line[:3:3]
		o[0], o[1], o[2] = byte(p>>16), byte(p>>8), byte(p)
		line = line[3:]
	}
}

// packRGBA packs pixels; solid ones are opaque whatever is stored.
func packRGBA(line []byte, pixels []uint32, solid bool) {
	for _, p := range pixels {
		if solid {
			p |= opaque
		}
		binary.BigEndian.PutUint32(line, p<<8|p>>24)
		line = line[4:]
	}
}

// cut words a failure to read row y.
func cut(y, height int, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the picture data ends after row %d of %d", y, height)
	case y == 0:
		return err // what stands before the pixels says enough by itself
	}
	return fmt.Errorf("the picture data is damaged after row %d of %d: %w", y, height, err)
}
