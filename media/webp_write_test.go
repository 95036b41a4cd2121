package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"espy/media/rows"
)

// webpOf is a lossless WebP of a picture without transparency: every sample of a channel is stored as the nearer one of
// the least and the most it has. There is no transform, so that each pixel takes three bits.
func webpOf(m *image.NRGBA) []byte {
	w := &bitWriter{}
	w.put(0x2f, 8)
	w.put(uint64(m.Rect.Dx()-1), 14)
	w.put(uint64(m.Rect.Dy()-1), 14)
	w.put(0, 1+3+1+1+1) // alpha, version, transforms, cache, groups: none
	var low, high [3]uint8
	for c := range low {
		low[c], high[c] = 255, 0
		for i := c; i < len(m.Pix); i += 4 {
			low[c], high[c] = min(low[c], m.Pix[i]), max(high[c], m.Pix[i])
		}
	}
	order := [3]int{1, 0, 2} // green, red, blue
	for _, c := range order {
		w.put(1|1<<1|1<<2, 3) // a simple code, of two symbols, of 8 bits
		w.put(uint64(low[c]), 8)
		w.put(uint64(high[c]), 8)
	}
	w.put(1|0<<1|1<<2|255<<3, 11) // alpha is 255
	w.put(1|0<<1|0<<2|0<<3, 4)    // there are no distances
	for i := 0; i < len(m.Pix); i += 4 {
		for _, c := range order {
			v := m.Pix[i+c]
			bit := uint64(0)
			if v-low[c] > high[c]-v {
				bit = 1
			}
			w.put(bit, 1)
		}
	}
	return riffOf("VP8L", w.bytes)
}

// bitWriter puts the lowest bit first.
type bitWriter struct {
	bytes []byte
	n     int
}

func (w *bitWriter) put(v uint64, bits int) {
	for i := range bits {
		if w.n%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// riffOf is a WebP file of chunks: names and data in turn.
func riffOf(parts ...any) []byte {
	var body bytes.Buffer
	body.WriteString("WEBP")
	for i := 0; i < len(parts); i += 2 {
		writeChunk(&body, parts[i].(string), parts[i+1].([]byte))
	}
	return slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(body.Len())), body.Bytes())
}

// webpTurned puts an orientation behind the picture, as cameras and phones do.
func webpTurned(m *image.NRGBA, tiff string) []byte {
	still := webpOf(m)
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	head := slices.Concat([]byte{0x08, 0, 0, 0}, u24(m.Rect.Dx()-1), u24(m.Rect.Dy()-1))
	return riffOf("VP8X", head, "VP8L", still[20:20+binary.LittleEndian.Uint32(still[16:])], "EXIF", []byte(tiff))
}

func TestEveryOrientationOfAWebPComesOutUprightInBothByteOrders(t *testing.T) {
	m := quarters(90, 50)
	for o := 1; o <= 8; o++ {
		for _, order := range []string{"II", "MM"} {
			for name, tiff := range map[string]string{"bare": exif(order, byte(o)), "as in a JPEG": "Exif\x00\x00" + exif(order, byte(o))} {
				for _, side := range []int{0, 45} {
					where := fmt.Sprintf("%s %s %d side %d", name, order, o, side)
					pic, got := ingest(t, webpTurned(storedAs(m, o), tiff), Options{Fit: Fit{MaxSide: side}})
					if s := pic.Receipt.Source; s.Format != "webp" || s.Width != 90 || s.Height != 50 || s.Orientation != o {
						t.Errorf("%s: source %+v", where, s)
					}
					checkQuarters(t, where, got, pic.Receipt)
				}
			}
		}
	}
}

func TestAWebPThatIsStillBeingWrittenIsLookedAtOnceMore(t *testing.T) {
	data := webpTurned(quarters(300, 200), exif("II", 1))
	for _, first := range []int{10, 40, len(data) / 2, len(data) - 30} {
		sink := &memorySink{}
		src := growingSource(t, "shot.webp", data[:first], data[first:])
		pic, err := NewGate().Ingest(t.Context(), sink, src, Options{})
		if err != nil {
			t.Errorf("%d bytes at first: %v", first, err)
			continue
		}
		proven(t, sink, pic)
		if !bytes.Equal(sink.blobs[pic.Original], data) || len(pic.Receipt.Warnings) > 0 {
			t.Errorf("%d bytes at first: %d of %d are kept, warnings %q", first, len(sink.blobs[pic.Original]), len(data), pic.Receipt.Warnings)
		}
	}
}

func TestColoursOfAPlanarPictureAreWeighedByItsAlpha(t *testing.T) {
	// The left half is red, the right one a green that nobody sees.
	const w, h = 80, 60
	for _, order := range [][]int{{1, 2, 0, 3}, {0, 3, 1, 2}} {
		for _, side := range []int{10, 31, 50} {
			render := &renderer{want: image.Rect(0, 0, w, h), side: side, budget: 1 << 30}
			sink := newRelay(&packer{to: render})
			half := image.Pt(w/2, h/2)
			if err := sink.Begin(rows.Header{Layout: rows.YCbCrA, Planes: []image.Point{{w, h}, half, half, {w, h}}, Window: image.Rect(0, 0, w, h)}); err != nil {
				t.Fatal(err)
			}
			ry, rcb, rcr := color.RGBToYCbCr(255, 0, 0)
			gy, gcb, gcr := color.RGBToYCbCr(0, 255, 0)
			lines := [4][]byte{halves(w, ry, gy), halves(w/2, rcb, gcb), halves(w/2, rcr, gcr), halves(w, 255, 0)}
			for y := range h {
				for _, plane := range order {
					if (plane == 1 || plane == 2) && y%2 == 1 {
						continue
					}
					if err := sink.Row(plane, lines[plane]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := sink.close(); err != nil || !render.complete() {
				t.Fatalf("%v, complete: %v", err, render.complete())
			}
			p := render.canvas.planes[0]
			for i := 0; i < len(p.pix); i += 4 {
				if c := p.pix[i : i+4]; c[3] > 0 && (c[0] < 250 || c[1] > 5) {
					t.Fatalf("side %d: a pixel is %v", side, c)
				}
			}
		}
	}
}

// halves is a row that begins as one value and ends as another.
func halves(n int, left, right byte) []byte {
	return slices.Concat(bytes.Repeat([]byte{left}, n/2), bytes.Repeat([]byte{right}, n-n/2))
}

func TestAPackedRowIsItsPlanesPutTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, size := range []image.Point{{1, 1}, {2, 3}, {7, 5}, {16, 9}} {
		half := image.Pt((size.X+1)/2, (size.Y+1)/2)
		noise := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return b
		}
		planes := [4][]byte{noise(size.X * size.Y), noise(half.X * half.Y), noise(half.X * half.Y), noise(size.X * size.Y)}
		kept := &keptRows{}
		p := &packer{to: kept}
		if err := p.Begin(rows.Header{Layout: rows.YCbCrA, Planes: []image.Point{size, half, half, size}}); err != nil {
			t.Fatal(err)
		}
		for _, plane := range []int{3, 1, 0, 2} { // each whole, one after the other
			n := map[bool]int{true: half.X, false: size.X}[plane == 1 || plane == 2]
			for at := 0; at < len(planes[plane]); at += n {
				if err := p.Row(plane, planes[plane][at:at+n]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range size.X * size.Y {
			x, y := i%size.X, i/size.X
			c := y/2*half.X + x/2
			cr, cg, cb := color.YCbCrToRGB(planes[0][i], planes[1][c], planes[2][c])
			want := []byte{cr, cg, cb, planes[3][i]}
			if want[3] == 0 {
				want = make([]byte, 4)
			}
			if got := kept.pix[4*i : 4*i+4]; !bytes.Equal(got, want) {
				t.Fatalf("%v: pixel %d,%d is %v, want %v", size, x, y, got, want)
			}
		}
	}
}

// keptRows is a sink that keeps one plane.
type keptRows struct{ pix []byte }

func (k *keptRows) Begin(rows.Header) error { return nil }

func (k *keptRows) Row(_ int, samples []byte) error {
	k.pix = append(k.pix, samples...)
	return nil
}
