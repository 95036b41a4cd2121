package agent

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"espy/agent/guard"
)

// BenchmarkPasteOf3840x2160 is a dropped screenshot from its path to the attachment that stands on the row: copied,
// taken through the gate, stored and numbered. Beside the time on the clock it reports that of the processor, which other
// programs do not lengthen.
func BenchmarkPasteOf3840x2160(b *testing.B) {
	h := newHouse(b, guard.ModeAsk)
	defer h.stop()
	path := filepath.Join(h.dir, "shot.png")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := png.Encode(f, window(3840, 2160)); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for b.Loop() {
		got, err := h.intake.PastedText(context.Background(), path)
		if err != nil || len(got.Attachments) != 1 {
			b.Fatalf("%+v, %v", got, err)
		}
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	took := after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(took)/1e6/float64(b.N), "cpu-ms/op")
}

// window is a screen of marks the size of letters.
func window(w, h int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(3, 4))
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			c := color.NRGBA{250, 250, 248, 255}
			if y/14%2 == 0 && x/8%7 < 5 && r.IntN(3) == 0 {
				c = color.NRGBA{40, 40, byte(50 + r.IntN(4)*30), 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}
