package webp

import (
	"context"
	"errors"
	"image"

	"espy/media/rows"
)

func decodeLossy(ctx context.Context, f *frame, opt rows.Options, sink rows.Sink) (image.Rectangle, error) {
	return image.Rectangle{}, errors.New("not yet")
}
