package webp

import (
	"bytes"
	"context"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/image/webp"

	"espy/media/rows"
)

// heapPeak samples the heap while work runs and reports the most it rose by, in bytes.
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

// nothing takes rows and forgets them.
type nothing struct{}

func (nothing) Begin(rows.Header) error { return nil }
func (nothing) Row(int, []byte) error   { return nil }

// large are pictures of 8192 by 4096.
var large = []struct {
	name string
	make func() image.Image
	args []string
}{
	{"lossy", func() image.Image { return photograph(8192, 4096) }, []string{"-q", "75", "-m", "1"}},
	{"lossy-alpha", func() image.Image { return screenshot(8192, 4096, false, true) }, []string{"-q", "75", "-m", "1"}},
	{"lossless", func() image.Image { return screenshot(8192, 4096, false, false) }, []string{"-lossless", "-q", "20", "-m", "1"}},
	{"lossless-16", func() image.Image { return screenshot(8192, 4096, true, false) }, []string{"-lossless", "-q", "20", "-m", "1"}},
}

func BenchmarkLarge(b *testing.B) {
	for _, l := range large {
		path := filepath.Join(b.TempDir(), l.name)
		if err := os.WriteFile(path, encode(b, l.make(), l.args...), 0o600); err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		info, _ := f.Stat()
		b.Run(l.name+"/rows", func(b *testing.B) {
			measure(b, func() error {
				_, err := Decode(context.Background(), f, info.Size(), rows.Options{}, nothing{})
				return err
			})
		})
		b.Run(l.name+"/library", func(b *testing.B) {
			measure(b, func() error {
				data, _ := os.ReadFile(path)
				_, err := webp.Decode(bytes.NewReader(data))
				return err
			})
		})
	}
}

func measure(b *testing.B, work func() error) {
	b.ReportAllocs()
	var peak uint64
	for b.Loop() {
		peak = max(peak, heapPeak(func() {
			if err := work(); err != nil {
				b.Fatal(err)
			}
		}))
	}
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}
