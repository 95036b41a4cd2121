// Package jpeg decodes JPEG row by row, so that no whole picture is ever in memory: one row of minimum coded units is
// decoded, transformed and handed on before the next is read.
//
// Contract of Decode: rows.Decode. Read are the sequential and progressive processes of ITU-T T.81 with 8 bits a sample,
// Huffman-coded or arithmetic, in one scan or several, with any sampling factors. Memory depends on the width alone: a few hundred
// KiB at 8192 pixels.
//
// A picture in several scans is read by all of them at once: the places where they begin are found first by looking for
// markers, which decodes nothing; then every scan has its own reader and all advance in step, one row of units at a
// time. A refining scan finds the coefficients it refines in that row, left by the scans before it. So nothing is
// decoded twice and no coefficients are kept, and what lies below the window is never decoded.
//
// Damage is treated as libjpeg treats it: missing or senseless picture data reads as gray, a restart marker brings the
// picture back, the file may end anywhere behind the first scan, and all that is a warning. A segment that cannot be
// understood is an error, also behind the picture data; so is a picture without any data. A file that ends inside a table
// which must be understood is an error only where some of its picture was lost before: it is then no cut file but a broken
// one. Here libjpeg, which refuses both, is not followed.
//
// The package knows JPEG and nothing of the gate, its limits or its sentences.
package jpeg

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"espy/media/rows"
)

// Decode is a rows.Decode for JPEG. Shrink may be 1, 2, 4 or 8. Gray pictures are Gray, colours YCbCr with the planes
// as they are stored; RGB and CMYK pictures are RGB.
func Decode(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	d := &decoder{ctx: ctx, in: newInput(r, size, 0, headBytes), sink: sink}
	first, err := d.readHead()
	if err != nil {
		return rows.Result{}, d.cause(err)
	}
	if err := d.place(opt); err != nil {
		return rows.Result{}, err
	}
	if err := d.listScans(first); err != nil {
		return rows.Result{}, d.cause(err)
	}
	if err := sink.Begin(d.head()); err != nil {
		return rows.Result{}, err
	}
	if err := d.readRows(); err != nil {
		return rows.Result{}, d.cause(err)
	}
	if err := d.finish(); err != nil {
		return rows.Result{}, d.cause(err)
	}
	return rows.Result{Window: d.window, Shrink: d.shrink, Warnings: d.warnings, Cut: d.endMissing}, nil
}

// decoder is one decode.
type decoder struct {
	ctx  context.Context
	in   input
	sink rows.Sink

	quant        [4]*[64]int32 // in zigzag order
	huffman      [2][4]*code   // DC and AC
	tables       bool          // the file has some
	conditioning conditioning
	interval     int // units between two restart markers; 0 is none
	jfif         bool
	adobe        bool
	transform    byte // of the Adobe marker
	frame        frame
	scans        []*scan
	oneScan      bool // the only scan is read through in itself
	endMissing   bool // the file stops without saying so
	cutInside    bool // and does so in the middle of a segment

	window   image.Rectangle
	shrink   int
	layout   rows.Layout
	planes   []plane
	packed   []byte // a row of pixels being put together
	inverse  inverse
	scratch  [64]int32
	warnings []string
}

// cause prefers what stopped the reading over what was seen of it.
func (d *decoder) cause(err error) error {
	if ctxErr := d.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if d.in.err != nil {
		return d.in.err
	}
	return err
}

func (d *decoder) warn(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, w := range d.warnings {
		if w == s {
			return
		}
	}
	if len(d.warnings) < maxWarnings {
		d.warnings = append(d.warnings, s)
	}
}

// readRows decodes the rows of units down to the end of the window.
func (d *decoder) readRows() error {
	for row := 0; row*d.rowLines() < d.lastLine(); row++ {
		show := (row+1)*d.rowLines() > d.window.Min.Y/d.shrink
		for _, s := range d.scans {
			if err := d.ctx.Err(); err != nil {
				return err
			}
			s.readRow(d, row, show)
			if s.bits.err != nil {
				return s.bits.err
			}
		}
		if d.frame.progressive {
			d.transformRow(show)
		}
		if !show {
			continue
		}
		if err := d.deliver(row); err != nil {
			return err
		}
	}
	for _, s := range d.scans {
		if s.any {
			return nil
		}
	}
	return errors.New("there is no picture data")
}

// finish gathers what was found wrong on the way.
func (d *decoder) finish() error {
	lost := false
	for i, s := range d.scans {
		what := "the picture data"
		if len(d.scans) > 1 {
			what = fmt.Sprintf("scan %d of %d", i+1, len(d.scans))
		}
		if s.lost >= 0 {
			lost = true
			d.endMissing = d.endMissing || !s.bits.have(1)
			d.warn("%s ends or is damaged after row %d of %d", what, min(s.lost*8*d.frame.vMax, d.frame.height), d.frame.height)
		}
		if s.bad {
			lost = true
			d.warn("%s holds codes that mean nothing", what)
		}
		if s.stray > 0 {
			d.warn("%s holds %d stray bytes", what, s.stray)
		}
	}
	if d.oneScan && d.window.Max.Y >= d.frame.height {
		if err := d.finishOnly(); err != nil {
			return err
		}
	}
	if d.cutInside && lost {
		return errCut
	}
	if d.endMissing {
		d.warn("the end marker is missing")
	}
	return nil
}

// finishOnly reads what follows the only scan.
func (d *decoder) finishOnly() error {
	d.in = d.scans[0].bits.input
	s, err := d.nextScan()
	if s != nil {
		return errors.New("another scan begins behind the only one")
	}
	return d.endOf(err)
}

// endOf takes the error of the last nextScan: the end of the picture is none.
func (d *decoder) endOf(err error) error {
	switch err {
	case errCut:
		d.cutInside = true
	case errEnd:
	default:
		return err
	}
	return nil
}
