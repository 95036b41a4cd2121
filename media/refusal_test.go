package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"

	"espy/agent/message"
)

// bomb is a tiny PNG file that declares a giant picture.
func bomb(w, h uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, w)
	b = binary.BigEndian.AppendUint32(b, h)
	return []byte(pngSignature + pngChunk("IHDR", string(b)+"\x08\x00\x00\x00\x00") + pngChunk("IDAT", "x\x9c\x03\x00\x00\x00\x00\x01") + pngChunk("IEND", ""))
}

func TestRefusalsNameTheFileTheFigureTheLimitAndAWayOn(t *testing.T) {
	whole := pngOf(t, screenshot(40, 30))
	for _, c := range []struct {
		name  string
		data  string
		fault Fault
		says  []string
	}{
		{"empty.png", "", FaultEmpty, []string{"empty.png is empty (0 bytes)"}},
		{"shot.png", "error: cannot open display\n", FaultNotPicture, []string{"shot.png is not a picture: it is plain text"}},
		{"404.jpg", "<!DOCTYPE html><title>404</title>", FaultNotPicture, []string{"an HTML page", "download the picture itself"}},
		{"api.png", `{"error":{"message":"expired"}}`, FaultNotPicture, []string{"a JSON error message"}},
		{"logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", FaultUnsupported, []string{"an SVG drawing", "read it as text"}},
		{"photo.png", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", FaultUnsupported, []string{"a HEIC picture", "convert it to PNG or JPEG"}},
		{"page.png", "%PDF-1.7\n1 0 obj", FaultUnsupported, []string{"a PDF document", "save the page as PNG"}},
		{"clip.gif", "\x1a\x45\xdf\xa3\x01\x00\x00\x00", FaultUnsupported, []string{"video", "save one frame"}},
		{"a.zip", "PK\x03\x04\x14\x00\x00\x00", FaultNotPicture, []string{"zip archive"}},
		{"wide.png", string(bomb(9000, 100)), FaultTooBig, []string{"wide.png is 9000x100 pixels", "longest side may be 8192", "attach it again"}},
		{"bomb.png", string(bomb(20000, 20000)), FaultTooBig, []string{"20000x20000", "8192"}},
		{"big.png", string(bomb(8192, 4097)), FaultTooBig, []string{"8192x4097 pixels, 33562624 in all", "33554432"}},
		{"cut.png", string(whole[:len(whole)*6/10]), FaultBroken, []string{"a PNG picture of 40x30 pixels that cannot be decoded", "ends after row"}},
		{"stub.png", pngSignature, FaultBroken, []string{"damaged or cut short"}},
		{"ios.png", pngSignature + pngChunk("CgBI", "\x50\x00\x20\x02") + pngChunk("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"), FaultUnsupported, []string{"Apple's private form"}},
		{"deep.jpg", "\xff\xd8\xff\xc1\x00\x0b\x0c\x00\x28\x00\x50\x01\x01\x11\x00\xff\xda", FaultUnsupported, []string{"12 bits a sample"}},
		{"film.jpg", "\xff\xd8\xff\xc3\x00\x0b\x08\x00\x28\x00\x50\x01\x01\x11\x00\xff\xda", FaultUnsupported, []string{"lossless coding"}},
		{"coded.jpg", "\xff\xd8\xff\xc9\x00\x0b\x08\x00\x28\x00\x50\x01\x01\x11\x00\xff\xda", FaultBroken, []string{"cannot be decoded"}},
		{"none.jpg", "\xff\xd8\xff\xc0\x00\x0b\x08\x00\x00\x00\x50\x01\x01\x11\x00\xff\xda", FaultBroken, []string{"damaged"}},
		{"two.jpg", "\xff\xd8", FaultBroken, []string{"damaged or cut short"}},
		{"old.tif", exif("II", 1), FaultBroken, []string{"a TIFF picture"}},
		{"e\x1b[31mvil\n.png", "text", FaultNotPicture, []string{"e?[31mvil?.png"}},
	} {
		r := refusal(t, sourceOf(c.name, []byte(c.data)), Options{})
		if r.Fault != c.fault || r.Name != c.name {
			t.Errorf("%q: fault %q of %q, want %q", c.name, r.Fault, r.Name, c.fault)
		}
		for _, s := range c.says {
			if !strings.Contains(r.Sentence, s) {
				t.Errorf("%q: %q does not say %q", c.name, r.Sentence, s)
			}
		}
	}
}

func TestAFrameLargerThanItsCanvasIsRefusedBeforeItIsDecoded(t *testing.T) {
	frame := "VP8L\x06\x00\x00\x00\x2f\xff\xff\xff\x0f\x00" // 16384x16384
	still := "RIFF\x00\x01\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00" + frame + strings.Repeat("\x00", 30)
	moving := "RIFF\x00\x01\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00" +
		"ANMF\x1e\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00\x00\x00\x00\x00" + frame + strings.Repeat("\x00", 30)
	// The library reads FF 01 as a segment with a length, everyone else as a marker alone.
	jpg := "\xff\xd8\xff\x01\xff\xc0\x00\x0b\x08\x00\x28\x00\x50\x01\x01\x11\x00\xff\xfe\xff\xff" + strings.Repeat("x", 0xffc0-19) +
		"\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + strings.Repeat("y", 2000)
	for name, data := range map[string]string{"still.webp": still, "moving.webp": moving, "two.jpg": jpg} {
		peak := heapPeak(func() {
			if r := refusal(t, sourceOf(name, []byte(data)), Options{}); r.Fault != FaultBroken {
				t.Errorf("%s: %+v", name, r)
			}
		})
		if peak > 16<<20 {
			t.Errorf("%s: %d bytes were allocated", name, peak)
		}
	}
}

func TestBitmapsAreTakenFromTheClipboardOnly(t *testing.T) {
	for name, data := range map[string][]byte{"bmp": bmpOf(t, quarters(30, 20)), "tiff": tiffOf(t, quarters(30, 20))} {
		r := refusal(t, sourceOf("a."+name, data), Options{})
		if r.Fault != FaultUnsupported || !strings.Contains(r.Sentence, "convert it to PNG") {
			t.Errorf("%s: %+v", name, r)
		}
		sink := &memorySink{}
		src := sourceOf("clipboard", data)
		src.Clipboard = true
		pic, err := NewGate().Ingest(context.Background(), sink, src, Options{})
		if err != nil || pic.Image.MediaType != "image/png" {
			t.Fatalf("%s: %+v, %v", name, pic, err)
		}
		if _, kept := sink.blobs[pic.Original]; !kept || !strings.HasSuffix(pic.Original, ".png") || pic.Receipt.Source.Format != name || pic.Receipt.Source.Bytes != int64(len(data)) {
			t.Errorf("%s: original %s, source %+v", name, pic.Original, pic.Receipt.Source)
		}
		again, _ := ingest(t, sink.blobs[pic.Original], Options{})
		if again.Receipt.Source.Width != 30 || again.Image.Ref != pic.Image.Ref {
			t.Errorf("%s: the original does not come through the gate as it did: %+v", name, again)
		}
		if m := proven(t, sink, pic); !near(m.At(2, 2), quarterColours[0], 0) || !near(m.At(28, 18), quarterColours[3], 0) {
			t.Errorf("%s: colours are %v and %v", name, m.At(2, 2), m.At(28, 18))
		}
	}
}

func TestALargeFileIsRefusedBeforeItIsRead(t *testing.T) {
	src := Source{Name: "huge.png", Bytes: unreadable{t}, Size: MaxSourceImageBytes + 1}
	if r := refusal(t, src, Options{}); r.Fault != FaultTooBig || !strings.Contains(r.Sentence, "20 MiB") || strings.Contains(r.Sentence, "is 20 MiB") {
		t.Errorf("%+v", r)
	}
}

type unreadable struct{ t *testing.T }

func (u unreadable) ReadAt([]byte, int64) (int, error) {
	u.t.Error("a file over the limit was read")
	return 0, syscall.EIO
}

func TestCropsOutsideThePictureAreRefused(t *testing.T) {
	data := pngOf(t, screenshot(40, 30))
	for _, c := range []message.Rect{
		{X: 0, Y: 0, Width: 0, Height: 10}, {X: 0, Y: 0, Width: 41, Height: 10}, {X: -1, Y: 0, Width: 5, Height: 5}, {X: 40, Y: 0, Width: 1, Height: 1},
		{X: 39, Y: 29, Width: 2, Height: 1}, {X: 1 << 62, Y: 0, Width: 1 << 62, Height: 1}, {X: 1, Y: 1, Width: 1 << 62, Height: 1 << 62}, {X: 3, Y: 3, Width: -2, Height: 2},
	} {
		if r := refusal(t, sourceOf("shot.png", data), Options{Crop: &c}); r.Fault != FaultCrop || !strings.Contains(r.Sentence, "40x30") {
			t.Errorf("%+v: %+v", c, r)
		}
	}
	for _, c := range []message.Rect{{X: 100, Y: 0, Width: 5, Height: 5}, {X: 0, Y: 0, Width: 0, Height: 0}} {
		if r := refusal(t, sourceOf("shot.png", data), Options{Redact: []message.Rect{c}}); r.Fault != FaultCrop {
			t.Errorf("a redaction of nothing, %+v: %+v", c, r)
		}
	}
}

func TestEightBombsAtOnceAreEightRefusals(t *testing.T) {
	gate, data := NewGate(), bomb(20000, 20000)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = gate.Ingest(context.Background(), &memorySink{}, sourceOf("bomb.png", data), Options{})
		})
	}
	wg.Wait()
	for _, err := range errs {
		var r *Refusal
		if !errors.As(err, &r) || r.Fault != FaultTooBig {
			t.Errorf("%v", err)
		}
	}
}

func TestAFaultOfTheFileItselfIsNoRefusal(t *testing.T) {
	data := pngOf(t, photograph(300, 300))
	src := Source{Name: "shot.png", Size: int64(len(data)), Bytes: failing{bytes.NewReader(data), int64(len(data)) / 2}}
	_, err := NewGate().Ingest(context.Background(), &memorySink{}, src, Options{})
	var r *Refusal
	if !errors.Is(err, syscall.EIO) || errors.As(err, &r) {
		t.Errorf("%v, want the error of the file", err)
	}
}

// failing gives an input/output error from an offset on.
type failing struct {
	r    *bytes.Reader
	from int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, syscall.EIO
	}
	return f.r.ReadAt(p, off)
}

func TestAFullDiskIsNoRefusal(t *testing.T) {
	_, err := NewGate().Ingest(context.Background(), &memorySink{fail: syscall.ENOSPC}, sourceOf("shot.png", pngOf(t, screenshot(40, 30))), Options{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want the error of the disk", err)
	}
}

func TestTheContextEndsAnIngest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewGate().Ingest(ctx, &memorySink{}, sourceOf("shot.png", pngOf(t, screenshot(40, 30))), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestAPanicOfADecoderIsARefusal(t *testing.T) {
	j := &job{src: sourceOf("shot.png", []byte("x")), reader: &faultReader{r: bytes.NewReader(nil)}, header: Header{Format: PNG, Width: 1, Height: 1}}
	if err := j.render(context.Background()); err == nil || !strings.Contains(err.Error(), "cannot be decoded") {
		t.Errorf("%v", err)
	}
}

func TestGarbageBehindEverySignatureIsRefusedWithoutAPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, m := range [][]byte{pngOf(t, screenshot(64, 64)), jpegOf(t, photograph(64, 64)), bmpOf(t, quarters(9, 9)), tiffOf(t, quarters(9, 9))} {
		for range 400 {
			bad := bytes.Clone(m)
			for range 1 + r.IntN(6) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			bad = bad[:1+r.IntN(len(bad))]
			src := sourceOf("fuzzed", bad)
			src.Clipboard = true
			sink := &memorySink{}
			pic, err := NewGate().Ingest(context.Background(), sink, src, Options{})
			var ref *Refusal
			if err == nil {
				proven(t, sink, pic)
			} else if !errors.As(err, &ref) {
				t.Fatalf("%v", err)
			}
		}
	}
}

func FuzzIngest(f *testing.F) {
	f.Add(pngOf(f, screenshot(20, 10)), 0, 0, 5, 5)
	f.Add(jpegOf(f, photograph(20, 10)), 1, 1, 8, 8)
	f.Add(bomb(20000, 20000), 0, 0, 0, 0)
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), 0, 0, 0, 0)
	f.Add(insertChunk(pngOf(f, screenshot(20, 10)), iccp(displayP3())+pngChunk("eXIf", exif("II", 6))), 0, 0, 5, 5)
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), 0, 0, 1, 1)
	f.Fuzz(func(t *testing.T, data []byte, x, y, w, h int) {
		if head, err := Probe(bytes.NewReader(data), int64(len(data))); err == nil && head.pixels() > 1<<20 && head.pixels() <= MaxImagePixels {
			return // sound but slow
		}
		opt := Options{Detail: DetailLow}
		if w != 0 || h != 0 {
			opt.Crop = &message.Rect{X: x, Y: y, Width: w, Height: h}
		}
		sink := &memorySink{}
		pic, err := NewGate().Ingest(context.Background(), sink, sourceOf("fuzzed", data), opt)
		var r *Refusal
		switch {
		case err == nil:
			proven(t, sink, pic)
		case !errors.As(err, &r):
			t.Errorf("%v", err)
		}
	})
}
