package clipboard

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/bmp"
)

// dibOf encodes a picture as BMP and takes the file header off, as the Windows clipboard holds it.
func dibOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := bmp.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()[fileHeader:]
}

func TestABitmapOfTheWindowsClipboardBecomesABMPFile(t *testing.T) {
	rgb := image.NewRGBA(image.Rect(0, 0, 5, 3))
	for i := range rgb.Pix {
		rgb.Pix[i] = byte(i*7) | 0x80
	}
	palette := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	palette.SetColorIndex(2, 2, 1)
	for name, img := range map[string]image.Image{"true colour": rgb, "palette": palette} {
		data, err := bmpFromDIB(dibOf(t, img))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !isBMP(data) {
			t.Errorf("%s: the result does not look like a BMP file", name)
		}
		got, err := bmp.Decode(bytes.NewReader(data))
		if err != nil || got.Bounds() != img.Bounds() {
			t.Errorf("%s: decodes to %v, %v", name, got, err)
		}
	}
}

func TestADamagedBitmapIsRefused(t *testing.T) {
	good := dibOf(t, image.NewRGBA(image.Rect(0, 0, 2, 2)))
	huge := bytes.Clone(good)
	copy(huge[32:], []byte{0xff, 0xff, 0xff, 0x7f})
	for name, dib := range map[string][]byte{"empty": nil, "cut": good[:20], "core header": append([]byte{12}, good[1:]...), "more colours than bytes": huge} {
		if _, err := bmpFromDIB(dib); err == nil {
			t.Errorf("%s: admitted", name)
		}
	}
}

func FuzzDIB(f *testing.F) {
	f.Add([]byte{40, 0, 0, 0})
	f.Fuzz(func(t *testing.T, dib []byte) {
		out, err := bmpFromDIB(dib)
		if err == nil && !bytes.Equal(out[fileHeader:], dib) {
			t.Fatal("the bitmap itself was changed")
		}
	})
}
