package webp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"espy/media/rows"
)

// compare decodes a file whole and holds it against the library.
func compare(t *testing.T, name string, data []byte) {
	t.Helper()
	ref, err := webp.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: the library says %v", name, err)
	}
	k, res, err := decode(data, image.Rectangle{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if len(res.Warnings) > 0 || res.Window != ref.Bounds() || res.Shrink != 1 {
		t.Errorf("%s: %+v, want %v without a warning", name, res, ref.Bounds())
		return
	}
	if err := same(k, ref); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestEverySizeFromOnePixelOnIsRead(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 40}, {40, 1}, {15, 17}, {16, 16}, {17, 15}, {33, 31}, {64, 5}, {200, 1}} {
		name := fmt.Sprint(size.X, "x", size.Y)
		compare(t, "lossy "+name, encode(t, photograph(size.X, size.Y), "-q", "60"))
		compare(t, "alpha "+name, encode(t, screenshot(size.X, size.Y, false, true), "-q", "60"))
		compare(t, "lossless "+name, encode(t, screenshot(size.X, size.Y, false, true), "-lossless"))
		compare(t, "few colours "+name, encode(t, screenshot(size.X, size.Y, true, false), "-lossless"))
	}
}

func TestEveryWayTheReferenceEncodesIsRead(t *testing.T) {
	photo, screen := photograph(131, 83), screenshot(131, 83, false, true)
	for _, args := range []string{
		"-q 5", "-q 100", "-q 50 -strong -f 100 -sharpness 0", "-q 30 -nostrong -f 60", "-q 40 -f 80 -sharpness 3", "-q 40 -f 80 -sharpness 7",
		"-q 60 -f 0", "-q 40 -segments 4 -sns 100", "-q 60 -segments 1", "-q 60 -partition_limit 100", "-q 60 -m 0", "-q 60 -m 6",
		"-q 60 -pass 3 -af", "-q 60 -mt", "-lossless -m 0 -q 0", "-lossless -m 6 -q 100", "-lossless -m 3 -q 60", "-near_lossless 20",
	} {
		compare(t, "photo "+args, encode(t, photo, strings.Fields(args)...))
	}
	for _, args := range []string{
		"-q 50 -alpha_filter none", "-q 50 -alpha_filter fast", "-q 50 -alpha_filter best", "-q 50 -alpha_method 0 -alpha_filter none",
		"-q 50 -alpha_method 0 -alpha_filter best", "-q 50 -alpha_q 30", "-lossless -exact -m 4", "-lossless -q 100 -m 6",
	} {
		compare(t, "screen "+args, encode(t, screen, strings.Fields(args)...))
	}
}

func TestFewColoursAreBundledInEveryDensity(t *testing.T) {
	for _, colours := range []int{1, 2, 3, 4, 5, 16, 17, 256} {
		m := screenshot(117, 61, false, false)
		r := rand.New(rand.NewPCG(uint64(colours), 3))
		for i := 0; i < len(m.Pix); i += 4 {
			n := r.IntN(colours)
			m.Pix[i], m.Pix[i+1], m.Pix[i+2] = byte(n*37), byte(n), byte(n*101)
		}
		compare(t, fmt.Sprint(colours, " colours"), encode(t, m, "-lossless"))
	}
}

func TestAWindowIsThatPartOfTheWhole(t *testing.T) {
	photo, screen := photograph(151, 97), screenshot(151, 97, false, true)
	for name, data := range map[string][]byte{
		"lossy": encode(t, photo, "-q", "50"), "alpha": encode(t, screen, "-q", "50"), "lossless": encode(t, screen, "-lossless"),
	} {
		ref, err := webp.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			x, y := r.IntN(151), r.IntN(97)
			want := image.Rect(x, y, x+1+r.IntN(151-x), y+1+r.IntN(97-y))
			k, res, err := decode(data, want)
			if err != nil || !want.In(res.Window) || res.Window != k.head.Window || want.Inset(-1).Intersect(ref.Bounds()).Union(res.Window) != want.Inset(-1).Intersect(ref.Bounds()) {
				t.Fatalf("%s: asked for %v, got %v, %v", name, want, res.Window, err)
			}
			if err := same(k, ref); err != nil {
				t.Fatalf("%s: window %v: %v", name, want, err)
			}
		}
		if _, _, err := decode(data, image.Rect(400, 400, 500, 500)); err == nil {
			t.Errorf("%s: a window outside of the picture was read", name)
		}
	}
}

// counter counts what is read of a file.
type counter struct {
	*bytes.Reader
	read int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += n
	return n, err
}

func TestNothingIsReadBelowTheWindow(t *testing.T) {
	for _, data := range [][]byte{encode(t, photograph(700, 600), "-q", "95"), encode(t, photograph(700, 600), "-lossless", "-m", "0", "-q", "0")} {
		c := &counter{Reader: bytes.NewReader(data)}
		_, err := Decode(context.Background(), c, int64(len(data)), rows.Options{Window: image.Rect(0, 0, 700, 20)}, &keeper{})
		if err != nil || c.read > len(data)/4 {
			t.Errorf("%d of %d bytes were read for the top, %v", c.read, len(data), err)
		}
	}
}

// stopper ends the context once it got some rows.
type stopper struct {
	keeper
	rows int
	stop context.CancelFunc
}

func (s *stopper) Row(int, []byte) error {
	if s.rows++; s.rows == 10 {
		s.stop()
	}
	return nil
}

func TestTheContextEndsADecode(t *testing.T) {
	for _, data := range [][]byte{encode(t, photograph(300, 300), "-q", "50"), encode(t, photograph(300, 300), "-lossless", "-m", "0")} {
		ctx, cancel := context.WithCancel(context.Background())
		s := &stopper{stop: cancel}
		_, err := Decode(ctx, bytes.NewReader(data), int64(len(data)), rows.Options{}, s)
		if !errors.Is(err, context.Canceled) || s.rows > 100 {
			t.Errorf("%d rows after the end, %v", s.rows, err)
		}
	}
}

// broken is a sink that fails.
type broken struct{ at int }

var errSink = errors.New("no more")

func (b *broken) Begin(rows.Header) error { return b.Row(0, nil) }
func (b *broken) Row(int, []byte) error {
	if b.at--; b.at < 0 {
		return errSink
	}
	return nil
}

func TestAFaultOfTheSinkComesBack(t *testing.T) {
	data := encode(t, screenshot(60, 60, false, true), "-q", "50")
	for at := range 150 {
		_, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, &broken{at})
		if !errors.Is(err, errSink) {
			t.Fatalf("after %d calls: %v", at, err)
		}
	}
}

// TestADecodeTakesNoMoreMemoryThanIsSaid counts all that is allocated, which is never less than what is live at once.
func TestADecodeTakesNoMoreMemoryThanIsSaid(t *testing.T) {
	for name, data := range map[string][]byte{
		"lossy":       encode(t, photograph(600, 400), "-q", "50"),
		"alpha":       encode(t, screenshot(600, 400, false, true), "-q", "50"),
		"lossless":    encode(t, photograph(600, 400), "-lossless", "-m", "2"),
		"few colours": encode(t, screenshot(600, 400, true, false), "-lossless"),
		"small":       encode(t, photograph(20, 10), "-lossless"),
	} {
		f, err := readContainer(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, &broken{1 << 30})
		runtime.ReadMemStats(&after)
		said := Memory(f.size.X, f.size.Y, f.lossless, f.alpha.length > 0)
		if got := int64(after.TotalAlloc - before.TotalAlloc); err != nil || got > said {
			t.Errorf("%s: %d bytes allocated, %d said, %v", name, got, said, err)
		}
	}
}
