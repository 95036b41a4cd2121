package jpeg

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
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

// specimen is one JPEG of the public test pictures and what the reference decoder makes of it.
type specimen struct {
	name, verdict string
	data          []byte
	width, height int
	note          string
}

func specimens(t testing.TB) []specimen {
	t.Helper()
	dir := corpora(t)
	f, err := os.Open(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []specimen
	for s := bufio.NewScanner(f); s.Scan(); {
		col := strings.Split(s.Text(), "\t")
		if len(col) < 6 || col[1] != "jpeg" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, col[0]))
		if err != nil {
			t.Fatal(err)
		}
		w, _ := strconv.Atoi(col[3])
		h, _ := strconv.Atoi(col[4])
		all = append(all, specimen{col[0], col[2], data, w, h, col[5]})
	}
	if len(all) < 150 {
		t.Fatalf("only %d JPEG files are listed in %s", len(all), dir)
	}
	return all
}

// keeper keeps the rows it is given, and checks that they are those that were announced.
type keeper struct {
	t      testing.TB
	head   rows.Header
	planes [][]byte
}

func (k *keeper) Begin(h rows.Header) error {
	k.head, k.planes = h, make([][]byte, len(h.Planes))
	return nil
}

func (k *keeper) samples() int {
	if k.head.Layout == rows.RGB {
		return 3
	}
	return 1
}

func (k *keeper) Row(plane int, b []byte) error {
	if len(b) != k.head.Planes[plane].X*k.samples() {
		k.t.Errorf("plane %d has a row of %d samples, announced were %v", plane, len(b), k.head.Planes[plane])
	}
	k.planes[plane] = append(k.planes[plane], b...)
	return nil
}

// complete reports whether every announced row came.
func (k *keeper) complete() bool {
	for i, size := range k.head.Planes {
		if len(k.planes[i]) != size.X*size.Y*k.samples() {
			return false
		}
	}
	return len(k.planes) > 0
}

func decodeWith(t testing.TB, data []byte, opt rows.Options) (*keeper, rows.Result, error) {
	k := &keeper{t: t}
	res, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), opt, k)
	if err == nil && !k.complete() {
		t.Errorf("not every row was delivered of %v", k.head.Planes)
	}
	return k, res, err
}

func decode(t testing.TB, data []byte) (*keeper, rows.Result, error) {
	return decodeWith(t, data, rows.Options{})
}

// reference is the library's picture in the shape of a keeper's planes.
func reference(m image.Image) (planes [][]byte, sizes []image.Point) {
	add := func(pix []byte, stride int, size image.Point) {
		var p []byte
		for y := range size.Y {
			p = append(p, pix[y*stride:y*stride+size.X]...)
		}
		planes, sizes = append(planes, p), append(sizes, size)
	}
	size := m.Bounds().Size()
	switch m := m.(type) {
	case *image.Gray:
		add(m.Pix, m.Stride, size)
	case *image.YCbCr:
		add(m.Y, m.YStride, size)
		x := m.COffset(size.X-1, 0) + 1
		y := m.COffset(0, size.Y-1)/m.CStride + 1
		add(m.Cb, m.CStride, image.Pt(x, y))
		add(m.Cr, m.CStride, image.Pt(x, y))
	default:
		var p []byte
		for y := range size.Y {
			for x := range size.X {
				c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
				p = append(p, c.R, c.G, c.B)
			}
		}
		planes, sizes = [][]byte{p}, []image.Point{size}
	}
	return planes, sizes
}

// distance is the largest difference between two planes, and how many samples differ.
func distance(a, b []byte) (most, count int) {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d != 0 {
			count++
			most = max(most, d, -d)
		}
	}
	return most, count
}

// scene is a picture with edges, gradients and noise in every channel.
func scene(w, h int) *image.RGBA {
	r := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{byte(x * 255 / w), byte(y * 255 / h), byte((x + y) * 3), 255}
			if (x/13+y/7)%5 == 0 {
				c.R, c.G, c.B = 255-c.G, c.B/2, c.R
			}
			c.G = byte(int(c.G)*7/8 + r.IntN(32))
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// written is a file of testdata: the same scene, 83 by 59 pixels, as the reference encoder writes it.
func written(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// encoded is the library's JPEG of a picture: 4:2:0, or gray.
func encoded(t testing.TB, m image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := stdjpeg.Encode(&b, m, &stdjpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// segmentAt is the offset of the first segment of a kind.
func segmentAt(t testing.TB, data []byte, mark byte) int {
	t.Helper()
	for at := 2; at+4 <= len(data); at += 2 + int(data[at+2])<<8 + int(data[at+3]) {
		if data[at+1] == mark {
			return at
		}
	}
	t.Fatalf("there is no segment 0x%02x", mark)
	return 0
}

// spliced is a file with n bytes at an offset replaced.
func spliced(data []byte, at, n int, with ...byte) []byte {
	return append(append(append([]byte{}, data[:at]...), with...), data[at+n:]...)
}

// mustEqual fails where planes are not what is wanted, but for a tolerance in each sample.
func mustEqual(t testing.TB, name string, got, want [][]byte, tolerance int) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d planes, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Errorf("%s: plane %d has %d samples, want %d", name, i, len(got[i]), len(want[i]))
			return
		}
		if most, n := distance(got[i], want[i]); most > tolerance {
			t.Errorf("%s: plane %d: %d samples differ, by up to %d", name, i, n, most)
		}
	}
}
