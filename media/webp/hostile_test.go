package webp

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"espy/media/rows"
)

// seeds are small files of every kind, kept in testdata so that fuzzing needs no encoder.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join("testdata", "*.webp"))
	all := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = data
	}
	if len(all) < 6 {
		t.Fatalf("only %d files in testdata", len(all))
	}
	return all
}

func TestSmallFilesOfEveryKindComeOutSampleForSample(t *testing.T) {
	for name, data := range seeds(t) {
		if name != "animation.webp" { // the library reads none
			compare(t, name, data)
		}
	}
}

func TestATruncatedFileIsRefusedOrReadWithAWarning(t *testing.T) {
	for name, data := range seeds(t) {
		whole, _, err := decode(data, image.Rectangle{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read := 0
		for n := range data {
			k, res, err := decode(data[:n], image.Rectangle{})
			if err != nil {
				continue
			}
			read++
			if len(res.Warnings) == 0 && n < len(data)-1 {
				t.Errorf("%s: %d of %d bytes were read without a word", name, n, len(data))
			}
			if k.head.Window != whole.head.Window {
				t.Errorf("%s: %d of %d bytes give %v", name, n, len(data), k.head.Window)
			}
		}
		if read > 60 {
			t.Errorf("%s: cut at %d of %d places it was read, which is more than what follows the pixels", name, read, len(data))
		}
	}
}

func TestDamageNeverGivesHalfAPicture(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for name, data := range seeds(t) {
		for range 400 {
			bad := bytes.Clone(data)
			for range 1 + r.IntN(4) {
				bad[12+r.IntN(len(bad)-12)] = byte(r.IntN(256))
			}
			k := &keeper{}
			_, err := Decode(context.Background(), bytes.NewReader(bad), int64(len(bad)), rows.Options{}, &capped{keeper: k})
			if errors.Is(err, errSink) {
				continue
			}
			if err == nil {
				err = k.complete()
				if err != nil {
					t.Fatalf("%s damaged: %v", name, err)
				}
			}
		}
	}
}

func TestDamageIsReadAsTheLibraryReadsIt(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	both := 0
	for name, data := range seeds(t) {
		if name == "animation.webp" {
			continue // the library reads none
		}
		for range 600 {
			bad := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				bad[30+r.IntN(len(bad)-30)] = byte(r.IntN(256))
			}
			c, err := webp.DecodeConfig(bytes.NewReader(bad))
			if err != nil || c.Width*c.Height > 1<<16 {
				continue
			}
			ref, refErr := webp.Decode(bytes.NewReader(bad))
			k, _, err := decode(bad, image.Rectangle{})
			if refErr != nil || err != nil {
				continue
			}
			both++
			if err := same(k, ref); err != nil {
				t.Errorf("%s damaged: %v", name, err)
			}
		}
	}
	if both < 500 {
		t.Errorf("only %d damaged files were read by both", both)
	}
}

// capped refuses pictures that a damaged header made large.
type capped struct{ *keeper }

func (c *capped) Begin(h rows.Header) error {
	if h.Planes[0].X*h.Planes[0].Y > 1<<18 {
		return errSink
	}
	return c.keeper.Begin(h)
}

// failing is a source that breaks in the middle.
type failing struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("the disk is on fire")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return f.Reader.ReadAt(p, off)
}

func TestAFaultOfTheSourceComesBack(t *testing.T) {
	for name, data := range seeds(t) {
		f := failing{bytes.NewReader(data), int64(len(data)) / 2}
		if _, err := Decode(context.Background(), f, int64(len(data)), rows.Options{}, &keeper{}); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// writer writes a lossless stream bit by bit.
type writer struct {
	b []byte
	n uint
}

func (w *writer) bits(v uint64, k uint) {
	for i := range k {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// head begins a picture without transforms.
func (w *writer) head(width, height int) {
	w.bits(losslessSignature, 8)
	w.bits(uint64(width-1), 14)
	w.bits(uint64(height-1), 14)
	w.bits(0, 1+3)
	w.bits(0, 1)
}

// single writes a code of one symbol.
func (w *writer) single(symbol uint64) {
	w.bits(1, 1)
	w.bits(0, 1)
	w.bits(1, 1)
	w.bits(symbol, 8)
}

// flat writes a code in which the first 256 symbols have eight bits each.
func (w *writer) flat() {
	w.bits(0, 1)
	w.bits(12-4, 4) // lengths of 17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8
	w.bits(0, 33)
	w.bits(1, 3)     // only 8 is there, so that it takes no bits
	w.bits(1, 1)     // how many symbols are given
	w.bits(3, 3)     // in eight bits
	w.bits(256-2, 8) // 256
}

// manyGroups is a picture whose every tile of four pixels has codes of its own.
func manyGroups(tiles int) []byte {
	w := &writer{}
	w.head(4*tiles, 4*tiles)
	w.bits(0, 1) // no cache
	w.bits(1, 1) // several groups
	w.bits(0, 3) // tiles of four
	w.bits(0, 1)
	w.flat() // green is the lower half of a group's number
	w.flat()
	w.single(0)
	w.single(0)
	w.single(0)
	for i := range tiles * tiles {
		w.bits(uint64(reversed(byte(i))), 8)
		w.bits(uint64(reversed(byte(i>>8))), 8)
	}
	for range tiles * tiles {
		w.single(7)
		w.flat()
		w.flat()
		w.flat()
		w.single(0)
	}
	for range 16 * tiles * tiles {
		w.bits(0, 24)
	}
	return riff(chunk("VP8L", w.b))
}

func reversed(b byte) (r byte) {
	for i := range 8 {
		r |= b >> i & 1 << (7 - i)
	}
	return r
}

func TestCodesAreReadUpToTheMemoryThatIsSaid(t *testing.T) {
	if _, _, err := decode(manyGroups(32), image.Rectangle{}); err != nil {
		t.Errorf("1024 groups of codes: %v", err)
	}
	_, _, err := decode(manyGroups(256), image.Rectangle{})
	if err == nil || !strings.Contains(err.Error(), "too much memory") {
		t.Errorf("65536 groups of codes, 100 MiB: %v", err)
	}
}

// TestALargePictureOfAFewBytesTakesNoMoreMemoryThanIsSaid is about files whose size tells nothing of their work.
func TestALargePictureOfAFewBytesTakesNoMoreMemoryThanIsSaid(t *testing.T) {
	w := &writer{}
	w.head(8192, 4096)
	w.bits(0, 2)
	for range 5 {
		w.single(7)
	}
	data := riff(chunk("VP8L", w.b))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, &broken{1 << 30})
	runtime.ReadMemStats(&after)
	if got := int64(after.TotalAlloc - before.TotalAlloc); err != nil || got > 5<<20 || got > Memory(8192, 4096, true, false) {
		t.Errorf("%d bytes hold 8192x4096 pixels and took %d bytes of memory, %v", len(data), got, err)
	}
}

func TestAReferenceBeforeTheFirstPixelIsRefused(t *testing.T) {
	w := &writer{}
	w.head(10, 10)
	w.bits(0, 2)          // no cache, one group
	w.bits(0, 1+4)        // green: the lengths of 17, 18, 0, 1 are given
	w.bits(1<<3|1<<9, 12) // of which 18 and 1 are there: 1 is coded as 0, 18 as 1
	w.bits(0, 1)          // all symbols are given
	w.bits(1|127<<1, 8)   // 138 without a code
	w.bits(1|107<<1, 8)   // 118
	w.bits(0, 1)          // a length of one pixel, which alone has a code
	w.bits(1|12<<1, 8)    // 23
	for range 4 {
		w.single(0)
	}
	w.b = append(w.b, make([]byte, 64)...)
	if _, _, err := decode(riff(chunk("VP8L", w.b)), image.Rectangle{}); !errors.Is(err, errReference) {
		t.Errorf("%v, want that it refers to what is not there", err)
	}
}

func FuzzWebP(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data, uint16(0), uint16(0))
		f.Add(data, uint16(3), uint16(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, x, y uint16) {
		k := &keeper{}
		window := image.Rect(int(x), int(y), int(x)+9, int(y)+7)
		if x == 0 && y == 0 {
			window = image.Rectangle{}
		}
		res, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{Window: window}, &capped{k})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") || errors.Is(err, io.EOF) {
				t.Errorf("%q", err)
			}
			return
		}
		if err := k.complete(); err != nil || res.Window != k.head.Window {
			t.Errorf("%v, %v, %v", res.Window, k.head, err)
		}
	})
}
