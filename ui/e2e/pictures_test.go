//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"testing"
)

// shot draws a screenshot of a size, different for each seed: flat areas with lines of text-like noise.
func shot(t testing.TB, width, height int, seed uint64) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(seed, 7))
	background := color.NRGBA{uint8(random.IntN(256)), uint8(random.IntN(256)), uint8(random.IntN(256)), 255}
	for y := range height {
		for x := range width {
			c := background
			if y%16 < 10 && x > 20 && x < width/2 && random.IntN(4) == 0 {
				c = color.NRGBA{20, 20, 20, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// pixel is a pixel of a picture on disk, as "red,green,blue".
func pixel(t testing.TB, name string, x, y int) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return fmt.Sprintf("%d,%d,%d", r>>8, g>>8, b>>8)
}
