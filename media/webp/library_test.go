package webp

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/webp"

	"espy/media/rows"
)

// full is a sample of BT.601's limited range on the full one, by the definition.
func full(v byte, low, span, centre float64) byte {
	return byte(min(max(math.Floor((float64(v)-low)*255/span+centre+0.5), 0), 255))
}

// same compares the delivered window with the library's picture, sample for sample.
func same(k *keeper, ref image.Image) error {
	w := k.head.Window
	switch m := ref.(type) {
	case *image.NRGBA:
		for y := w.Min.Y; y < w.Max.Y; y++ {
			for x := w.Min.X; x < w.Max.X; x++ {
				want := m.NRGBAAt(x, y)
				if k.head.Layout == rows.RGB {
					want.A = 255
				}
				if got := k.at(x-w.Min.X, y-w.Min.Y); got != want {
					return fmt.Errorf("pixel %d,%d is %v, want %v", x, y, got, want)
				}
			}
		}
		return nil
	case *image.YCbCr:
		return samePlanes(k, m, nil)
	case *image.NYCbCrA:
		return samePlanes(k, &m.YCbCr, m)
	}
	return fmt.Errorf("the library made a %T", ref)
}

func samePlanes(k *keeper, m *image.YCbCr, alpha *image.NYCbCrA) error {
	w := k.head.Window
	if want := map[bool]rows.Layout{false: rows.YCbCr, true: rows.YCbCrA}[alpha != nil]; k.head.Layout != want {
		return fmt.Errorf("layout %v, want %v", k.head.Layout, want)
	}
	for y := w.Min.Y; y < w.Max.Y; y++ {
		for x := w.Min.X; x < w.Max.X; x++ {
			at := m.YOffset(x, y)
			if got, want := k.sample(0, x-w.Min.X, y-w.Min.Y), full(m.Y[at], 16, 219, 0); got != want {
				return fmt.Errorf("brightness at %d,%d is %d, want %d", x, y, got, want)
			}
			at = m.COffset(x, y)
			cx, cy := x/2-w.Min.X/2, y/2-w.Min.Y/2
			if got, want := k.sample(1, cx, cy), full(m.Cb[at], 128, 224, 128); got != want {
				return fmt.Errorf("Cb at %d,%d is %d, want %d", x, y, got, want)
			}
			if got, want := k.sample(2, cx, cy), full(m.Cr[at], 128, 224, 128); got != want {
				return fmt.Errorf("Cr at %d,%d is %d, want %d", x, y, got, want)
			}
			if alpha == nil {
				continue
			}
			if got, want := k.sample(3, x-w.Min.X, y-w.Min.Y), alpha.A[alpha.AOffset(x, y)]; got != want {
				return fmt.Errorf("alpha at %d,%d is %d, want %d", x, y, got, want)
			}
		}
	}
	return nil
}

// pictures are the WebP files among the public test pictures.
func pictures(t testing.TB) map[string][]byte {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(corpora(t), "*", "*.webp"))
	all := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = data
	}
	if len(all) < 100 {
		t.Fatalf("only %d WebP files among the test pictures", len(all))
	}
	return all
}

func TestEveryWebPTheLibraryReadsComesOutSampleForSample(t *testing.T) {
	compared := 0
	for name, data := range pictures(t) {
		ref, err := webp.Decode(bytes.NewReader(data))
		if err != nil {
			t.Logf("%s: the library says %v", name, err)
			ref = nil
		}
		k, _, err := decode(data, image.Rectangle{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ref == nil {
			continue
		}
		compared++
		if k.head.Window != ref.Bounds() {
			t.Errorf("%s: %v, want %v", name, k.head.Window, ref.Bounds())
			continue
		}
		if err := same(k, ref); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Logf("%d compared", compared)
}
