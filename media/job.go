package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"espy/agent/message"
	"espy/media/rows"
)

// job is one picture on its way through the gate. Its methods run in the order ingest calls them.
type job struct {
	src    Source
	reader *faultReader
	opt    Options
	header Header
	given  SourceFacts // format and size of the file as it came

	decoding decoding
	window   image.Rectangle   // upright pixels
	redact   []image.Rectangle // stored pixels
	renderer renderer
	memory   int64 // predicted, bytes
	early    bool  // the file may still be being written, and will be looked at again
	limit    int64 // raw bytes of the encoded picture
	profile  *colourMap
	shrink   int

	canvas   *canvas
	laid     image.Point // size of the canvas as it went to the encoder
	scale    float64     // of the rendering, before the encoder shrank it
	out      encoded
	steps    []string
	warnings []string
}

// lateOrientation finds an orientation that stands behind the picture data, where PNG allows it.
func (j *job) lateOrientation() {
	if j.header.Format != PNG || j.header.Orientation != 1 {
		return
	}
	var b [8]byte
	off := int64(33)
	for range mostParts {
		if n, _ := j.reader.ReadAt(b[:], off); n < 8 || string(b[4:]) == "IEND" {
			return
		}
		length := be32(b[:])
		if string(b[4:]) == "eXIf" {
			p := new(Prober)
			p.win.reset(j.reader, j.src.Size)
			p.orientation(&j.header, off+8, length)
			return
		}
		off += 12 + length
	}
}

// decode runs the decoder and the scaler beside it. Whatever they do, panics included, comes back as an error.
func (j *job) decode(ctx context.Context) (res rows.Result, err error) {
	sink := newRelay(&packer{to: &j.renderer})
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
		if scaling := sink.close(); err == nil {
			err = scaling
		}
	}()
	opt := rows.Options{Shrink: j.shrink}
	if j.cropped() {
		opt.Window = j.renderer.want
	}
	return j.decoding.decode(ctx, j.reader, j.src.Size, opt, sink)
}

// render decodes, turns, converts and encodes.
func (j *job) render(ctx context.Context) error {
	res, err := j.decode(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case j.reader.err != nil:
		return fmt.Errorf("reading %s: %w", shownName(j.src.Name), j.reader.err)
	case err != nil:
		return broken(j.src, j.header, err)
	case res.Cut && j.early:
		return errUnfinished
	case !j.renderer.complete():
		return broken(j.src, j.header, errors.New("the picture data ends before the picture does"))
	}
	for _, w := range res.Warnings {
		j.warn(shownName(w))
	}
	j.canvas = j.renderer.canvas
	j.renderer.planes, j.renderer.canvas = nil, nil
	j.steps = append(j.steps, j.turnAndConvert()...)
	j.countFrames()
	j.laid = j.canvas.size
	if len(res.Warnings) == 0 && j.passThrough() {
		return nil
	}
	c := j.canvas
	j.canvas = nil // the encoder works in its memory and lets go of it
	j.out, err = encode(ctx, c, j.header.Lossless, j.limit)
	if errors.Is(err, errLadder) {
		return refuse(j.src, FaultTooBig, "cannot be brought under %s of base64 text; raise max_image_base64 for this model", megabytes(base64Length(j.limit)))
	}
	return err
}

// turnAndConvert brings the small result upright and into sRGB.
func (j *job) turnAndConvert() (steps []string) {
	if j.header.Orientation > 1 {
		j.canvas = j.canvas.mirrored(j.header.Orientation)
		steps = append(steps, fmt.Sprintf("turned upright (EXIF %d)", j.header.Orientation))
	}
	from, to := j.window.Size(), j.canvas.size
	j.scale = float64(max(to.X, to.Y)) / float64(max(from.X, from.Y))
	if from != to {
		step := fmt.Sprintf("scaled %dx%d to %dx%d", from.X, from.Y, to.X, to.Y)
		if j.renderer.limit {
			step += " to stay within memory"
		}
		steps = append(steps, step)
	}
	if j.renderer.whole {
		j.canvas = j.canvas.packed()
	}
	if j.profile != nil && j.canvas.layout != rows.Gray {
		j.profile.apply(j.canvas)
		name := j.profile.name
		if name == "" {
			name = "the colour profile"
		}
		steps = append(steps, "converted "+name+" to sRGB")
	}
	if m := min(j.opt.Fit.MinSide, sideLow); m > 0 && min(to.X, to.Y) < m {
		j.canvas = j.canvas.padded(m)
		steps = append(steps, fmt.Sprintf("padded %dx%d to %dx%d with white", to.X, to.Y, j.canvas.size.X, j.canvas.size.Y))
	}
	return steps
}

// passThrough takes a JPEG over as it is, without its metadata, where nothing else is to be done to it. It was
// decoded whole all the same.
func (j *job) passThrough() bool {
	h := j.header
	plain := h.Format == JPEG && !h.Arithmetic && h.Depth == 8 && h.usualSampling() && h.Orientation == 1
	if !plain || j.cropped() || len(j.redact) > 0 || j.profile != nil || j.canvas.size != j.window.Size() {
		return false
	}
	data, err := strippedJPEG(j.reader, j.src.Size, j.limit)
	if err != nil {
		return false
	}
	j.out = encoded{data, "image/jpeg", j.canvas.size, []string{"jpeg taken over without its metadata"}}
	j.canvas = nil
	return true
}

// usualSampling reports whether any decoder can be expected to know how the planes of a JPEG are sampled: brightness at
// one, two or four samples for each of both colours, or alone.
func (h Header) usualSampling() bool {
	if h.Components == 1 {
		return true
	}
	one := [2]uint8{1, 1}
	if h.Components != 3 || h.Sampling[1] != one || h.Sampling[2] != one {
		return false
	}
	s := h.Sampling[0]
	return s[0] <= 2 && s[1] <= 2
}

// store puts the picture and the source's own bytes away and writes the receipt.
func (j *job) store(ctx context.Context, sink Sink) (Picture, error) {
	ref, err := sink.PutBlob(ctx, extensions[j.out.mediaType], bytes.NewReader(j.out.data))
	if err != nil {
		return Picture{}, fmt.Errorf("storing %s: %w", shownName(j.src.Name), err)
	}
	var original string
	if len(j.redact) == 0 {
		original, err = sink.PutBlob(ctx, originals[j.header.Format], io.NewSectionReader(j.reader, 0, j.src.Size))
		if err != nil {
			return Picture{}, fmt.Errorf("storing the original of %s: %w", shownName(j.src.Name), err)
		}
	}
	r := j.receipt()
	return Picture{
		Image:    message.Image{Ref: ref, MediaType: r.Sent.MediaType, Width: r.Sent.Width, Height: r.Sent.Height},
		Original: original,
		Receipt:  r,
	}, nil
}

// Extensions of blobs, by media type for what is sent and by format for what came in.
var (
	extensions = map[string]string{"image/png": "png", "image/jpeg": "jpg"}
	originals  = map[Format]string{PNG: "png", JPEG: "jpg", GIF: "gif", WebP: "webp"}
)

func (j *job) receipt() Receipt {
	w, h := j.header.Upright()
	n := int64(len(j.out.data))
	r := Receipt{
		Source: SourceFacts{
			Format: j.given.Format, Width: w, Height: h, Bytes: j.given.Bytes,
			Frames: j.header.Frames, Orientation: j.header.Orientation,
		},
		Sent:     SentFacts{j.out.mediaType, j.out.size.X, j.out.size.Y, n, base64Length(n)},
		Scale:    j.finalScale(),
		Encoder:  append(j.steps, j.out.steps...),
		Warnings: j.warnings,
	}
	if j.cropped() {
		r.Crop = &message.Rect{X: j.window.Min.X, Y: j.window.Min.Y, Width: j.window.Dx(), Height: j.window.Dy()}
	}
	return r
}

// finalScale is sent pixels per upright source pixel, whatever the ladder did after the first scaling.
func (j *job) finalScale() float64 {
	if j.out.size == j.laid {
		return j.scale
	}
	return j.scale * float64(max(j.out.size.X, j.out.size.Y)) / float64(max(j.laid.X, j.laid.Y))
}
