package webp

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"espy/media/rows"
)

// chunk is one chunk with its padding.
func chunk(kind string, data []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
	return append(b, make([]byte, len(data)&1)...)
}

// riff is a WebP file of chunks.
func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), slices.Concat(chunks...)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// part is the data of a file's first chunk of a kind.
func part(t *testing.T, file []byte, kind string) []byte {
	t.Helper()
	for at := 12; at+8 <= len(file); {
		n := int(binary.LittleEndian.Uint32(file[at+4:]))
		if string(file[at:at+4]) == kind {
			return file[at+8 : at+8+n]
		}
		at += 8 + n + n&1
	}
	t.Fatalf("there is no %q", kind)
	return nil
}

func put24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

func canvasChunk(flags byte, w, h int) []byte {
	return chunk("VP8X", slices.Concat([]byte{flags, 0, 0, 0}, put24(w-1), put24(h-1)))
}

func frameChunk(x, y, w, h int, chunks ...[]byte) []byte {
	head := slices.Concat(put24(x/2), put24(y/2), put24(w-1), put24(h-1), put24(100), []byte{0})
	return chunk("ANMF", append(head, slices.Concat(chunks...)...))
}

func TestChunksOfOtherKindsAreSteppedOver(t *testing.T) {
	m := screenshot(31, 21, false, true)
	lossy := encode(t, m, "-q", "70")
	pixels, alpha := chunk("VP8 ", part(t, lossy, "VP8 ")), chunk("ALPH", part(t, lossy, "ALPH"))
	plain := encode(t, m, "-lossless")
	odd, empty := chunk("odd!", []byte("abc")), chunk("none", nil)
	for name, c := range map[string]struct {
		file   []byte
		layout rows.Layout
	}{
		"before the pixels":            {riff(odd, empty, pixels, odd), rows.YCbCr},
		"between alpha and the pixels": {riff(canvasChunk(0x10, 31, 21), odd, alpha, empty, odd, pixels, odd), rows.YCbCrA},
		"alpha that is not announced":  {riff(canvasChunk(0, 31, 21), alpha, pixels), rows.YCbCrA},
		"alpha that is not there":      {riff(canvasChunk(0x10, 31, 21), pixels), rows.YCbCr},
		"alpha twice":                  {riff(canvasChunk(0x10, 31, 21), alpha, chunk("ALPH", []byte{9}), pixels), rows.YCbCrA},
		"a second picture":             {riff(pixels, pixels), rows.YCbCr},
		"before lossless pixels":       {riff(canvasChunk(0x10, 31, 21), odd, chunk("VP8L", part(t, plain, "VP8L"))), rows.RGBA},
		"bytes behind the file":        {append(riff(pixels), "and more"...), rows.YCbCr},
	} {
		k, res, err := decode(c.file, image.Rectangle{})
		if err != nil || len(res.Warnings) > 0 || k.head.Layout != c.layout {
			t.Errorf("%s: layout %v, warnings %q, %v", name, k.head.Layout, res.Warnings, err)
		}
	}
}

func TestAFileThatSaysItIsLongerIsReadWithAWarning(t *testing.T) {
	data := encode(t, photograph(30, 30), "-q", "70")
	data = append(data, chunk("EXIF", make([]byte, 300))...)
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	_, res, err := decode(data[:len(data)-100], image.Rectangle{})
	if err != nil || !res.Cut || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "100 bytes") {
		t.Errorf("%q, %v", res.Warnings, err)
	}
}

func TestContradictingHeadersAreRefused(t *testing.T) {
	lossy := chunk("VP8 ", part(t, encode(t, photograph(30, 20), "-q", "70"), "VP8 "))
	interframe := slices.Clone(lossy)
	interframe[8] |= 1
	version := slices.Clone(part(t, encode(t, photograph(30, 20), "-lossless"), "VP8L"))
	version[4] |= 0x20
	for name, file := range map[string][]byte{
		"empty":                       nil,
		"only a signature":            riff(),
		"no pixels":                   riff(canvasChunk(0, 30, 20)),
		"a larger canvas":             riff(canvasChunk(0, 31, 20), lossy),
		"a smaller canvas":            riff(canvasChunk(0, 16, 16), lossy),
		"a frame outside":             riff(canvasChunk(2, 40, 40), frameChunk(20, 0, 30, 20, lossy)),
		"a frame of another size":     riff(canvasChunk(2, 40, 40), frameChunk(0, 0, 30, 22, lossy)),
		"a frame without pixels":      riff(canvasChunk(2, 40, 40), frameChunk(0, 0, 30, 20)),
		"a frame without a canvas":    riff(frameChunk(0, 0, 30, 20, lossy)),
		"a canvas beyond the format":  riff(canvasChunk(2, 1<<24, 1<<24), frameChunk(0, 0, 30, 20, lossy)),
		"a frame after another":       riff(chunk("VP8 ", interframe[8:])),
		"a version nobody knows":      riff(chunk("VP8L", version)),
		"another signature":           riff(chunk("VP8L", []byte{0x2e, 1, 2, 3, 4, 5})),
		"chunks without end":          riff(bytes.Repeat(chunk("none", nil), maxChunks+1)),
		"transparency of another way": riff(canvasChunk(0x10, 30, 20), chunk("ALPH", []byte{2, 0, 0}), lossy),
		"transparency cut short":      riff(canvasChunk(0x10, 30, 20), chunk("ALPH", make([]byte, 100)), lossy),
	} {
		if _, res, err := decode(file, image.Rectangle{}); err == nil {
			t.Errorf("%s: read, %+v", name, res)
		} else if strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("%s: %q", name, err)
		}
	}
}

// onCanvas checks the first frame of an animation: the frame where it stands, nothing around it.
func onCanvas(t *testing.T, name string, k *keeper, canvas image.Point, at image.Point, frame image.Image) {
	t.Helper()
	size := frame.Bounds().Size()
	place := image.Rectangle{Min: at, Max: at.Add(size)}
	if k.head.Window.Size() != canvas || k.head.Layout != rows.RGBA && k.head.Layout != rows.YCbCrA {
		t.Fatalf("%s: %+v, want %v with transparency", name, k.head, canvas)
	}
	for y := range canvas.Y {
		for x := range canvas.X {
			got := k.at(x, y)
			if !image.Pt(x, y).In(place) {
				if got.A != 0 {
					t.Fatalf("%s: %d,%d is %v beside the frame", name, x, y, got)
				}
				continue
			}
			if want := pixel(frame, x-at.X, y-at.Y); got != want {
				t.Fatalf("%s: %d,%d is %v, want %v", name, x, y, got, want)
			}
		}
	}
}

// pixel is a pixel of the library's picture, brought to the full range where it is lossy.
func pixel(m image.Image, x, y int) color.NRGBA {
	c, alpha := color.YCbCr{}, byte(255)
	switch m := m.(type) {
	case *image.YCbCr:
		c = m.YCbCrAt(x, y)
	case *image.NYCbCrA:
		n := m.NYCbCrAAt(x, y)
		c, alpha = n.YCbCr, n.A
	default:
		return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
	}
	r, g, b := color.YCbCrToRGB(full(c.Y, 16, 219, 0), full(c.Cb, 128, 224, 128), full(c.Cr, 128, 224, 128))
	return color.NRGBA{r, g, b, alpha}
}

func TestTheFirstFrameOfAnAnimationStandsOnItsCanvas(t *testing.T) {
	m := screenshot(31, 21, false, true)
	for name, still := range map[string][]byte{
		"lossy": encode(t, photograph(31, 21), "-q", "70"), "alpha": encode(t, m, "-q", "70"), "lossless": encode(t, m, "-lossless"),
		"opaque": encode(t, photograph(31, 21), "-lossless"),
	} {
		ref, err := webp.Decode(bytes.NewReader(still))
		if err != nil {
			t.Fatal(err)
		}
		var chunks [][]byte
		for at := 12; at < len(still); {
			n := 8 + int(binary.LittleEndian.Uint32(still[at+4:]))
			n += n & 1
			if string(still[at:at+4]) != "VP8X" {
				chunks = append(chunks, still[at:at+n])
			}
			at += n
		}
		for _, at := range []image.Point{{0, 0}, {10, 6}, {38, 40}} {
			canvas := image.Pt(69, 61)
			file := riff(canvasChunk(0x12, canvas.X, canvas.Y), chunk("ANIM", make([]byte, 6)),
				frameChunk(at.X, at.Y, 31, 21, chunks...), frameChunk(0, 0, 31, 21, chunks...))
			k, _, err := decode(file, image.Rectangle{})
			if err != nil {
				t.Fatalf("%s at %v: %v", name, at, err)
			}
			onCanvas(t, name, k, canvas, at, ref)
			for _, w := range []image.Rectangle{image.Rect(0, 0, 5, 5), image.Rect(60, 0, 69, 61), image.Rect(0, 50, 69, 61), image.Rect(20, 10, 45, 30), image.Rect(40, 0, 44, 61)} {
				part, _, err := decode(file, w)
				if err != nil {
					t.Fatalf("%s at %v, window %v: %v", name, at, w, err)
				}
				sameWindow(t, k, part)
			}
		}
	}
}

// sameWindow compares a window with the same part of the whole; what is transparent may have any colour.
func sameWindow(t *testing.T, whole, part *keeper) {
	t.Helper()
	w := part.head.Window
	for y := w.Min.Y; y < w.Max.Y; y++ {
		for x := w.Min.X; x < w.Max.X; x++ {
			got, want := part.at(x-w.Min.X, y-w.Min.Y), whole.at(x, y)
			if got != want && got.A|want.A != 0 {
				t.Fatalf("window %v: %d,%d is %v, want %v", w, x, y, got, want)
			}
		}
	}
}

func TestAnAnimationByTheReferenceShowsItsFirstFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "second.webp")
	if err := os.WriteFile(path, encode(t, screenshot(40, 30, false, true), "-lossless"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := encode(t, photograph(90, 70), "-q", "60")
	file := run(t, "webpmux", first, "-frame", "{in}", "+100+10+10", "-frame", path, "+100+0+0", "-o", "{out}")
	still := run(t, "webpmux", file, "-get", "frame", "1", "{in}", "-o", "{out}")
	ref, err := webp.Decode(bytes.NewReader(still))
	if err != nil {
		t.Fatal(err)
	}
	k, _, err := decode(file, image.Rectangle{})
	if err != nil {
		t.Fatal(err)
	}
	onCanvas(t, "webpmux", k, image.Pt(100, 80), image.Pt(10, 10), ref)
}

func TestAnAnimationThatFillsItsCanvasIsItsFirstFrame(t *testing.T) {
	dir := t.TempDir()
	var frames []string
	for i, m := range []image.Image{photograph(50, 40), screenshot(50, 40, true, false)} {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, string(rune('a'+i))+".png")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, path)
	}
	for _, way := range []string{"-lossy", "-lossless", "-mixed"} {
		args := []string{"-loop", "0"}
		if way == "-mixed" {
			args = append(args, way)
			way = "-lossy"
		}
		file := run(t, "img2webp", nil, append(args, way, "-d", "40", frames[0], way, frames[1], "-o", "{out}")...)
		ref, err := webp.Decode(bytes.NewReader(run(t, "webpmux", file, "-get", "frame", "1", "{in}", "-o", "{out}")))
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := decode(file, image.Rectangle{})
		if err != nil || k.head.Window != ref.Bounds() {
			t.Fatalf("%v: %v, %v", args, k.head, err)
		}
		if err := same(k, ref); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}
