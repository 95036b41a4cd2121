package media

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"testing"

	"espy/agent/message"
)

// quarters is a picture whose four quarters are red, green, blue and yellow, from the top left along the rows.
var quarterColours = [4]color.NRGBA{{230, 20, 20, 255}, {20, 200, 20, 255}, {20, 20, 230, 255}, {230, 200, 20, 255}}

func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, quarterColours[x*2/w+y*2/h*2])
		}
	}
	return m
}

// storedAs is the picture as a camera held that way stores it: the inverse of what the orientation asks for, by the
// table of the EXIF standard (where row 0 and column 0 of the stored picture are on the upright one).
func storedAs(m *image.NRGBA, orientation int) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	size := image.Pt(w, h)
	if orientation >= 5 {
		size = image.Pt(h, w)
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			ux, uy := x, y
			switch orientation {
			case 2: // row 0 top, column 0 right
				ux = w - 1 - x
			case 3: // bottom, right
				ux, uy = w-1-x, h-1-y
			case 4: // bottom, left
				uy = h - 1 - y
			case 5: // left, top
				ux, uy = y, x
			case 6: // right, top
				ux, uy = w-1-y, x
			case 7: // right, bottom
				ux, uy = w-1-y, h-1-x
			case 8: // left, bottom
				ux, uy = y, h-1-x
			}
			out.SetNRGBA(x, y, m.NRGBAAt(ux, uy))
		}
	}
	return out
}

func withEXIF(jpeg []byte, tiff string) []byte {
	body := "Exif\x00\x00" + tiff
	segment := append([]byte{0xff, 0xe1, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	return append(append([]byte{0xff, 0xd8}, segment...), jpeg[2:]...)
}

func pngChunk(kind, data string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
}

func near(a, b color.Color, most int) bool {
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	d := func(x, y uint32) bool { v := int(x>>8) - int(y>>8); return v <= most && -v <= most }
	return d(r, r2) && d(g, g2) && d(bl, b2)
}

func TestEveryOrientationComesOutUprightInBothByteOrdersAndBothContainers(t *testing.T) {
	m := quarters(90, 50)
	for o := 1; o <= 8; o++ {
		stored := storedAs(m, o)
		for name, data := range map[string][]byte{
			"jpeg II": withEXIF(jpegOf(t, stored), exif("II", byte(o))),
			"jpeg MM": withEXIF(jpegOf(t, stored), exif("MM", byte(o))),
			"png":     insertChunk(pngOf(t, stored), pngChunk("eXIf", exif("MM", byte(o)))),
			"png own": withOrientation(pngOf(t, stored), o),
			"png end": beforeEnd(pngOf(t, stored), pngChunk("eXIf", exif("II", byte(o)))),
		} {
			for _, side := range []int{0, 45} {
				pic, got := ingest(t, data, Options{Fit: Fit{MaxSide: side}})
				where := fmt.Sprintf("%s %d side %d", name, o, side)
				if pic.Receipt.Source.Width != 90 || pic.Receipt.Source.Height != 50 || pic.Receipt.Source.Orientation != o {
					t.Errorf("%s: source %+v", where, pic.Receipt.Source)
				}
				checkQuarters(t, where, got, pic.Receipt)
			}
		}
	}
}

// checkQuarters looks at the middle of each quarter, and maps what it finds back to the source.
func checkQuarters(t *testing.T, where string, m image.Image, r Receipt) {
	t.Helper()
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	if (w > h) != (90 > 50) {
		t.Errorf("%s: lies on its side, %dx%d", where, w, h)
		return
	}
	for i, want := range quarterColours {
		x, y := w/4+i%2*w/2, h/4+i/2*h/2
		if got := m.At(x, y); !near(got, want, 12) {
			t.Errorf("%s: quarter %d is %v, want %v", where, i, got, want)
		}
		sx, sy := r.ToSource(float64(x), float64(y))
		if int(sx)*2/90 != i%2 || int(sy)*2/50 != i/2 {
			t.Errorf("%s: %d,%d maps back to %.1f,%.1f", where, x, y, sx, sy)
		}
	}
}

func insertChunk(png []byte, chunk string) []byte {
	return []byte(string(png[:33]) + chunk + string(png[33:]))
}

func beforeEnd(png []byte, chunk string) []byte {
	return []byte(string(png[:len(png)-12]) + chunk + string(png[len(png)-12:]))
}

func TestACropIsInUprightPixelsWhateverTheOrientation(t *testing.T) {
	m := screenshot(64, 48)
	crop := message.Rect{X: 10, Y: 5, Width: 21, Height: 33}
	for o := 1; o <= 8; o++ {
		data := insertChunk(pngOf(t, storedAs(m, o)), pngChunk("eXIf", exif("II", byte(o))))
		pic, got := ingest(t, data, Options{Crop: &crop})
		if pic.Receipt.Crop == nil || *pic.Receipt.Crop != crop || pic.Receipt.Scale != 1 {
			t.Errorf("%d: receipt %+v", o, pic.Receipt)
		}
		for y := range crop.Height {
			for x := range crop.Width {
				if want := m.At(crop.X+x, crop.Y+y); !near(got.At(x, y), want, 0) {
					t.Fatalf("%d: pixel %d,%d of the crop is %v, want %v", o, x, y, got.At(x, y), want)
				}
			}
		}
		if sx, sy := pic.Receipt.ToSource(3, 4); sx != 13 || sy != 9 {
			t.Errorf("%d: 3,4 maps back to %v,%v", o, sx, sy)
		}
	}
}

func TestATurnedPictureWithTransparencyKeepsItsSizeUpTo8MillionPixels(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2048, 4096))
	for i := range m.Pix {
		m.Pix[i] = byte(i / (4 * 2048 * 64) * 3)
	}
	data := insertChunk(pngOf(t, m), pngChunk("eXIf", exif("II", 6)))
	pic, err := NewGate().Ingest(t.Context(), &memorySink{}, sourceOf("turned.png", data), Options{Detail: DetailHigh})
	if err != nil || pic.Image.Width != 4096 || pic.Image.Height != 2048 || pic.Receipt.Scale != 1 {
		t.Errorf("%v, %+v", err, pic.Receipt)
	}
}

func TestTurningTwiceIsNotPossible(t *testing.T) {
	data := withEXIF(jpegOf(t, storedAs(quarters(90, 50), 6)), exif("MM", 6))
	sink := &memorySink{}
	pic, err := NewGate().Ingest(t.Context(), sink, sourceOf("turned.jpg", data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, m := ingest(t, sink.blobs[pic.Image.Ref], Options{})
	if again.Receipt.Source.Orientation != 1 {
		t.Errorf("what was turned still carries orientation %d", again.Receipt.Source.Orientation)
	}
	checkQuarters(t, "twice", m, again.Receipt)
}
