package media

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	stdpng "image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/image/draw"
)

// screenFile is a 4K screenshot as PNG.
func screenFile(b testing.TB, w, h int) []byte {
	b.Helper()
	var out bytes.Buffer
	if err := (&stdpng.Encoder{CompressionLevel: stdpng.BestSpeed}).Encode(&out, screenshot(w, h)); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// heapPeak samples the heap while work runs and reports the most it rose by, in bytes. Garbage counts until it is
// collected, which with GOGC at 10 is soon.
func heapPeak(work func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var stop atomic.Bool
	done := make(chan uint64)
	go func() {
		peak := before.HeapAlloc
		for !stop.Load() {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
			time.Sleep(time.Millisecond)
		}
		done <- peak - before.HeapAlloc
	}()
	work()
	stop.Store(true)
	return <-done
}

func BenchmarkScreenshotTo2048(b *testing.B) {
	for _, size := range []image.Point{{1920, 1080}, {3840, 2160}, {8192, 4096}} {
		data := screenFile(b, size.X, size.Y)
		name := strconv.Itoa(size.X)
		b.Run("gate/"+name, func(b *testing.B) {
			b.ReportAllocs()
			gate := NewGate()
			var peak uint64
			for b.Loop() {
				peak = max(peak, heapPeak(func() {
					if _, err := gate.Ingest(context.Background(), nullSink{}, sourceOf("shot.png", data), Options{}); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
		})
		b.Run("library/"+name, func(b *testing.B) {
			b.ReportAllocs()
			var peak uint64
			for b.Loop() {
				peak = max(peak, heapPeak(func() { libraryRender(b, data) }))
			}
			b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
		})
	}
}

// libraryRender is the same work with what Go brings: decode whole, scale, encode.
func libraryRender(b *testing.B, data []byte) {
	m, err := stdpng.Decode(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	size := fitSide(m.Bounds().Size(), sideAuto)
	out := image.NewNRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(out, out.Bounds(), m, m.Bounds(), draw.Src, nil)
	var buf bytes.Buffer
	if err := stdpng.Encode(&buf, out); err != nil {
		b.Fatal(err)
	}
}

type nullSink struct{}

func (nullSink) PutBlob(_ context.Context, ext string, r io.Reader) (string, error) {
	_, err := io.Copy(io.Discard, r)
	return "blobs/0." + ext, err
}

// heavy are pictures at the limits, by what makes them heavy.
func heavy() map[string]func() []byte {
	encodeTo := func(m image.Image) []byte {
		var b bytes.Buffer
		_ = (&stdpng.Encoder{CompressionLevel: stdpng.BestSpeed}).Encode(&b, m)
		return b.Bytes()
	}
	photoFile := func(m image.Image) []byte {
		var b bytes.Buffer
		_ = jpeg.Encode(&b, m, &jpeg.Options{Quality: 85})
		return b.Bytes()
	}
	return map[string]func() []byte{
		"png-8192x4096":       func() []byte { return encodeTo(screenshot(8192, 4096)) },
		"png-5792x5792":       func() []byte { return encodeTo(screenshot(5792, 5792)) },
		"png-5792x5792-alpha": func() []byte { return encodeTo(veiled(screenshot(5792, 5792))) },
		"png-5792x5792-turned": func() []byte {
			b := encodeTo(screenshot(5792, 5792))
			return insertChunk(b, pngChunk("eXIf", exif("II", 6)))
		},
		"png-5792x5792-p3": func() []byte { return insertChunk(encodeTo(screenshot(5792, 5792)), iccp(displayP3())) },
		"jpeg-4000x3000":   func() []byte { return photoFile(photograph(4000, 3000)) },
		"jpeg-8192x4096":   func() []byte { return photoFile(photograph(8192, 4096)) },
	}
}

func veiled(m *image.NRGBA) *image.NRGBA {
	for x := range m.Rect.Dx() {
		m.SetNRGBA(x, 0, color.NRGBA{1, 2, 3, 100})
	}
	return m
}

// BenchmarkPeak reports the heap above the idle program for pictures at the limits, the source in a file.
func BenchmarkPeak(b *testing.B) {
	for name, make := range heavy() {
		path := filepath.Join(b.TempDir(), name)
		data := make()
		if len(data) > MaxSourceImageBytes {
			b.Logf("%s is %d bytes long, over the limit", name, len(data))
			continue
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		data = nil
		for _, detail := range []Detail{DetailAuto, DetailHigh} {
			b.Run(name+"/"+string(detail), func(b *testing.B) {
				f, size := openFile(b, path)
				var peak uint64
				var steps []string
				for b.Loop() {
					peak = max(peak, heapPeak(func() {
						pic, err := NewGate().Ingest(context.Background(), nullSink{}, Source{Name: name, Bytes: f, Size: size}, Options{Detail: detail})
						if err != nil {
							b.Fatal(err)
						}
						steps = pic.Receipt.Encoder
					}))
				}
				b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
				b.Log(steps)
			})
		}
	}
}

// BenchmarkPeakTogether is eight large screenshots at once through one gate.
func BenchmarkPeakTogether(b *testing.B) {
	data := screenFile(b, 3840, 2160)
	gate := NewGate()
	var peak uint64
	for b.Loop() {
		peak = max(peak, heapPeak(func() {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if _, err := gate.Ingest(context.Background(), nullSink{}, sourceOf("shot.png", data), Options{}); err != nil {
						b.Error(err)
					}
				})
			}
			wg.Wait()
		}))
	}
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}
