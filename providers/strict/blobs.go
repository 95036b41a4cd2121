package strict

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"espy/agent/message"
)

// Blobs is a folder of real pictures that serves as a providers.Blobs.
type Blobs struct {
	dir string
	t   testing.TB
}

// NewBlobs makes an empty folder that goes with the test.
func NewBlobs(t testing.TB) *Blobs { return &Blobs{t.TempDir(), t} }

// OpenBlob opens what a Ref names.
func (b *Blobs) OpenBlob(ref string) (io.ReadSeekCloser, error) {
	return os.Open(filepath.Join(b.dir, filepath.Base(ref)))
}

// Picture stores a picture of the size in "png", "jpeg" or "gif".
func (b *Blobs) Picture(format string, width, height int) message.Image {
	b.t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var buf bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		err = jpeg.Encode(&buf, img, nil)
	case "gif":
		err = gif.Encode(&buf, img, nil)
	default:
		err = png.Encode(&buf, img)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Put(buf.Bytes(), format, width, height)
}

// Put stores bytes that need not be a picture.
func (b *Blobs) Put(data []byte, format string, width, height int) message.Image {
	b.t.Helper()
	name := fmt.Sprintf("%x.%s", sha256.Sum256(data), format)
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
	return message.Image{Ref: "blobs/" + name, MediaType: "image/" + format, Width: width, Height: height}
}

// Remove deletes a blob.
func (b *Blobs) Remove(img message.Image) {
	b.t.Helper()
	if err := os.Remove(filepath.Join(b.dir, filepath.Base(img.Ref))); err != nil {
		b.t.Fatal(err)
	}
}
