// Package gif decodes the first frame of a GIF row by row, laid on its screen, so that no whole picture is ever in
// memory.
//
// Contract of Decode: rows.Decode. Memory does not depend on the picture's size: a row, and one unpacker (four for an
// interlaced frame) of 20 KiB. Samples come out as RGB, or as RGBA where a colour is transparent or the frame does not
// cover the screen. A window stops the decode below its last row.
//
// Interlaced frames are unpacked four times at once: where each pass begins is known from the height, so that one
// unpacker for each first skips to its own rows, and then all run in step and rows come out from the top without any
// pass being kept.
//
// Damage is treated as viewers treat it: unknown extensions are stepped over, picture data that ends too early is a
// warning and what is missing stays transparent, or gray where nothing can be; colours that the table does not have
// are black; without any table they are a scale of gray. A file without any picture data is an error.
//
// The package knows GIF and nothing of the gate, its limits or its sentences.
package gif

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"espy/media/rows"
)

const (
	maxPixels  = 1 << 28   // px of the canvas: eight times what the gate admits; bounds the work whatever the header says
	inputBytes = 16 << 10  // read from the source at a time, by each unpacker
	mostBlocks = 1 << 16   // blocks before the first frame; a real file has a dozen
	ctxRows    = 64        // rows between two looks at the context
	missing    = byte(128) // a sample that is not there
)

// Decode is a rows.Decode for GIF. Shrink is not used. The canvas is the screen, widened where the frame reaches out of
// it; where there is no screen it is the frame.
func Decode(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
	return On(image.Rectangle{})(ctx, r, size, opt, sink)
}

// On returns a Decode with a canvas of one's own, in the coordinates of the file's screen: the frame is cut to it, and
// windows count from its corner. An empty canvas is chosen as Decode does.
func On(canvas image.Rectangle) rows.Decode {
	return func(ctx context.Context, r io.ReaderAt, size int64, opt rows.Options, sink rows.Sink) (rows.Result, error) {
		d := &decoder{ctx: ctx, in: input{r: r, size: size}, sink: sink, canvas: canvas}
		if err := d.readHead(); err != nil {
			return rows.Result{}, d.cause(err)
		}
		if err := d.place(opt); err != nil {
			return rows.Result{}, err
		}
		if err := d.readRows(); err != nil {
			return rows.Result{}, d.cause(err)
		}
		return rows.Result{Window: d.window, Shrink: 1, Warnings: d.warnings, Cut: d.ends >= 0}, nil
	}
}

// decoder is one decode.
type decoder struct {
	ctx  context.Context
	in   input
	sink rows.Sink

	screen     image.Point
	colours    [256][4]byte
	table      bool // there is a colour table
	clear      int  // the transparent colour, or -1
	frame      image.Rectangle
	interlaced bool
	codeSize   int
	data       int64 // offset of the picture data

	canvas   image.Rectangle // in the coordinates of the screen
	window   image.Rectangle // in the canvas
	samples  int             // of a pixel
	passes   []pass
	line     []byte // indices of a row of the frame
	ends     int    // first row of the frame that is not there, or -1
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

// place settles canvas, window and layout, and begins.
func (d *decoder) place(opt rows.Options) error {
	if d.canvas.Empty() {
		d.canvas = image.Rectangle{Max: image.Pt(max(d.screen.X, d.frame.Max.X), max(d.screen.Y, d.frame.Max.Y))}
		if d.screen.X == 0 || d.screen.Y == 0 {
			d.canvas = d.frame
		}
	}
	size := d.canvas.Size()
	if int64(size.X)*int64(size.Y) > maxPixels {
		return fmt.Errorf("it is %dx%d pixels, more than can be read", size.X, size.Y)
	}
	d.window = image.Rectangle{Max: size}
	if !opt.Window.Empty() {
		d.window = opt.Window.Intersect(d.window)
	}
	if d.window.Empty() {
		return errors.New("the window is outside the picture")
	}
	layout := rows.RGB
	d.samples = 3
	if d.clear >= 0 || !d.canvas.In(d.frame) {
		layout, d.samples = rows.RGBA, 4
	}
	return d.sink.Begin(rows.Header{Layout: layout, Planes: []image.Point{d.window.Size()}, Window: d.window, Shrink: 1})
}

// readRows pushes the rows of the window.
func (d *decoder) readRows() error {
	if err := d.open(); err != nil {
		return err
	}
	part := d.window.Add(d.canvas.Min)
	blank := d.blank(part.Dx())
	out := make([]byte, len(blank))
	for y := part.Min.Y; y < part.Max.Y; y++ {
		if y%ctxRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		row := blank
		if y >= d.frame.Min.Y && y < d.frame.Max.Y {
			there, err := d.readLine(y - d.frame.Min.Y)
			if err != nil {
				return err
			}
			row = out
			copy(row, blank)
			d.paint(row, part, there)
		}
		if err := d.sink.Row(0, row); err != nil {
			return err
		}
	}
	if d.empty() {
		return errors.New("there is no picture data")
	}
	if d.ends >= 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("the picture data ends or is damaged after row %d of %d", d.ends, d.frame.Dy()))
	}
	return nil
}

// blank is a row of nothing.
func (d *decoder) blank(width int) []byte {
	row := make([]byte, width*d.samples)
	if d.samples == 3 {
		for i := range row {
			row[i] = missing
		}
	}
	return row
}

// paint colours the part of a row that the frame covers. there is how much of the frame's line was read.
func (d *decoder) paint(row []byte, part image.Rectangle, there int) {
	from := max(part.Min.X, d.frame.Min.X)
	to := min(part.Max.X, d.frame.Min.X+there)
	if from >= to {
		return
	}
	line := d.line[from-d.frame.Min.X : to-d.frame.Min.X]
	row = row[(from-part.Min.X)*d.samples:]
	if d.samples == 3 {
		for i, v := range line {
			c := &d.colours[v]
			o := row[3*i : 3*i+3 : 3*i+3]
			o[0], o[1], o[2] = c[0], c[1], c[2]
		}
		return
	}
	for i, v := range line {
		copy(row[4*i:4*i+4], d.colours[v][:])
	}
}
