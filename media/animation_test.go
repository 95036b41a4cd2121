package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAGIFShowsItsFirstFrameOnItsCanvas(t *testing.T) {
	frame := func(r image.Rectangle, i uint8) *image.Paletted {
		m := image.NewPaletted(r, color.Palette{color.White, color.NRGBA{200, 30, 30, 255}, color.NRGBA{30, 30, 200, 255}})
		for k := range m.Pix {
			m.Pix[k] = i
		}
		return m
	}
	var b bytes.Buffer
	g := &gif.GIF{
		Image: []*image.Paletted{frame(image.Rect(20, 30, 30, 40), 1), frame(image.Rect(0, 0, 100, 80), 2), frame(image.Rect(0, 0, 9, 9), 1)},
		Delay: []int{1, 1, 1}, Config: image.Config{Width: 100, Height: 80},
	}
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	pic, m := ingest(t, b.Bytes(), Options{})
	if pic.Image.Width != 100 || pic.Image.Height != 80 || pic.Receipt.Source.Frames != 3 || len(pic.Receipt.Warnings) != 1 {
		t.Errorf("%+v", pic.Receipt)
	}
	if _, _, _, a := m.At(5, 5).RGBA(); a != 0 || !near(m.At(25, 35), color.NRGBA{200, 30, 30, 255}, 0) {
		t.Errorf("around the frame %v, in it %v", m.At(5, 5), m.At(25, 35))
	}
}

func TestLossyWebPHasItsFullRangeOfBrightness(t *testing.T) {
	data := mustRead(t, filepath.Join(corpora(t), "libwebp-test-data", "test.webp"))
	_, got := ingest(t, data, Options{})
	high := 0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			high = max(high, int(color.GrayModel.Convert(got.At(x, y)).(color.Gray).Y))
		}
	}
	if high < 245 {
		t.Errorf("the brightest pixel is %d: the limited range was kept", high)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAnAnimatedWebPShowsItsFirstFrame(t *testing.T) {
	still := mustRead(t, filepath.Join(corpora(t), "libwebp-test-data", "lossless1.webp"))
	h, err := Probe(bytes.NewReader(still), int64(len(still)))
	if err != nil {
		t.Fatal(err)
	}
	_, want := ingest(t, still, Options{})
	for name, margin := range map[string]int{"as large as its canvas": 0, "smaller than its canvas": 10} {
		pic, got := ingest(t, animated(still, h.Width, h.Height, margin), Options{})
		if pic.Receipt.Source.Frames != 2 || pic.Image.Width != h.Width+margin || len(pic.Receipt.Warnings) != 1 {
			t.Errorf("%s: %+v", name, pic.Receipt)
		}
		if !near(got.At(200, 200), want.At(200, 200), 30) {
			t.Errorf("%s: %v, want %v", name, got.At(200, 200), want.At(200, 200))
		}
	}
}

// animated wraps a simple WebP file twice into an animation with a margin at the right and below.
func animated(still []byte, w, h, margin int) []byte {
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	var body bytes.Buffer
	writeChunk(&body, "VP8X", slices.Concat([]byte{0x12, 0, 0, 0}, u24(w+margin-1), u24(h+margin-1)))
	writeChunk(&body, "ANIM", make([]byte, 6))
	for range 2 {
		writeChunk(&body, "ANMF", slices.Concat(u24(0), u24(0), u24(w-1), u24(h-1), u24(100), []byte{0}, still[12:]))
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+body.Len()))
	return slices.Concat(out, []byte("WEBP"), body.Bytes())
}

func writeChunk(out *bytes.Buffer, kind string, data []byte) {
	out.WriteString(kind)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
	out.Write(data)
	if len(data)&1 == 1 {
		out.WriteByte(0)
	}
}
