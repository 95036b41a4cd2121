package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"runtime/debug"

	"espy/media/png"
	"espy/media/rows"
)

// The ladder: a source without loss that is flat (screens, drawings) or has transparency stays PNG; photographs, and
// what passes the limit as PNG, become JPEG of quality 90, then 85, then 75; then the picture shrinks by a fifth and
// the ladder begins again at 85. Measured on text, quality 75 still reads nearly as well as the original, while 60
// does not; the size of the letters matters more than either.
var (
	firstQualities = []int{90, 85, 75}
	laterQualities = []int{85, 75}
)

// encoded is a picture as it will be sent.
type encoded struct {
	data      []byte
	mediaType string
	size      image.Point
	steps     []string
}

// rawLimit is how many bytes fit into that much base64 text.
func rawLimit(base64Limit int64) int64 { return base64Limit / 4 * 3 }

// base64Length is the length of the base64 text of n bytes.
func base64Length(n int64) int64 { return (n + 2) / 3 * 4 }

var errLadder = errors.New("no encoding fits the limit")

// encode takes the ladder. The canvas must not be used afterwards.
func encode(ctx context.Context, c *canvas, lossless bool, limit int64) (encoded, error) {
	var steps []string
	c.settle()
	if c.transparent() || lossless && len(c.planes) == 1 && png.Flatness(c.picture()) >= flatForPNG {
		data, form, err := png.Encode(ctx, c.picture(), limit)
		switch {
		case err == nil:
			return encoded{data, "image/png", c.size, []string{pngStep(form)}}, nil
		case !errors.Is(err, png.ErrOver):
			return encoded{}, err
		}
		steps = append(steps, fmt.Sprintf("png given up at %d bytes", limit))
		if c.transparent() {
			steps = append(steps, "transparency laid on white")
		}
		c.settle()
	}
	c = c.forJPEG()
	e, err := encodeJPEG(ctx, c, limit)
	e.steps = append(steps, e.steps...)
	return e, err
}

// settle gives back what earlier steps let go of, where the picture is so large that the collector would wait until as
// much again was taken.
func (c *canvas) settle() {
	if c.bytes() >= settleFrom {
		debug.FreeOSMemory()
	}
}

func (c *canvas) bytes() (total int) {
	for _, p := range c.planes {
		total += len(p.pix)
	}
	return total
}

// forJPEG is the canvas in planes, which for a large picture do not hold on to the memory of its pixels.
func (c *canvas) forJPEG() *canvas {
	large := c.bytes() >= settleFrom
	out := c.subsampled()
	if large && out != c {
		out.planes[0].pix = bytes.Clone(out.planes[0].pix)
		c.planes = nil
		debug.FreeOSMemory()
	}
	return out
}

func pngStep(f png.Form) string {
	step := "png"
	if f.Palette > 0 {
		step += fmt.Sprintf(", palette of %d", f.Palette)
	} else if f.Gray {
		step += ", gray"
	}
	if f.Alpha {
		step += ", transparent"
	}
	if f.Filtered {
		return step + ", filtered"
	}
	return step + ", unfiltered"
}

// encodeJPEG goes down the ladder. One buffer serves all attempts.
func encodeJPEG(ctx context.Context, base *canvas, limit int64) (encoded, error) {
	var steps []string
	out := &cappedBuffer{limit: limit}
	c, qualities := base, firstQualities
	for round := 1; round <= shrinkRounds; round++ {
		for _, q := range qualities {
			if err := ctx.Err(); err != nil {
				return encoded{}, err
			}
			err := out.encode(c, q)
			if err == nil {
				return encoded{out.Bytes(), "image/jpeg", c.size, append(steps, fmt.Sprintf("jpeg q%d", q))}, nil
			}
			if !errors.Is(err, png.ErrOver) {
				return encoded{}, err
			}
			steps = append(steps, fmt.Sprintf("jpeg q%d given up at %d bytes", q, limit))
		}
		factor := math.Pow(shrinkStep, float64(round))
		w, h := int(float64(base.size.X)*factor+0.5), int(float64(base.size.Y)*factor+0.5)
		if max(w, h) < smallestRound {
			break
		}
		c, qualities = base.resized(max(w, 1), max(h, 1)), laterQualities
		steps = append(steps, fmt.Sprintf("shrunk to %dx%d to fit the limit", c.size.X, c.size.Y))
	}
	return encoded{steps: steps}, errLadder
}

// image is the canvas as the JPEG encoder reads it: gray or planar.
func (c *canvas) image() image.Image {
	rect := image.Rectangle{Max: c.size}
	if c.layout == rows.Gray {
		return &image.Gray{Pix: c.planes[0].pix, Stride: c.size.X, Rect: rect}
	}
	m := &image.YCbCr{
		Y: c.planes[0].pix, YStride: c.planes[0].w,
		Cb: c.planes[1].pix, Cr: c.planes[2].pix, CStride: c.planes[1].w,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: rect,
	}
	if c.planes[1].w == c.size.X && c.planes[1].h == c.size.Y && (c.size.X > 1 || c.size.Y > 1) {
		m.SubsampleRatio = image.YCbCrSubsampleRatio444
	}
	return m
}

// cappedBuffer refuses to grow past its limit.
type cappedBuffer struct {
	bytes.Buffer
	limit int64
}

// encode replaces what the buffer holds.
func (b *cappedBuffer) encode(c *canvas, quality int) error {
	b.Reset()
	return jpeg.Encode(b, c.image(), &jpeg.Options{Quality: quality})
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if int64(b.Len()+len(p)) > b.limit {
		return 0, png.ErrOver
	}
	if b.Len()+len(p) > b.Cap() && b.Cap() >= growthFrom {
		b.Grow(int(b.limit) - b.Len()) // once for all: doubling would leave as much behind
	}
	return b.Buffer.Write(p)
}
