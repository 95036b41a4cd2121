package jpeg

import (
	"bytes"
	"fmt"
	"image"
	stdjpeg "image/jpeg"
	"math"
	"testing"

	"espy/media/rows"
)

func optionsOf(window image.Rectangle, shrink int) rows.Options {
	return rows.Options{Window: window, Shrink: shrink}
}

var sampled = []string{
	"gray", "gray-progressive", "rgb", "cmyk", "luma1x1", "luma2x1-scans", "luma1x2-progressive", "luma2x2", "luma2x2-progressive", "luma4x2",
	"luma3x1", "luma3x2-progressive", "luma1x4", "luma1x1-chroma2x2", "luma2x2-chroma2x1-1x2", "cmyk-progressive",
}

func TestAWindowIsCutOutOfTheWholePicture(t *testing.T) {
	windows := []image.Rectangle{
		image.Rect(0, 0, 1, 1), image.Rect(82, 58, 83, 59), image.Rect(10, 9, 31, 33), image.Rect(17, 16, 18, 48), image.Rect(0, 20, 83, 21),
		image.Rect(-5, -5, 20, 20), image.Rect(40, 30, 500, 500), image.Rect(0, 0, 83, 59),
	}
	for _, name := range sampled {
		data := written(t, name)
		for _, shrink := range []int{1, 2, 4, 8} {
			whole, _, err := decodeWith(t, data, optionsOf(image.Rectangle{}, shrink))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, w := range windows {
				k, res, err := decodeWith(t, data, optionsOf(w, shrink))
				if err != nil {
					t.Errorf("%s %v/%d: %v", name, w, shrink, err)
					continue
				}
				if w = w.Intersect(image.Rect(0, 0, 83, 59)); !w.In(res.Window) || res.Window != k.head.Window || res.Shrink != shrink {
					t.Errorf("%s %v/%d: delivered %v/%d, announced %v", name, w, shrink, res.Window, res.Shrink, k.head.Window)
				}
				checkCut(t, fmt.Sprint(name, w, shrink), k, whole)
			}
		}
	}
	if _, _, err := decodeWith(t, written(t, "gray"), optionsOf(image.Rect(100, 0, 120, 10), 1)); err == nil {
		t.Error("a window outside the picture was delivered")
	}
}

// checkCut compares each plane of a window with that part of the whole.
func checkCut(t *testing.T, name string, k, whole *keeper) {
	t.Helper()
	for i, size := range k.head.Planes {
		full, n := whole.head.Planes[i], k.samples()
		stepX, stepY := steps(83, full.X, k.head.Shrink), steps(59, full.Y, k.head.Shrink)
		x0, y0 := k.head.Window.Min.X/stepX, k.head.Window.Min.Y/stepY
		if k.head.Window.Min.X%stepX != 0 || k.head.Window.Min.Y%stepY != 0 {
			t.Errorf("%s: the window %v begins inside a sample of plane %d", name, k.head.Window, i)
		}
		for y := range size.Y {
			want := whole.planes[i][((y0+y)*full.X+x0)*n:][:size.X*n]
			if got := k.planes[i][y*size.X*n:][:size.X*n]; !bytes.Equal(got, want) {
				t.Errorf("%s: plane %d differs in its row %d", name, i, y)
				return
			}
		}
	}
}

// steps is how many pixels a sample of a shrunk plane stands for.
func steps(pixels, samples, shrink int) int {
	for n := shrink; ; n += shrink {
		if (pixels+n-1)/n == samples {
			return n
		}
	}
}

func TestAShrunkPictureHasTheMeansOfTheWhole(t *testing.T) {
	for _, name := range sampled {
		data := written(t, name)
		whole, _, err := decode(t, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, shrink := range []int{2, 4, 8} {
			k, res, err := decodeWith(t, data, optionsOf(image.Rectangle{}, shrink))
			if err != nil || len(res.Warnings) > 0 {
				t.Errorf("%s/%d: %v, %q", name, shrink, err, res.Warnings)
				continue
			}
			if want := image.Pt((83+shrink-1)/shrink, (59+shrink-1)/shrink); k.head.Planes[0] != want {
				t.Errorf("%s/%d: %v samples, want %v", name, shrink, k.head.Planes[0], want)
			}
			if k.head.Layout == rows.RGB && len(name) > 3 {
				continue // the mean of mixed inks is not the mix of their means
			}
			for i, size := range k.head.Planes {
				if d := largestOfMeans(k.planes[i], whole.planes[i], size, whole.head.Planes[i], shrink, k.samples()); d > 3 {
					t.Errorf("%s/%d: plane %d has squares whose mean is off by %.1f", name, shrink, i, d)
				}
			}
		}
	}
}

// largestOfMeans is the largest difference between the means of 16x16 samples and of what became of them. A reduced
// transform keeps the mean of every block; only samples that were cut to a byte can make a difference.
func largestOfMeans(small, large []byte, size, full image.Point, shrink, n int) float64 {
	mean := func(pix []byte, width, x, y, side, c int) float64 {
		sum := 0
		for dy := range side {
			for dx := range side {
				sum += int(pix[((y+dy)*width+x+dx)*n+c])
			}
		}
		return float64(sum) / float64(side*side)
	}
	most := 0.0
	for y := 0; y+16 <= full.Y; y += 16 {
		for x := 0; x+16 <= full.X; x += 16 {
			for c := range n {
				d := mean(small, size.X, x/shrink, y/shrink, 16/shrink, c) - mean(large, full.X, x, y, 16, c)
				most = max(most, math.Abs(d))
			}
		}
	}
	return most
}

func TestWhatLiesBelowTheWindowIsNotDecoded(t *testing.T) {
	data := encoded(t, scene(160, 400), 85)
	at := segmentAt(t, data, markSOS) + 14
	broken := append(bytes.Clone(data[:at+(len(data)-at)/2]), bytes.Repeat([]byte{0x5a}, 500)...)
	_, res, err := decodeWith(t, broken, optionsOf(image.Rect(0, 0, 160, 100), 1))
	if err != nil || len(res.Warnings) > 0 {
		t.Errorf("%v, warnings %q for damage below the window", err, res.Warnings)
	}
}

// A component in a scan of its own is coded like a gray picture, so that gray pictures can be put together to one of
// any sampling.
func TestAnySamplingFactorsPutEverySampleWhereItBelongs(t *testing.T) {
	size := image.Pt(61, 43)
	for _, factors := range [][3][2]int{
		{{4, 1}, {3, 1}, {2, 1}}, {{3, 3}, {2, 2}, {1, 1}}, {{1, 2}, {2, 1}, {1, 1}}, {{1, 1}, {4, 4}, {2, 3}}, {{4, 4}, {1, 1}, {3, 1}}, {{2, 2}, {2, 2}, {2, 2}},
	} {
		hMax, vMax := 1, 1
		for _, f := range factors {
			hMax, vMax = max(hMax, f[0]), max(vMax, f[1])
		}
		var parts [][]byte
		var stored []*image.Gray
		for i, f := range factors {
			g := image.NewGray(image.Rect(0, 0, (size.X*f[0]+hMax-1)/hMax, (size.Y*f[1]+vMax-1)/vMax))
			for j := range g.Pix {
				g.Pix[j] = byte(j*(i+3)) ^ byte(j>>5)
			}
			parts = append(parts, encoded(t, g, 95))
			m, err := stdjpeg.Decode(bytes.NewReader(parts[i]))
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, m.(*image.Gray))
		}
		k, res, err := decode(t, together(t, size, factors, parts))
		if err != nil || len(res.Warnings) > 0 {
			t.Errorf("%v: %v, %q", factors, err, res.Warnings)
			continue
		}
		if k.head.Planes[0] != size {
			t.Errorf("%v: brightness has %v samples, want one a pixel", factors, k.head.Planes[0])
		}
		for i, plane := range k.head.Planes {
			stepX, stepY := steps(size.X, plane.X, 1), steps(size.Y, plane.Y, 1)
			var want []byte
			for y := range plane.Y {
				for x := range plane.X {
					sx := (2*x + 1) * stepX * factors[i][0] / (2 * hMax)
					sy := (2*y + 1) * stepY * factors[i][1] / (2 * vMax)
					want = append(want, stored[i].GrayAt(sx, sy).Y)
				}
			}
			mustEqual(t, fmt.Sprint(factors, i), k.planes[i:i+1], [][]byte{want}, tolerance)
		}
	}
}

// together makes one picture of three gray ones.
func together(t *testing.T, size image.Point, factors [3][2]int, parts [][]byte) []byte {
	out := []byte{0xff, markSOI}
	for _, mark := range []byte{markDQT, markDHT} {
		at := segmentAt(t, parts[0], mark)
		out = append(out, parts[0][at:at+2+int(parts[0][at+2])<<8+int(parts[0][at+3])]...)
	}
	out = append(out, 0xff, markSOF0, 0, 17, 8, 0, byte(size.Y), 0, byte(size.X), 3)
	for i, f := range factors {
		out = append(out, byte(i+1), byte(f[0]<<4|f[1]), 0)
	}
	for i, p := range parts {
		at := segmentAt(t, p, markSOS)
		out = append(out, 0xff, markSOS, 0, 8, 1, byte(i+1), 0, 0, 63, 0)
		out = append(out, p[at+10:len(p)-2]...)
	}
	return append(out, 0xff, markEOI)
}
