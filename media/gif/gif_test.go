package gif

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	stdgif "image/gif"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// keeper keeps the rows it is given.
type keeper struct {
	head rows.Header
	pix  []byte
}

func (k *keeper) Begin(h rows.Header) error { k.head = h; return nil }
func (k *keeper) Row(_ int, b []byte) error { k.pix = append(k.pix, b...); return nil }

func (k *keeper) samples() int {
	if k.head.Layout == rows.RGB {
		return 3
	}
	return 4
}

func (k *keeper) at(x, y int) color.NRGBA {
	n := k.samples()
	b := k.pix[(y*k.head.Planes[0].X+x)*n:]
	if n == 3 {
		return color.NRGBA{b[0], b[1], b[2], 255}
	}
	return color.NRGBA{b[0], b[1], b[2], b[3]}
}

func decodeWith(t testing.TB, data []byte, window image.Rectangle) (*keeper, rows.Result, error) {
	t.Helper()
	k := &keeper{}
	res, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{Window: window}, k)
	if err == nil && len(k.pix) != k.head.Planes[0].X*k.head.Planes[0].Y*k.samples() {
		t.Errorf("%d bytes of samples for %v", len(k.pix), k.head.Planes)
	}
	return k, res, err
}

func decode(t testing.TB, data []byte) (*keeper, rows.Result, error) {
	t.Helper()
	return decodeWith(t, data, image.Rectangle{})
}

// compare fails where the canvas is not the library's frame with nothing around it.
func compare(t *testing.T, name string, k *keeper, ref image.Image) {
	t.Helper()
	frame := ref.Bounds()
	for y := range k.head.Planes[0].Y {
		for x := range k.head.Planes[0].X {
			var want color.NRGBA
			if p := image.Pt(x, y); p.In(frame) {
				want = color.NRGBAModel.Convert(ref.At(x, y)).(color.NRGBA)
			}
			if got := k.at(x, y); got != want {
				t.Errorf("%s: pixel %d,%d is %v, want %v", name, x, y, got, want)
				return
			}
		}
	}
}

func TestEveryGIFTheLibraryReadsComesOutPixelForPixel(t *testing.T) {
	compared := 0
	err := filepath.WalkDir(corpora(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".gif") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		k, res, err := decode(t, data)
		ref, refErr := stdgif.Decode(bytes.NewReader(data))
		t.Logf("%s: %v %v; the library: %v", filepath.Base(path), err, res.Warnings, refErr)
		if refErr != nil {
			if err != nil && !strings.Contains(path, "crashtest") && !strings.Contains(path, "stall") {
				t.Errorf("%s: %v, and the reference reads it", path, err)
			}
			return nil
		}
		if err != nil || len(res.Warnings) > 0 {
			t.Errorf("%s: %v, %q", path, err, res.Warnings)
			return nil
		}
		compared++
		compare(t, path, k, ref)
		return nil
	})
	if err != nil || compared < 12 {
		t.Errorf("%d pictures compared, %v", compared, err)
	}
}

// drawing is a picture of n colours with runs and noise.
func drawing(w, h, n int) *image.Paletted {
	r := rand.New(rand.NewPCG(uint64(w), uint64(n)))
	m := image.NewPaletted(image.Rect(0, 0, w, h), slices.Clone(palette.Plan9[:n]))
	for i := range m.Pix {
		m.Pix[i] = byte((i/17 + i/w/5) % n)
		if r.IntN(4) == 0 {
			m.Pix[i] = byte(r.IntN(n))
		}
	}
	return m
}

func encoded(t testing.TB, m *image.Paletted) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := stdgif.EncodeAll(&b, &stdgif.GIF{Image: []*image.Paletted{m}, Delay: []int{0}, Config: image.Config{ColorModel: m.Palette, Width: max(100, m.Rect.Max.X), Height: max(100, m.Rect.Max.Y)}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// frameAt is the offset of the frame's header in what encoded wrote.
func frameAt(t testing.TB, data []byte) int {
	t.Helper()
	at := 13
	if data[10]&0x80 != 0 {
		at += 3 << (data[10]&7 + 1)
	}
	for data[at] == '!' {
		for at += 2; data[at] != 0; at += 1 + int(data[at]) {
		}
		at++
	}
	if data[at] != ',' {
		t.Fatalf("no frame at %d", at)
	}
	return at
}

// interlaced is a file whose rows stand in the order of the four passes.
func interlaced(t testing.TB, m *image.Paletted) []byte {
	mixed := image.NewPaletted(m.Bounds(), m.Palette)
	at := 0
	for _, p := range interlace {
		for y := p.first; y < m.Rect.Dy(); y += p.step {
			copy(mixed.Pix[at*m.Stride:(at+1)*m.Stride], m.Pix[y*m.Stride:])
			at++
		}
	}
	data := encoded(t, mixed)
	data[frameAt(t, data)+9] |= 0x40
	return data
}

func TestEverySizeAndDepthComesBackPlainAndInterlaced(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 9}, {9, 1}, {3, 2}, {5, 4}, {16, 16}, {100, 100}, {83, 59}, {100, 7}} {
		for _, n := range []int{2, 3, 16, 200, 256} {
			m := drawing(size.X, size.Y, n)
			name := fmt.Sprint(size, n)
			for kind, data := range map[string][]byte{"plain": encoded(t, m), "interlaced": interlaced(t, m)} {
				k, res, err := decode(t, data)
				if err != nil || len(res.Warnings) > 0 {
					t.Errorf("%s %s: %v, %q", name, kind, err, res.Warnings)
					continue
				}
				if k.head.Planes[0] != image.Pt(100, 100) {
					t.Errorf("%s %s: %v pixels, want the screen's 100x100", name, kind, k.head.Planes[0])
				}
				compare(t, name+kind, k, m)
			}
		}
	}
}

func TestTransparentColoursAndOffsetsAreKept(t *testing.T) {
	m := drawing(40, 30, 16)
	m.Palette[5] = color.RGBA{}
	m.Rect = m.Rect.Add(image.Pt(20, 60))
	k, _, err := decode(t, encoded(t, m))
	if err != nil || k.head.Layout != rows.RGBA {
		t.Fatalf("layout %v, %v", k.head.Layout, err)
	}
	compare(t, "offset", k, m)
	whole := drawing(100, 100, 16)
	if k, _, err := decode(t, encoded(t, whole)); err != nil || k.head.Layout != rows.RGB {
		t.Errorf("layout %v, %v for a picture that hides nothing", k.head.Layout, err)
	}
}

func TestAFrameBeyondItsScreenWidensIt(t *testing.T) {
	m := drawing(40, 30, 16)
	data := encoded(t, m)
	at := frameAt(t, data)
	data[at+1], data[at+3] = 90, 80
	k, _, err := decode(t, data)
	if err != nil || k.head.Planes[0] != image.Pt(130, 110) {
		t.Fatalf("%v, %v", k.head.Planes, err)
	}
	moved := *m
	moved.Rect = m.Rect.Add(image.Pt(90, 80))
	compare(t, "beyond", k, &moved)

	data[6], data[7] = 0, 0 // no screen
	if k, _, err = decode(t, data); err != nil || k.head.Planes[0] != image.Pt(40, 30) {
		t.Errorf("%v, %v without a screen", k.head.Planes, err)
	}
	compare(t, "without a screen", k, m)

	part := &keeper{}
	canvas := image.Rect(100, 85, 120, 200)
	if _, err := On(canvas)(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, part); err != nil {
		t.Fatal(err)
	}
	moved.Rect = moved.Rect.Sub(canvas.Min)
	compare(t, "cut", part, &moved)
}

func TestAWindowIsCutOutOfTheWholePicture(t *testing.T) {
	m := drawing(60, 70, 64)
	m.Rect = m.Rect.Add(image.Pt(13, 17))
	mixed := interlaced(t, m)
	for _, w := range []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(10, 10, 50, 50), image.Rect(20, 40, 30, 41), image.Rect(0, 95, 100, 100), image.Rect(70, 3, 300, 300)} {
		for kind, data := range map[string][]byte{"plain": encoded(t, m), "interlaced": mixed} {
			k, res, err := decodeWith(t, data, w)
			w := w.Intersect(image.Rect(0, 0, 100, 100))
			if err != nil || len(res.Warnings) > 0 || res.Window != w || k.head.Window != w {
				t.Errorf("%s %v: %v, %q, delivered %v", kind, w, err, res.Warnings, res.Window)
				continue
			}
			moved := *m
			moved.Rect = m.Rect.Sub(w.Min)
			compare(t, kind+fmt.Sprint(w), k, &moved)
		}
	}
	if _, _, err := decodeWith(t, mixed, image.Rect(200, 0, 210, 10)); err == nil {
		t.Error("a window outside the picture was delivered")
	}
}

func TestATruncatedPictureIsReadAsFarAsItGoes(t *testing.T) {
	m := drawing(100, 100, 64)
	for kind, data := range map[string][]byte{"plain": encoded(t, m), "interlaced": interlaced(t, m)} {
		start := frameAt(t, data) + 12
		whole, _, err := decode(t, data)
		if err != nil {
			t.Fatal(err)
		}
		for cut := start + 40; cut < len(data)-8; cut += len(data) / 9 {
			k, res, err := decode(t, data[:cut])
			if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "of 100") {
				t.Errorf("%s at %d of %d: %v, %q", kind, cut, len(data), err, res.Warnings)
				continue
			}
			if first := k.pix[:300]; kind == "plain" && cut > start+300 && !bytes.Equal(first, whole.pix[:300]) {
				t.Errorf("%s at %d of %d: the first row is wrong", kind, cut, len(data))
			}
			if last := k.pix[len(k.pix)-1]; kind == "plain" && last != missing {
				t.Errorf("%s at %d: what is missing is %d, want gray", kind, cut, last)
			}
		}
		if _, _, err := decode(t, data[:start]); err == nil {
			t.Errorf("%s: a picture without any data was read", kind)
		}
	}
}

func TestHarmlessOdditiesAreSteppedOver(t *testing.T) {
	m := drawing(100, 100, 16)
	data := encoded(t, m)
	at := frameAt(t, data)
	insert := func(b ...byte) []byte { return slices.Concat(data[:at], b, data[at:]) }
	for name, odd := range map[string][]byte{
		"an unknown extension":  insert('!', 0x2a, 3, 1, 2, 3, 1, 9, 0),
		"an empty extension":    insert('!', 0xff, 0),
		"a terminator too many": insert(0, 0),
		"no trailer":            data[:len(data)-1],
		"rubbish behind":        append(slices.Clone(data), 1, 2, 3),
		"a control too short":   insert('!', 0xf9, 1, 1, 0),
	} {
		k, res, err := decode(t, odd)
		if err != nil || len(res.Warnings) > 0 {
			t.Errorf("%s: %v, %q", name, err, res.Warnings)
			continue
		}
		compare(t, name, k, m)
	}
}

func TestAPictureWithoutATableIsAScaleOfGray(t *testing.T) {
	m := drawing(100, 100, 4)
	data := encoded(t, m)
	data = append(append(slices.Clone(data[:13]), data[13+12:]...), 0)
	data[10] &^= 0x80
	k, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range m.Pix {
		if got, want := k.pix[3*i], v*85; got != want {
			t.Fatalf("index %d is %d, want %d", v, got, want)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	data := encoded(t, drawing(20, 20, 4))
	at := frameAt(t, data)
	for name, file := range map[string][]byte{
		"empty": {}, "another signature": append([]byte("GIF90a"), data[6:]...), "cut in its table": data[:20], "cut before its frame": data[:at],
		"no frame": append(slices.Clone(data[:at]), ';'), "an unknown block": append(slices.Clone(data[:at]), 'x'),
		"no pixels": slices.Concat(data[:at+5], []byte{0, 0}, data[at+7:]), "codes of 9 bits": slices.Concat(data[:at+10], []byte{9}, data[at+11:]),
	} {
		if _, _, err := decode(t, file); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestAStoppedContextStopsADecode(t *testing.T) {
	data := encoded(t, drawing(100, 100, 4))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Decode(ctx, bytes.NewReader(data), int64(len(data)), rows.Options{}, &keeper{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func FuzzGIF(f *testing.F) {
	m := drawing(30, 20, 16)
	f.Add(encoded(f, m), uint16(0), uint16(0), uint16(0), uint16(0))
	f.Add(interlaced(f, m), uint16(3), uint16(4), uint16(30), uint16(15))
	f.Add(encoded(f, drawing(9, 9, 256)), uint16(0), uint16(2), uint16(9), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, x0, y0, x1, y1 uint16) {
		d := &decoder{ctx: context.Background(), in: input{r: bytes.NewReader(data), size: int64(len(data))}}
		if err := d.readHead(); err == nil && max(d.screen.X, d.frame.Max.X)*max(d.screen.Y, d.frame.Max.Y) > 1<<18 {
			return // a large picture would only take time
		}
		_, res, err := decodeWith(t, data, image.Rect(int(x0), int(y0), int(x1), int(y1)))
		ref, refErr := stdgif.Decode(bytes.NewReader(data))
		if refErr == nil && err == nil && x1 == 0 && res.Warnings == nil && ref.Bounds().Empty() {
			t.Error("a picture without pixels was read")
		}
	})
}
