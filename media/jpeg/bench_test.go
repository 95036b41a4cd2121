package jpeg

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"espy/media/rows"
)

// nowhere takes rows and forgets them.
type nowhere struct{}

func (nowhere) Begin(rows.Header) error { return nil }
func (nowhere) Row(int, []byte) error   { return nil }

// large writes the scene at 8192x4096 with the reference encoder, which a machine may not have.
func large(b *testing.B) func(args ...string) []byte {
	cjpeg, err := exec.LookPath("cjpeg")
	if err != nil {
		b.Skip("cjpeg, which writes the test pictures, is not installed")
	}
	ppm := filepath.Join(b.TempDir(), "scene.ppm")
	var pix bytes.Buffer
	fmt.Fprintf(&pix, "P6\n8192 4096\n255\n")
	for y := range 4096 {
		for x := range 8192 {
			c := photo(x, y)
			pix.Write([]byte{c.R, c.G, c.B})
		}
	}
	if err := os.WriteFile(ppm, pix.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return func(args ...string) []byte {
		data, err := exec.Command(cjpeg, append(args, ppm)...).Output()
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
}

// photo is a pixel of a picture as smooth and as rough as a photograph: 1.5 bits a pixel at quality 85.
func photo(x, y int) color.RGBA {
	n := uint32(x*7919) ^ uint32(y*104729)
	n = (n ^ n>>15) * 0x2c1b3c6d
	n = (n ^ n>>12) * 0x297a2d39
	rough := int(n>>28) * ((x>>8 + y>>8) & 3)
	v := (x*x>>9+y*y>>10+x*y>>11)>>3 + rough/2
	return color.RGBA{byte(min(v&511, 511-v&511)), byte(min((v+y>>3)&511, 511-(v+y>>3)&511)), byte(128 + rough), 255}
}

// BenchmarkDecode reads 8192x4096 pixels with this decoder and the library's. heap-KiB is the most that was alive
// during a decode beyond what was before.
func BenchmarkDecode(b *testing.B) {
	write := large(b)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"420", []string{"-quality", "85"}},
		{"444", []string{"-quality", "85", "-sample", "1x1"}},
		{"420-progressive", []string{"-quality", "85", "-progressive"}},
		{"444-progressive", []string{"-quality", "85", "-sample", "1x1", "-progressive"}},
		{"gray", []string{"-quality", "85", "-grayscale"}},
	} {
		data := write(c.args...)
		for _, shrink := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("%s/rows/%d", c.name, shrink), func(b *testing.B) {
				measure(b, data, func() error {
					_, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{Shrink: shrink}, nowhere{})
					return err
				})
			})
		}
		b.Run(c.name+"/window", func(b *testing.B) {
			measure(b, data, func() error {
				opt := rows.Options{Window: image.Rect(3000, 1000, 4024, 2024)}
				_, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), opt, nowhere{})
				return err
			})
		})
		b.Run(c.name+"/library", func(b *testing.B) {
			measure(b, data, func() error {
				_, err := stdjpeg.Decode(bytes.NewReader(data))
				return err
			})
		})
	}
}

// measure runs a decode and reports the most memory that was alive, in KiB.
func measure(b *testing.B, data []byte, decode func() error) {
	b.SetBytes(8192 * 4096)
	b.ReportAllocs()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var most uint64
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				runtime.ReadMemStats(&now)
				if now.HeapInuse > before.HeapInuse {
					most = max(most, now.HeapInuse-before.HeapInuse)
				}
			}
		}
	})
	for b.Loop() {
		if err := decode(); err != nil {
			b.Fatal(err)
		}
	}
	close(stop)
	wait.Wait()
	b.ReportMetric(float64(most)/1024, "heap-KiB")
	b.ReportMetric(float64(len(data))/1024, "file-KiB")
}
