package start

import (
	"context"
	"fmt"
	"image"
	"io"
	"path"

	"espy/media"
	"espy/ui"
)

// preview makes a part of a stored picture of the session small enough for the screen.
func (f *Screen) preview(ctx context.Context, want ui.PreviewWant) (image.Image, error) {
	_, stored := f.session()
	blob, err := stored.OpenBlob(want.Ref)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	size, err := blob.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", path.Base(want.Ref), err)
	}
	bytes, ok := blob.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s cannot be read in parts", path.Base(want.Ref))
	}
	source := media.Source{Name: path.Base(want.Ref), Bytes: bytes, Size: size, Clipboard: true}
	return f.settings.Gate.Preview(ctx, source, want.Region, want.Side)
}
