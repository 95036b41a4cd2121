// Package png decodes PNG row by row and encodes rows as PNG, so that neither direction ever holds a whole picture.
//
// Contract of Decode: rows.Decode. Memory does not depend on the picture's height: two rows, one inflater (seven
// for an interlaced picture) and their windows. Samples come out 8 bits each: Gray, RGB, or RGBA where there is
// transparency; palettes are looked up, 16 bits are rounded. A window stops the decode below its last row, so that
// what is beneath is neither read nor checked. Critical damage (a checksum of the picture data, missing rows) is an
// error; damage in ancillary chunks and a missing end are warnings, as in every viewer.
//
// Interlaced pictures are read seven times at once: the sizes of the passes are known from the header, so that one
// inflater for each pass first skips to its own rows and then all run in step, and whole rows come out from the top
// without any pass being kept.
//
// The package knows PNG and nothing of the gate, its limits or its sentences.
package png

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"espy/media/rows"
)

const (
	maxSide    = 1 << 16  // px: bounds a row to 512 KiB whatever the header says
	inputBytes = 32 << 10 // read from the source at a time
	bitBytes   = 8 << 10  // handed to the inflater at a time
	maxChunks  = 1 << 14  // beside the picture data, before it and behind it: bounds the work of a file made of nothing else
	ctxRows    = 32       // rows between two looks at the context
)

// Decode is a rows.Decode for PNG. Shrink is not used.
func Decode(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	d := &decoder{ctx: ctx, chunks: chunks{r: r, size: size}, sink: sink}
	if err := d.readHead(); err != nil {
		return rows.Result{}, err
	}
	d.window = image.Rect(0, 0, d.width, d.height)
	if !opt.Window.Empty() {
		d.window = opt.Window.Intersect(d.window)
	}
	if d.window.Empty() {
		return rows.Result{}, errors.New("the window is outside the picture")
	}
	d.chooseLayout()
	head := rows.Header{Layout: d.layout, Planes: []image.Point{d.window.Size()}, Window: d.window, Shrink: 1}
	if err := sink.Begin(head); err != nil {
		return rows.Result{}, err
	}
	read := d.readPlain
	if d.interlaced {
		read = d.readInterlaced
	}
	if err := read(); err != nil {
		return rows.Result{}, err
	}
	return rows.Result{Window: d.window, Shrink: 1, Warnings: d.warnings}, nil
}

// decoder is one decode.
type decoder struct {
	ctx    context.Context
	chunks chunks
	sink   rows.Sink

	width, height int
	depth         int
	colour        byte
	interlaced    bool
	palette       [256][4]byte // opaque black beyond what the file gives
	colours       int          // entries the file gives
	key           [3]int       // the one transparent colour of a picture without alpha
	keyed         bool
	idat          int64 // offset of the first IDAT chunk

	window   image.Rectangle
	layout   rows.Layout
	samples  int // in a row handed to the sink, for each pixel
	expand   expander
	warnings []string
}

// Colour types.
const (
	grey      = 0
	trueCol   = 2
	indexed   = 3
	greyAlpha = 4
	trueAlpha = 6
)

// stored is how many samples a pixel has in the file.
func (d *decoder) stored() int {
	switch d.colour {
	case trueCol:
		return 3
	case greyAlpha:
		return 2
	case trueAlpha:
		return 4
	}
	return 1
}

// rowBytes is the length of a filtered row of n pixels, without its filter byte.
func (d *decoder) rowBytes(n int) int { return (n*d.stored()*d.depth + 7) / 8 }

func (d *decoder) warn(format string, args ...any) {
	if len(d.warnings) < 8 {
		d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
	}
}

// readPlain pushes the rows of a picture that is not interlaced.
func (d *decoder) readPlain() error {
	in, err := d.open(true)
	if err != nil {
		return d.cut(0, err)
	}
	p := newPass(in, d.rowBytes(d.width), d.bpp())
	out := make([]byte, d.window.Dx()*d.samples)
	for y := range d.window.Max.Y {
		if y%ctxRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		row, err := p.next()
		if err != nil {
			return d.cut(y, err)
		}
		if y < d.window.Min.Y {
			continue
		}
		if err := d.sink.Row(0, d.expand(d, out, row, d.window.Min.X, d.window.Dx())); err != nil {
			return err
		}
	}
	return d.finish(in)
}

func (d *decoder) bpp() int { return max(1, d.stored()*d.depth/8) }

// cut words a failure to read row y.
func (d *decoder) cut(y int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the picture data ends after row %d of %d", y, d.height)
	}
	return fmt.Errorf("the picture data is damaged after row %d of %d: %w", y, d.height, err)
}

// finish checks what follows the last row, where the window reaches down to it.
func (d *decoder) finish(in *input) error {
	if d.window.Max.Y < d.height {
		return nil
	}
	if err := in.drain(d.ctx); err != nil {
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if errors.Is(err, errChecksum) {
			return err
		}
		d.warn("the picture data does not end as it should")
	}
	d.readTail(in.next())
	return nil
}
