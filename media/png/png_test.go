package png

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	stdpng "image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	return map[rows.Layout]int{rows.Gray: 1, rows.RGB: 3, rows.RGBA: 4}[k.head.Layout]
}

func decode(data []byte, window image.Rectangle) (*keeper, rows.Result, error) {
	k := &keeper{}
	res, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{Window: window}, k)
	return k, res, err
}

// want is a pixel of the library's picture, 16 bits rounded to 8 and alpha not premultiplied.
func want(m image.Image, x, y int) color.NRGBA {
	c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
	if p, ok := m.(*image.NRGBA); ok {
		return p.NRGBAAt(x, y)
	}
	if p, ok := m.(*image.NRGBA64); ok {
		c = p.NRGBA64At(x, y)
	}
	if p, ok := m.(*image.Paletted); ok {
		if n, ok := p.Palette[p.ColorIndexAt(x, y)].(color.NRGBA); ok {
			return n
		}
	}
	r := func(v uint16) uint8 { return uint8((int(v)*255 + 32895) >> 16) }
	return color.NRGBA{r(c.R), r(c.G), r(c.B), r(c.A)}
}

func (k *keeper) at(x, y int) color.NRGBA {
	n := k.samples()
	b := k.pix[(y*k.head.Planes[0].X+x)*n:]
	switch n {
	case 1:
		return color.NRGBA{b[0], b[0], b[0], 255}
	case 3:
		return color.NRGBA{b[0], b[1], b[2], 255}
	}
	return color.NRGBA{b[0], b[1], b[2], b[3]}
}

func TestEveryPNGTheLibraryReadsComesOutPixelForPixel(t *testing.T) {
	compared, refused := 0, 0
	err := filepath.WalkDir(corpora(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".png") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ref, refErr := stdpng.Decode(bytes.NewReader(data))
		k, _, err := decode(data, image.Rectangle{})
		if refErr != nil {
			refused++

			return nil
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		compared++
		compare(t, path, k, ref, ref.Bounds())
		return nil
	})
	if err != nil || compared < 300 {
		t.Fatalf("%d pictures compared, %d refused by the library, %v", compared, refused, err)
	}
	t.Logf("%d compared, %d refused by the library", compared, refused)
}

func compare(t *testing.T, name string, k *keeper, ref image.Image, part image.Rectangle) {
	t.Helper()
	if k.head.Planes[0] != part.Size() || len(k.pix) != part.Dx()*part.Dy()*k.samples() {
		t.Errorf("%s: %v and %d bytes for a picture of %v", name, k.head.Planes, len(k.pix), part.Size())
		return
	}
	for y := range part.Dy() {
		for x := range part.Dx() {
			if got, want := k.at(x, y), want(ref, part.Min.X+x, part.Min.Y+y); got != want {
				t.Errorf("%s: pixel %d,%d is %v, want %v", name, x, y, got, want)
				return
			}
		}
	}
}

// pictures covers every colour type the library writes, and sizes around the interlace grid.
func pictures() map[string]image.Image {
	r := rand.New(rand.NewPCG(1, 2))
	gray, rgba, deep := image.NewGray(image.Rect(0, 0, 37, 29)), image.NewNRGBA(image.Rect(0, 0, 37, 29)), image.NewNRGBA64(image.Rect(0, 0, 13, 9))
	for _, p := range [][]byte{gray.Pix, rgba.Pix, deep.Pix} {
		for i := range p {
			p[i] = byte(r.Uint32())
		}
	}
	return map[string]image.Image{"gray": gray, "rgba": rgba, "deep": deep}
}

func encoded(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := stdpng.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAWindowIsExactlyThatPartOfThePicture(t *testing.T) {
	for name, m := range pictures() {
		data := encoded(t, m)
		b := m.Bounds()
		for _, w := range []image.Rectangle{{}, image.Rect(0, 0, 1, 1), image.Rect(3, 2, 9, 7), image.Rect(b.Max.X-1, b.Max.Y-1, b.Max.X, b.Max.Y), image.Rect(0, 4, b.Max.X, 5)} {
			k, res, err := decode(data, w)
			part := w
			if w.Empty() {
				part = b
			}
			if err != nil || res.Window != part {
				t.Fatalf("%s %v: %v, %v", name, w, res, err)
			}
			compare(t, name, k, m, part)
		}
	}
}

func TestAWindowOfAnInterlacedPictureIsExactToo(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpora(t), "pngsuite", "basi*.png"))
	if len(files) < 10 {
		t.Fatalf("only %d interlaced pictures found", len(files))
	}
	for _, f := range files {
		data, _ := os.ReadFile(f)
		ref, err := stdpng.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		w := image.Rect(5, 9, 30, 23)
		k, _, err := decode(data, w)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		compare(t, f, k, ref, w)
	}
}

func TestATruncatedPictureIsRefusedUnlessTheWindowEndsAboveTheDamage(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 200, 400))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	data := encoded(t, m)
	cut := data[:len(data)*6/10]
	if _, _, err := decode(cut, image.Rectangle{}); err == nil || !strings.Contains(err.Error(), "ends after row") {
		t.Errorf("whole: %v", err)
	}
	k, _, err := decode(cut, image.Rect(0, 0, 200, 100))
	if err != nil {
		t.Fatalf("the upper quarter: %v", err)
	}
	compare(t, "upper quarter", k, m, image.Rect(0, 0, 200, 100))
}

func TestSmallDamageIsAWarning(t *testing.T) {
	data := encoded(t, pictures()["rgba"])
	text := "\x00\x00\x00\x04tEXtabcd\x00\x00\x00\x00"
	for name, c := range map[string]struct{ file, want string }{
		"no end":              {string(data[:len(data)-12]), "the end of the file is missing"},
		"a text chunk before": {string(data[:33]) + text + string(data[33:]), "the tEXt chunk is damaged"},
		"a text chunk behind": {string(data[:len(data)-12]) + text + string(data[len(data)-12:]), "the tEXt chunk is damaged"},
	} {
		k, res, err := decode([]byte(c.file), image.Rectangle{})
		if err != nil || len(res.Warnings) != 1 || res.Warnings[0] != c.want {
			t.Errorf("%s: %q, %v", name, res.Warnings, err)
			continue
		}
		compare(t, name, k, pictures()["rgba"], image.Rect(0, 0, 37, 29))
	}
}

func TestDamageInThePictureDataIsAnError(t *testing.T) {
	data := encoded(t, pictures()["rgba"])
	for _, at := range []int{45, 60, len(data) - 20, len(data) - 14} {
		bad := bytes.Clone(data)
		bad[at] ^= 0x40
		if _, _, err := decode(bad, image.Rectangle{}); err == nil {
			t.Errorf("a flipped bit at %d of %d was not noticed", at, len(data))
		}
	}
}

func TestAFileOfTheSmallestChunksReadsLikeAnyOther(t *testing.T) {
	data := encoded(t, pictures()["rgba"])
	var parts bytes.Buffer
	parts.Write(data[:33])
	for _, b := range data[41 : len(data)-16] {
		for _, part := range []string{"", string([]byte{b})} {
			e := &encoder{}
			e.chunk("IDAT", []byte(part))
			parts.Write(e.out.Bytes())
		}
	}
	parts.Write(data[len(data)-12:])
	k, res, err := decode(parts.Bytes(), image.Rectangle{})
	if err != nil || len(res.Warnings) != 0 {
		t.Fatalf("%v, %q", err, res.Warnings)
	}
	compare(t, "small chunks", k, pictures()["rgba"], image.Rect(0, 0, 37, 29))
}

func TestEndlessChunksBeforeThePictureAreRefused(t *testing.T) {
	data := encoded(t, pictures()["rgba"])
	e := &encoder{}
	for range maxChunks {
		e.chunk("teXt", nil)
	}
	_, _, err := decode([]byte(string(data[:33])+e.out.String()+string(data[33:])), image.Rectangle{})
	if err == nil || !strings.Contains(err.Error(), "chunks stand before") {
		t.Errorf("%v", err)
	}
}

func TestTheContextStopsADecode(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data := encoded(t, pictures()["rgba"])
	if _, err := Decode(ctx, bytes.NewReader(data), int64(len(data)), rows.Options{}, &keeper{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestWhatIsEncodedDecodesToTheSamePixels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, samples := range []int{1, 3, 4} {
		for _, colours := range []int{1, 2, 3, 16, 17, 200, 256, 257, 100000} {
			for _, size := range []image.Point{{1, 1}, {1, 50}, {50, 1}, {61, 47}} {
				for _, opaque := range []bool{true, false} {
					p, pix := painted(r, samples, colours, size, opaque)
					data, form, err := Encode(context.Background(), p, 1<<30)
					if err != nil {
						t.Fatal(err)
					}
					ref, err := stdpng.Decode(bytes.NewReader(data))
					if err != nil {
						t.Fatalf("%d samples, %d colours, %v: the library refuses it: %v (%+v)", samples, colours, size, err, form)
					}
					k := &keeper{rows.Header{Layout: map[int]rows.Layout{1: rows.Gray, 3: rows.RGB, 4: rows.RGBA}[samples], Planes: []image.Point{size}}, pix}
					compare(t, "round trip", k, ref, image.Rectangle{Max: size})
				}
			}
		}
	}
}

func TestALargePictureIsOneStreamOfTwoParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, colours := range []int{2, 200, 100000} {
		for samples, layout := range map[int]rows.Layout{1: rows.Gray, 3: rows.RGB, 4: rows.RGBA} {
			size := image.Pt(1301, 977)
			p, pix := painted(r, samples, colours, size, samples < 4)
			data, _, err := Encode(context.Background(), p, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			ref, err := stdpng.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%d samples, %d colours: the library refuses it: %v", samples, colours, err)
			}
			k := &keeper{rows.Header{Layout: layout, Planes: []image.Point{size}}, pix}
			compare(t, "round trip", k, ref, image.Rectangle{Max: size})
			again, _, err := Encode(context.Background(), p, 1<<30)
			if err != nil || !bytes.Equal(again, data) {
				t.Errorf("%d samples, %d colours: encoded twice it is not the same, %v", samples, colours, err)
			}
			if _, _, err := Encode(context.Background(), p, int64(len(data))-1); !errors.Is(err, ErrOver) {
				t.Errorf("%d samples, %d colours: a limit one byte too small: %v, want ErrOver", samples, colours, err)
			}
		}
	}
}

func TestEncodingOfALargePictureEndsWithItsContext(t *testing.T) {
	p, _ := painted(rand.New(rand.NewPCG(7, 9)), 3, 100000, image.Pt(1300, 900), true)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Encode(ctx, p, 1<<30); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func painted(r *rand.Rand, samples, colours int, size image.Point, opaque bool) (Picture, []byte) {
	table := make([]byte, colours*samples)
	for i := range table {
		table[i] = byte(r.Uint32())
		if opaque && samples == 4 && i%4 == 3 {
			table[i] = 255
		}
	}
	pix := make([]byte, 0, size.X*size.Y*samples)
	for range size.X * size.Y {
		c := r.IntN(colours)
		pix = append(pix, table[c*samples:(c+1)*samples]...)
	}
	stride := size.X * samples
	return Picture{size.X, size.Y, samples, func(y int) []byte { return pix[y*stride : (y+1)*stride] }}, pix
}

func TestEncodingStopsAtItsLimit(t *testing.T) {
	p, _ := painted(rand.New(rand.NewPCG(7, 8)), 3, 100000, image.Pt(600, 600), true)
	if data, _, err := Encode(context.Background(), p, 100_000); !errors.Is(err, ErrOver) || data != nil {
		t.Errorf("%d bytes, %v; want ErrOver", len(data), err)
	}
}

func TestTheSmallestFormIsChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		samples, colours int
		opaque           bool
		want             Form
	}{
		{3, 2, true, Form{Palette: 2}},
		{3, 100000, true, Form{Filtered: true}},
		{4, 100000, true, Form{Filtered: true}},
		{4, 100000, false, Form{Alpha: true, Filtered: true}},
		{1, 256, true, Form{Gray: true, Filtered: true}},
		{1, 5, true, Form{Gray: true, Palette: 5}},
	} {
		p, _ := painted(r, c.samples, c.colours, image.Pt(90, 90), c.opaque)
		if _, form, err := Encode(context.Background(), p, 1<<30); err != nil || form != c.want {
			t.Errorf("%d samples of %d colours: %+v, %v; want %+v", c.samples, c.colours, form, err, c.want)
		}
	}
}

func FuzzPNG(f *testing.F) {
	for _, m := range pictures() {
		f.Add(encoded(f, m))
	}
	f.Add([]byte(signature + "\x00\x00\x00\x0dIHDR\x00\x00\x4e\x20\x00\x00\x4e\x20\x08\x00\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		head := chunks{r: bytes.NewReader(data), size: int64(len(data))}
		d := &decoder{chunks: head}
		if d.readHead() != nil || d.width*d.height > 1<<20 {
			return
		}
		ref, refErr := stdpng.Decode(bytes.NewReader(data))
		k, res, err := decode(data, image.Rectangle{})
		if err == nil && len(k.pix) != k.head.Planes[0].X*k.head.Planes[0].Y*k.samples() {
			t.Errorf("accepted, with %d bytes for %v", len(k.pix), k.head.Planes)
		}
		if refErr == nil && err == nil && len(res.Warnings) == 0 {
			compare(t, "fuzzed", k, ref, ref.Bounds())
		}
	})
}

func BenchmarkDecode4K(b *testing.B) {
	m := screen(3840, 2160)
	data := encoded(b, m)
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, discard{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := stdpng.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode4K(b *testing.B) {
	m := screen(3840, 2160)
	p := Picture{3840, 2160, 4, func(y int) []byte { return m.Pix[y*m.Stride : (y+1)*m.Stride] }}
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := Encode(context.Background(), p, 1<<30); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			if err := stdpng.Encode(io.Discard, m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type discard struct{}

func (discard) Begin(rows.Header) error { return nil }
func (discard) Row(int, []byte) error   { return nil }

// screen looks like a window full of text: flat ground, many small marks, some shading.
func screen(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(11, 12))
	for y := range h {
		for x := range w {
			c := color.NRGBA{250, 250, byte(245 + y*8/h), 255}
			if y/18%2 == 0 && x/9%7 < 5 && r.IntN(3) == 0 {
				c = color.NRGBA{byte(r.IntN(90)), 60, 80, 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}
