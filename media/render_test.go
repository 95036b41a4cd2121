package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"espy/agent/message"
)

func step(r Receipt, part string) bool {
	return slices.ContainsFunc(r.Encoder, func(s string) bool { return strings.Contains(s, part) })
}

func TestDetailSizesThePictureAndNeverEnlargesIt(t *testing.T) {
	wide, small := pngOf(t, screenshot(5000, 40)), pngOf(t, screenshot(300, 200))
	for _, c := range []struct {
		detail Detail
		want   int
	}{{DetailLow, 1024}, {DetailAuto, 2048}, {"", 2048}, {DetailHigh, 4096}, {DetailOriginal, 4096}} {
		pic, _ := ingest(t, wide, Options{Detail: c.detail})
		if pic.Image.Width != c.want || math.Abs(pic.Receipt.Scale-float64(c.want)/5000) > 1e-9 {
			t.Errorf("%q: %d wide, scale %v", c.detail, pic.Image.Width, pic.Receipt.Scale)
		}
		pic, m := ingest(t, small, Options{Detail: c.detail})
		if pic.Image.Width != 300 || pic.Receipt.Scale != 1 || psnr(m, screenshot(300, 200)) < 90 {
			t.Errorf("%q: a small picture became %dx%d", c.detail, pic.Image.Width, pic.Image.Height)
		}
	}
}

func TestTheDetailIsOfTheCropNotOfTheWhole(t *testing.T) {
	crop := &message.Rect{X: 2000, Y: 10, Width: 900, Height: 20}
	pic, m := ingest(t, pngOf(t, screenshot(5000, 40)), Options{Crop: crop, Detail: DetailLow})
	if pic.Image.Width != 900 || pic.Receipt.Scale != 1 || !near(m.At(5, 5), screenshot(5000, 40).At(2005, 15), 0) {
		t.Errorf("%+v", pic.Receipt)
	}
}

func TestOddSizesPass(t *testing.T) {
	for _, s := range []image.Point{{1, 1}, {1, 2}, {2, 1}, {1, 8192}, {8192, 1}, {3, 5000}, {5000, 3}, {7, 9}} {
		for name, data := range map[string][]byte{"png": pngOf(t, screenshot(s.X, s.Y)), "jpeg": jpegOf(t, photograph(s.X, s.Y))} {
			for _, side := range []int{0, 5, 1} {
				pic, _ := ingest(t, data, Options{Fit: Fit{MaxSide: side}})
				if pic.Image.Width < 1 || pic.Image.Height < 1 || side > 0 && max(pic.Image.Width, pic.Image.Height) > side {
					t.Errorf("%s %v side %d became %dx%d", name, s, side, pic.Image.Width, pic.Image.Height)
				}
			}
		}
	}
}

func TestARedactionIsBlackAndLeavesNoTrace(t *testing.T) {
	hidden := message.Rect{X: 20, Y: 10, Width: 21, Height: 11}
	for name, data := range map[string][]byte{"png": pngOf(t, quarters(80, 60)), "jpeg": jpegOf(t, quarters(80, 60)), "gray": jpegOf(t, grayOf(80, 60))} {
		for _, side := range []int{0, 40, 19} {
			sink := &memorySink{}
			pic, err := NewGate().Ingest(context.Background(), sink, sourceOf("shot", data), Options{Redact: []message.Rect{hidden}, Fit: Fit{MaxSide: side}})
			if err != nil {
				t.Fatal(err)
			}
			m := proven(t, sink, pic)
			k := pic.Receipt.Scale
			for y := int(float64(hidden.Y)*k + 2); y < int(float64(hidden.Y+hidden.Height)*k)-2; y++ {
				for x := int(float64(hidden.X)*k + 2); x < int(float64(hidden.X+hidden.Width)*k)-2; x++ {
					if !near(m.At(x, y), color.Black, 24) {
						t.Fatalf("%s side %d: %d,%d is %v", name, side, x, y, m.At(x, y))
					}
				}
			}
			if pic.Original != "" || len(sink.blobs) != 1 || !step(pic.Receipt, "redacted 1 area") {
				t.Errorf("%s: the original was kept: %q, %d blobs, %q", name, pic.Original, len(sink.blobs), pic.Receipt.Encoder)
			}
			if !near(m.At(m.Bounds().Dx()-1, m.Bounds().Dy()-1), quarterColours[3], 30) && name != "gray" {
				t.Errorf("%s: what was not redacted changed", name)
			}
		}
	}
}

func TestARedactionDoesNotDependOnWhatItHides(t *testing.T) {
	// Two pictures that differ only inside the redaction must come out as the same bytes, however they are scaled.
	a, b := screenshot(200, 150), screenshot(200, 150)
	for y := 40; y < 90; y++ {
		for x := 31; x < 101; x++ {
			b.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
		}
	}
	opt := Options{Redact: []message.Rect{{X: 31, Y: 40, Width: 70, Height: 50}}}
	for _, side := range []int{0, 150, 47, 20} {
		opt.Fit.MaxSide = side
		one, _ := ingest(t, pngOf(t, a), opt)
		two, _ := ingest(t, pngOf(t, b), opt)
		if one.Image.Ref != two.Image.Ref {
			t.Errorf("side %d: what was hidden can be told from the result", side)
		}
	}
}

func grayOf(w, h int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = byte(150 + i%7)
	}
	return m
}

func TestTransparencySurvivesInPNGAndIsWhiteInJPEG(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 300, 200))
	r := rand.New(rand.NewPCG(2, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	for x := range 300 {
		for y := range 100 {
			m.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 0})
		}
	}
	pic, got := ingest(t, pngOf(t, m), Options{})
	if _, _, _, a := got.At(5, 5).RGBA(); pic.Image.MediaType != "image/png" || a != 0 {
		t.Errorf("%s, alpha %d", pic.Image.MediaType, a)
	}
	pic, got = ingest(t, pngOf(t, m), Options{Fit: Fit{MaxBase64: 60_000}})
	if pic.Image.MediaType != "image/jpeg" || !near(got.At(got.Bounds().Dx()/2, 3), color.White, 6) || !step(pic.Receipt, "png given up") {
		t.Errorf("%s, %v, %q", pic.Image.MediaType, got.At(5, 5), pic.Receipt.Encoder)
	}
}

func TestScreensStayPNGAndPhotographsBecomeJPEG(t *testing.T) {
	pic, _ := ingest(t, pngOf(t, screenshot(300, 200)), Options{})
	if pic.Image.MediaType != "image/png" {
		t.Errorf("a screen became %s %q", pic.Image.MediaType, pic.Receipt.Encoder)
	}
	pic, _ = ingest(t, pngOf(t, photograph(300, 200)), Options{})
	if pic.Image.MediaType != "image/jpeg" || !step(pic.Receipt, "jpeg q90") {
		t.Errorf("a photograph became %s %q", pic.Image.MediaType, pic.Receipt.Encoder)
	}
}

func TestTheLadderNamesEveryStepUntilTheLimitHolds(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 900, 700))
	r := rand.New(rand.NewPCG(3, 3))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32()) | byte(i&3/3*255)
	}
	for _, limit := range []int64{900_000, 400_000, 65_520, 9_000} {
		pic, _ := ingest(t, pngOf(t, m), Options{Fit: Fit{MaxBase64: limit}})
		if pic.Receipt.Sent.Base64Bytes > limit {
			t.Errorf("limit %d: %d bytes of base64", limit, pic.Receipt.Sent.Base64Bytes)
		}
		if last := pic.Receipt.Encoder[len(pic.Receipt.Encoder)-1]; !strings.HasPrefix(last, "jpeg q") {
			t.Errorf("limit %d: the last step is %q", limit, last)
		}
		if limit < 100_000 && (!step(pic.Receipt, "jpeg q75 given up") || !step(pic.Receipt, "shrunk to")) {
			t.Errorf("limit %d: %q", limit, pic.Receipt.Encoder)
		}
		if want := float64(pic.Image.Width) / 900; math.Abs(pic.Receipt.Scale-want) > 0.005 {
			t.Errorf("limit %d: scale %v for a width of %d", limit, pic.Receipt.Scale, pic.Image.Width)
		}
	}
	refusal(t, sourceOf("noise.png", pngOf(t, m)), Options{Fit: Fit{MaxBase64: 200}})
}

func TestASmallPictureIsPaddedNotEnlarged(t *testing.T) {
	for name, data := range map[string][]byte{"png": pngOf(t, quarters(16, 14)), "jpeg": jpegOf(t, quarters(16, 14))} {
		pic, m := ingest(t, data, Options{Fit: Fit{MinSide: 28}})
		if pic.Image.Width != 28 || pic.Image.Height != 28 || pic.Receipt.Scale != 1 || !step(pic.Receipt, "padded 16x14 to 28x28") {
			t.Errorf("%s: %+v", name, pic.Receipt)
		}
		if !near(m.At(3, 3), quarterColours[0], 20) || !near(m.At(25, 25), color.White, 8) {
			t.Errorf("%s: %v and %v", name, m.At(3, 3), m.At(25, 25))
		}
	}
}

func TestAJPEGThatNeedsNothingIsTakenOverWithoutItsMetadata(t *testing.T) {
	plain := jpegOf(t, photograph(120, 90))
	secret := withEXIF(plain, exif("II", 1)+"GPS 52.1 N")
	secret = slices.Concat(secret[:2], []byte("\xff\xfe\x00\x08secret\xff\xed\x00\x08secret"), secret[2:], []byte("trailing secret"))
	sink := &memorySink{}
	pic, err := NewGate().Ingest(context.Background(), sink, sourceOf("photo.jpg", secret), Options{})
	if err != nil {
		t.Fatal(err)
	}
	proven(t, sink, pic)
	data := sink.blobs[pic.Image.Ref]
	if !step(pic.Receipt, "taken over") || !bytes.Equal(data, plain) {
		t.Errorf("%d bytes became %d, %q", len(plain), len(data), pic.Receipt.Encoder)
	}
	if !bytes.Equal(sink.blobs[pic.Original], secret) {
		t.Error("the original is not the source's own bytes")
	}
	for name, opt := range map[string]Options{"scaled": {Fit: Fit{MaxSide: 60}}, "small": {Fit: Fit{MaxBase64: 3000}}} {
		if pic, _ := ingest(t, secret, opt); step(pic.Receipt, "taken over") {
			t.Errorf("%s: taken over", name)
		}
	}
}

func TestMetadataNeverLeaves(t *testing.T) {
	data := insertChunk(pngOf(t, screenshot(30, 20)), pngChunk("tEXt", "Comment\x00secret")+pngChunk("eXIf", exif("II", 1)+"secret"))
	sink := &memorySink{}
	pic, err := NewGate().Ingest(context.Background(), sink, sourceOf("shot.png", data), Options{})
	if err != nil || bytes.Contains(sink.blobs[pic.Image.Ref], []byte("secret")) {
		t.Errorf("%v, or the comment went out", err)
	}
}

func TestAPictureWith16BitsOrInCMYKComesOutRight(t *testing.T) {
	deep := image.NewNRGBA64(image.Rect(0, 0, 20, 20))
	for y := range 20 {
		for x := range 20 {
			deep.SetNRGBA64(x, y, color.NRGBA64{0xc8ff, 0x6400, 0x3280, 0xffff})
		}
	}
	if _, m := ingest(t, pngOf(t, deep), Options{}); !near(m.At(9, 9), color.NRGBA{200, 100, 50, 255}, 1) {
		t.Errorf("16 bits: %v", m.At(9, 9))
	}
	files, _ := filepath.Glob(filepath.Join(corpora(t), "jpeg-decoder", "reftest", "images", "*cmyk*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		ref, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			continue
		}
		if _, m := ingest(t, data, Options{}); psnr(m, ref) < 30 {
			t.Errorf("%s: %.1f dB from the library's colours", f, psnr(m, ref))
		}
	}
}

func TestTheReceiptReadsAsTextAndAsJSON(t *testing.T) {
	pic, _ := ingest(t, withEXIF(jpegOf(t, storedAs(quarters(90, 50), 6)), exif("II", 6)), Options{Crop: &message.Rect{X: 10, Y: 5, Width: 60, Height: 40}, Fit: Fit{MaxSide: 30}})
	text := pic.Receipt.String()
	for _, want := range []string{"source  jpeg, 90x50", "turned upright (EXIF 6)", "crop    60x40 at 10,5", "sent    image/jpeg, 30x20", "scale   0.5: source point = sent point x 2 + (10, 5)", "steps   cropped", "jpeg q90"} {
		if !strings.Contains(text, want) {
			t.Errorf("the receipt does not say %q:\n%s", want, text)
		}
	}
	data, err := NewLook(pic.Receipt, Costs()).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var look struct {
		Source   map[string]any
		Crop     message.Rect
		Sent     map[string]any
		Scale    float64
		Encoder  []string
		Cost     map[string]int
		Warnings []string
	}
	if err := json.Unmarshal(data, &look); err != nil {
		t.Fatal(err)
	}
	if look.Crop.Width != 60 || look.Scale != 0.5 || look.Sent["media_type"] != "image/jpeg" || look.Source["orientation"] != 6.0 ||
		look.Cost["anthropic-28"] != 2 || look.Warnings == nil || len(look.Cost) != len(Costs().Names()) {
		t.Errorf("%s", data)
	}
}

func TestTheWireLimitIsOfTheBase64Text(t *testing.T) {
	if got := rawLimit(MaxWireImageBytes); got != 3_932_160 || int64(base64.StdEncoding.EncodedLen(int(got))) != MaxWireImageBytes {
		t.Errorf("%d raw bytes", got)
	}
	for n := range int64(50) {
		if base64Length(n) != int64(base64.StdEncoding.EncodedLen(int(n))) {
			t.Errorf("%d bytes: %d", n, base64Length(n))
		}
	}
}

func TestManyPicturesAtOnceAllPass(t *testing.T) {
	gate := NewGate()
	data := [][]byte{pngOf(t, screenshot(900, 500)), jpegOf(t, photograph(800, 700)), pngOf(t, photograph(600, 600))}
	errs := make(chan error, 24)
	for i := range cap(errs) {
		go func() {
			sink := &memorySink{}
			pic, err := gate.Ingest(context.Background(), sink, sourceOf(fmt.Sprint(i), data[i%3]), Options{Detail: DetailLow})
			if err == nil && len(sink.blobs[pic.Image.Ref]) == 0 {
				err = io.ErrUnexpectedEOF
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestJPEGsOfEverySamplingAndEveryOrderOfScansPassTheGate(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("jpeg", "testdata", "*.jpg"))
	if err != nil || len(names) < 20 {
		t.Fatalf("only %d pictures, %v", len(names), err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sink := &memorySink{}
		pic, err := NewGate().Ingest(context.Background(), sink, sourceOf(name, data), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m := proven(t, sink, pic); m.Bounds().Size() != image.Pt(83, 59) || len(pic.Receipt.Warnings) > 0 {
			t.Errorf("%s: %v pixels, warnings %q", name, m.Bounds().Size(), pic.Receipt.Warnings)
		}
	}
}
