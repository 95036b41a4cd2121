package webp

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"espy/media/rows"
)

// corpora is the folder of public test pictures beside the project.
func corpora(t testing.TB) string {
	t.Helper()
	if shared := os.Getenv("ESPY_SHARED"); shared != "" {
		dir := filepath.Join(shared, "corpora")
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("ESPY_SHARED is set and there are no test pictures: %v", err)
		}
		return dir
	}
	for dir, _ := os.Getwd(); ; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared", "corpora")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no folder shared/corpora above this one; set ESPY_SHARED to run over the public test pictures")
		}
	}
}

// keeper keeps the rows it is given, and holds the decoder to its contract.
type keeper struct {
	head   rows.Header
	planes [4][]byte
	fault  error
}

var samplesOf = map[rows.Layout]int{rows.Gray: 1, rows.RGB: 3, rows.RGBA: 4, rows.YCbCr: 1, rows.YCbCrA: 1}

func (k *keeper) Begin(h rows.Header) error { k.head = h; return nil }

func (k *keeper) Row(plane int, b []byte) error {
	if plane >= len(k.head.Planes) || len(b) != k.head.Planes[plane].X*samplesOf[k.head.Layout] {
		k.fault = fmt.Errorf("a row of %d samples for plane %d of %v", len(b), plane, k.head.Planes)
		return k.fault
	}
	k.planes[plane] = append(k.planes[plane], b...)
	return nil
}

// complete reports a plane that did not get all of its rows.
func (k *keeper) complete() error {
	for i, size := range k.head.Planes {
		if want := size.X * size.Y * samplesOf[k.head.Layout]; len(k.planes[i]) != want {
			return fmt.Errorf("plane %d has %d samples, want %d", i, len(k.planes[i]), want)
		}
	}
	return k.fault
}

func decode(data []byte, window image.Rectangle) (*keeper, rows.Result, error) {
	k := &keeper{}
	res, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{Window: window}, k)
	if err == nil {
		err = k.complete()
	}
	return k, res, err
}

// sample is one sample of a plane.
func (k *keeper) sample(plane, x, y int) byte { return k.planes[plane][y*k.head.Planes[plane].X+x] }

// at is a pixel of the window: as delivered for packed layouts, else as image/color makes RGB of full-range samples.
func (k *keeper) at(x, y int) color.NRGBA {
	n := samplesOf[k.head.Layout]
	switch k.head.Layout {
	case rows.RGB, rows.RGBA:
		p := k.planes[0][(y*k.head.Planes[0].X+x)*n:]
		if n == 3 {
			return color.NRGBA{p[0], p[1], p[2], 255}
		}
		return color.NRGBA{p[0], p[1], p[2], p[3]}
	}
	r, g, b := color.YCbCrToRGB(k.sample(0, x, y), k.sample(1, x/2, y/2), k.sample(2, x/2, y/2))
	a := byte(255)
	if k.head.Layout == rows.YCbCrA {
		a = k.sample(3, x, y)
	}
	return color.NRGBA{r, g, b, a}
}
