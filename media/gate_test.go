package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	stdpng "image/png"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// memorySink keeps blobs in memory.
type memorySink struct {
	mu    sync.Mutex
	blobs map[string][]byte
	fail  error
}

func (s *memorySink) PutBlob(_ context.Context, ext string, r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil || s.fail != nil {
		return "", errors.Join(err, s.fail)
	}
	ref := fmt.Sprintf("blobs/%x.%s", sha256.Sum256(data), ext)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blobs == nil {
		s.blobs = map[string][]byte{}
	}
	s.blobs[ref] = data
	return ref, nil
}

func sourceOf(name string, data []byte) Source {
	return Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))}
}

func ingest(t testing.TB, data []byte, opt Options) (Picture, image.Image) {
	t.Helper()
	sink := &memorySink{}
	pic, err := NewGate().Ingest(context.Background(), sink, sourceOf("shot", data), opt)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return pic, proven(t, sink, pic)
}

// proven decodes what was stored with the library and checks every promise of the gate about it.
func proven(t testing.TB, sink *memorySink, pic Picture) image.Image {
	t.Helper()
	data, ok := sink.blobs[pic.Image.Ref]
	if !ok {
		t.Fatalf("%s was not stored", pic.Image.Ref)
	}
	m, format, err := image.Decode(bytes.NewReader(data))
	if err != nil || "image/"+format != pic.Image.MediaType {
		t.Fatalf("what is sent as %s decodes as %s, %v", pic.Image.MediaType, format, err)
	}
	r := pic.Receipt
	if m.Bounds().Dx() != pic.Image.Width || m.Bounds().Dy() != pic.Image.Height || r.Sent.Width != pic.Image.Width || r.Sent.Height != pic.Image.Height {
		t.Errorf("sent %v, said %dx%d", m.Bounds(), pic.Image.Width, pic.Image.Height)
	}
	if text := int64(base64.StdEncoding.EncodedLen(len(data))); text > MaxWireImageBytes || text != r.Sent.Base64Bytes || r.Sent.Bytes != int64(len(data)) {
		t.Errorf("%d bytes of base64, said %d", text, r.Sent.Base64Bytes)
	}
	if len(r.Encoder) == 0 || r.Scale <= 0 || r.Scale > 1 {
		t.Errorf("scale %v, steps %q", r.Scale, r.Encoder)
	}
	return m
}

func refusal(t testing.TB, src Source, opt Options) *Refusal {
	t.Helper()
	sink := &memorySink{}
	_, err := NewGate().Ingest(context.Background(), sink, src, opt)
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s: %v, want a refusal", src.Name, err)
	}
	if len(sink.blobs) != 0 {
		t.Errorf("%s was refused and left %d blobs", src.Name, len(sink.blobs))
	}
	if strings.ContainsAny(r.Sentence, "\n\r\x1b") || len(r.Sentence) > 400 || !strings.Contains(r.Sentence, ";") {
		t.Errorf("not one plain sentence with a way on: %q", r.Sentence)
	}
	return r
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&stdpng.Encoder{CompressionLevel: stdpng.BestSpeed}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// screenshot looks like a window of text.
func screenshot(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
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

// photograph has no two equal neighbours.
func photograph(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(w), 9))
	for y := range h {
		for x := range w {
			n := r.IntN(24)
			m.SetNRGBA(x, y, color.NRGBA{byte(40 + x*180/w + n), byte(30 + y*190/h + n), byte(90 + n*3), 255})
		}
	}
	return m
}

func TestEveryPublicTestPictureThatTheReferenceReadsIsReadAndEveryOtherIsRefusedInASentence(t *testing.T) {
	gate := NewGate()
	read, refused := map[string]int{}, map[string]int{}
	broken := 0
	for _, s := range specimens(t, corpora(t)) {
		f, size := openFile(t, s.name)
		sink := &memorySink{}
		pic, err := gate.Ingest(context.Background(), sink, Source{Name: filepath.Base(s.name), Bytes: f, Size: size}, Options{})
		var r *Refusal
		switch {
		case err == nil:
			proven(t, sink, pic)
			read[s.format+" "+s.verdict]++
			if s.verdict == "ERR" {
				t.Errorf("%s is read, warnings %q; the reference refuses it: %s", s.name, pic.Receipt.Warnings, s.note)
			}
		case errors.As(err, &r) && s.verdict == "ERR":
			refused[s.format+" "+s.verdict]++
			namesItsFault(t, r)
			broken++
		case errors.As(err, &r):
			refused[s.format+" "+s.verdict]++
			if r.Fault != FaultTooBig {
				t.Errorf("a picture that the reference reads is refused, and not for a limit: %s", r.Sentence)
			}
		default:
			t.Errorf("%s: %v", s.name, err)
		}
	}
	t.Logf("read %v, refused %v", read, refused)
	if broken < 100 {
		t.Errorf("only %d broken pictures were refused", broken)
	}
}

// namesItsFault checks that a refusal says what is wrong with the file, not only that something is.
func namesItsFault(t *testing.T, r *Refusal) {
	t.Helper()
	for _, words := range []string{"cannot be decoded: ", "is empty ", "is damaged or cut short", "is not a picture: it is ", "the longest side may be", "of a kind that is not read", "; PNG, JPEG, GIF and WebP are read; ", "it may have "} {
		if _, fault, found := strings.Cut(r.Sentence, words); found && len(fault) > len("; save it again") {
			return
		}
	}
	t.Errorf("the sentence does not name the fault: %s", r.Sentence)
}
