package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"espy/agent/message"
)

// Preview is a part of a picture made small enough for a screen, upright: no side is longer than side, in pixels. An
// empty region is the whole picture. It passes the gate like every picture, and nothing of it is stored.
func (g *Gate) Preview(ctx context.Context, src Source, region message.Rect, side int) (image.Image, error) {
	opt := Options{Fit: Fit{MaxSide: min(max(side, 1), sideLow)}}
	if region.Width > 0 {
		opt.Crop = &region
	}
	var small heldPicture
	picture, err := g.Ingest(ctx, &small, src, opt)
	if err != nil {
		return nil, err
	}
	decode := jpeg.Decode // the gate writes these two
	if picture.Image.MediaType == "image/png" {
		decode = png.Decode
	}
	m, err := decode(bytes.NewReader(small.data))
	if err != nil {
		return nil, fmt.Errorf("reading the small picture of %s: %w", shownName(src.Name), err)
	}
	return m, nil
}

// heldPicture is a Sink that holds the first thing put into it, which is what is sent, and reads nothing of the
// original that follows.
type heldPicture struct{ data []byte }

// PutBlob keeps what is sent.
func (h *heldPicture) PutBlob(_ context.Context, ext string, r io.Reader) (string, error) {
	if h.data != nil {
		return "blobs/original." + ext, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxWireImageBytes))
	if err == nil && len(data) == 0 {
		err = errors.New("the gate wrote no picture")
	}
	h.data = data
	return "blobs/preview." + ext, err
}
