package media

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"

	"espy/media/rows"
)

// psnr compares two pictures of one size, in decibels.
func psnr(a, b image.Image) float64 {
	var sum float64
	n := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(ar>>8) - int(br>>8), int(ag>>8) - int(bg>>8), int(ab>>8) - int(bb>>8)} {
				sum += float64(d * d)
				n++
			}
		}
	}
	return 10 * math.Log10(255*255*float64(n)/max(sum, 1e-9))
}

func TestScalingAgreesWithTheLibrarysScalerAndItsKernels(t *testing.T) {
	for _, c := range []struct {
		w, h, side int
		least      float64
	}{{400, 300, 213, 45}, {300, 400, 299, 45}, {640, 480, 160, 30}, {333, 77, 100, 45}} {
		m := photograph(c.w, c.h)
		pic, got := ingest(t, pngOf(t, smooth(m)), Options{Fit: Fit{MaxSide: c.side}})
		want := image.NewNRGBA(got.Bounds())
		k := &draw.Kernel{Support: 3, At: lanczos3}
		if c.w >= boxFrom*c.side {
			k = draw.CatmullRom
		}
		k.Scale(want, want.Bounds(), smooth(m), m.Bounds(), draw.Src, nil)
		least := c.least
		if pic.Image.MediaType == "image/jpeg" {
			least = min(least, 30) // what JPEG itself loses on noise
		}
		if p := psnr(got, want); p < least {
			t.Errorf("%dx%d to %d: %.1f dB from the library's result, want %.0f", c.w, c.h, c.side, p, least)
		}
	}
}

// smooth leaves flat blocks in a picture, so that it is sent without loss and can be compared.
func smooth(m *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			out.SetNRGBA(x, y, m.NRGBAAt(x/6*6, y/6*6))
		}
	}
	return out
}

func TestOneColourStaysThatColourAtEverySizeAndLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 200 {
		w, h := 1+r.IntN(90), 1+r.IntN(90)
		layout := []rows.Layout{rows.Gray, rows.RGB, rows.RGBA, rows.YCbCr}[r.IntN(4)]
		sub := 1 + r.IntN(2)
		want := image.Rect(0, 0, w, h)
		if r.IntN(2) == 0 {
			want = image.Rect(r.IntN(w), r.IntN(h), w, h)
		}
		render := &renderer{want: want, side: 1 + r.IntN(100), budget: 1 << 30}
		head := rows.Header{Layout: layout, Planes: []image.Point{{w, h}}, Window: image.Rect(0, 0, w, h)}
		if layout == rows.YCbCr {
			part := image.Pt(ceilDiv(w, sub), ceilDiv(h, sub))
			head.Planes = append(head.Planes, part, part)
		}
		if err := render.Begin(head); err != nil {
			t.Fatal(err)
		}
		for i, p := range head.Planes {
			for range p.Y {
				if err := render.Row(i, bytes.Repeat([]byte{200}, p.X*samplesOf(layout))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !render.complete() {
			t.Fatal("not complete")
		}
		size := render.canvas.size
		if size.X > want.Dx() || size.Y > want.Dy() || max(size.X, size.Y) != min(max(want.Dx(), want.Dy()), render.side) {
			t.Errorf("%v with side %d became %v", want, render.side, size)
		}
		for i, p := range render.canvas.planes {
			for _, v := range p.pix {
				if v != 200 {
					t.Fatalf("layout %d, %v to %v: a sample of plane %d is %d, want 200", layout, want, size, i, v)
				}
			}
		}
	}
}

func TestWhatIsTransparentDoesNotBleedIntoItsNeighbours(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 80, 80))
	for y := range 80 {
		for x := range 80 {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= 40 {
				c = color.NRGBA{0, 255, 0, 0} // green that nobody sees
			}
			m.SetNRGBA(x, y, c)
		}
	}
	for _, side := range []int{10, 31, 50} {
		_, got := ingest(t, pngOf(t, m), Options{Fit: Fit{MaxSide: side}})
		for x := range got.Bounds().Dx() {
			if c := color.NRGBAModel.Convert(got.At(x, side/2)).(color.NRGBA); c.A > 0 && (c.R < 250 || c.G > 5) {
				t.Errorf("side %d, column %d: %v", side, x, c)
			}
		}
	}
}

func TestAWindowThatADecoderWidenedIsCutExactly(t *testing.T) {
	m := screenshot(64, 48)
	want := image.Rect(7, 5, 40, 33)
	render := &renderer{want: want, side: 4096, budget: 1 << 30}
	wide := image.Rect(0, 0, 48, 40)
	if err := render.Begin(rows.Header{Layout: rows.RGBA, Planes: []image.Point{wide.Size()}, Window: wide}); err != nil {
		t.Fatal(err)
	}
	for y := range wide.Dy() {
		if err := render.Row(0, m.Pix[y*m.Stride:][:wide.Dx()*4]); err != nil {
			t.Fatal(err)
		}
	}
	p := render.canvas.planes[0]
	for y := range want.Dy() {
		at := m.PixOffset(want.Min.X, want.Min.Y+y)
		if !bytes.Equal(p.row(y), m.Pix[at:at+want.Dx()*4]) {
			t.Fatalf("row %d differs", y)
		}
	}
}

func TestAReducedDecodeLandsOnTheSamePlace(t *testing.T) {
	// A bright column at 512 of 1024, delivered at an eighth, must be in the middle of a result 32 wide.
	render := &renderer{want: image.Rect(0, 0, 1024, 64), side: 32, budget: 1 << 30}
	if err := render.Begin(rows.Header{Layout: rows.Gray, Planes: []image.Point{{128, 8}}, Shrink: 8}); err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 128)
	for x := range row[:64] {
		row[x] = 255
	}
	for range 8 {
		if err := render.Row(0, row); err != nil {
			t.Fatal(err)
		}
	}
	got := render.canvas.planes[0].row(0)
	for x, v := range got {
		if x < 15 && v < 240 || x > 16 && v > 15 {
			t.Errorf("column %d is %d", x, v)
		}
	}
}

func TestADecoderThatBreaksItsPromiseIsAnError(t *testing.T) {
	begin := func() *renderer {
		r := &renderer{want: image.Rect(0, 0, 4, 2), side: 10, budget: 1 << 20}
		if err := r.Begin(rows.Header{Layout: rows.RGB, Planes: []image.Point{{4, 2}}}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := begin()
	if r.Row(1, make([]byte, 12)) == nil || r.Row(0, make([]byte, 11)) == nil || r.complete() {
		t.Error("a wrong plane, a short row or missing rows were accepted")
	}
	r = begin()
	_, _ = r.Row(0, make([]byte, 12)), r.Row(0, make([]byte, 12))
	if !r.complete() || r.Row(0, make([]byte, 12)) == nil {
		t.Error("a row too many was accepted")
	}
	if (&renderer{want: image.Rect(0, 0, 9, 9)}).Begin(rows.Header{Planes: []image.Point{{4, 4}}, Window: image.Rect(0, 0, 4, 4)}) == nil {
		t.Error("a part that lacks some of what is wanted was accepted")
	}
}

func TestTheStepOfAChromaPlaneIsToldByItsSize(t *testing.T) {
	for _, c := range []struct {
		full, part int
		step       float64
	}{{1, 1, 1}, {2, 1, 2}, {7, 2, 4}, {10, 3, 4}, {10, 4, 3}, {10, 5, 2}, {10, 10, 1}, {83, 21, 4}, {83, 28, 3}, {83, 42, 2}, {8192, 2048, 4}} {
		if got := subsampling(c.full, c.part); got != c.step {
			t.Errorf("%d samples for %d pixels: a step of %v, want %v", c.part, c.full, got, c.step)
		}
	}
}
