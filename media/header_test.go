package media

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestHeadersAgreeWithTheReferenceDecoders(t *testing.T) {
	prober := new(Prober)
	for _, s := range specimens(t, corpora(t)) {
		f, size := openFile(t, s.name)
		reads := &countingReader{r: f}
		h, err := Probe(reads, size)
		if n := testing.AllocsPerRun(1, func() { _, _ = prober.Probe(f, size) }); n > 0 && !raceDetector {
			t.Errorf("%s: reading its header allocates %v times", s.name, n)
		}
		if reads.bytes > sniffBudget {
			t.Errorf("%s: %d bytes were read for its header", s.name, reads.bytes)
		}
		if s.format == "other" && !errors.Is(err, ErrNotPicture) {
			t.Errorf("%s: %v, want ErrNotPicture", s.name, err)
		}
		if s.verdict != "OK" && s.verdict != "WARN" {
			continue
		}
		if err != nil || string(h.Format) != s.format || h.Width != s.width || h.Height != s.height {
			t.Errorf("%s: %s %dx%d, %v; want %s %dx%d", s.name, h.Format, h.Width, h.Height, err, s.format, s.width, s.height)
		}
	}
}

type countingReader struct {
	r     io.ReaderAt
	bytes int
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	c.bytes += len(p)
	return c.r.ReadAt(p, off)
}

func TestOrientationIsFoundInEveryFileThatHasOne(t *testing.T) {
	dir := corpora(t)
	for n := 1; n <= 8; n++ {
		for _, kind := range []string{"Landscape", "Portrait"} {
			name := filepath.Join(dir, "exif-orientation", kind+"_"+string(rune('0'+n))+".jpg")
			f, size := openFile(t, name)
			if h, err := Probe(f, size); err != nil || h.Orientation != n {
				t.Errorf("%s: orientation %d, %v; want %d", name, h.Orientation, err, n)
			}
		}
	}
}

// exif is a TIFF structure that holds an orientation, in either byte order.
func exif(order string, orientation byte) string {
	if order == "II" {
		return "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{orientation, 0, 0, 0}) + "\x00\x00\x00\x00"
	}
	return "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" + string([]byte{0, orientation, 0, 0}) + "\x00\x00\x00\x00"
}

func TestOrientationIsReadInBothByteOrdersAndDamageLeavesItUpright(t *testing.T) {
	jpeg := func(tiff string) string {
		body := "Exif\x00\x00" + tiff
		return "\xff\xd8\xff\xe1" + string([]byte{byte((len(body) + 2) >> 8), byte(len(body) + 2)}) + body +
			"\xff\xc0\x00\x0b\x08\x00\x28\x00\x50\x01\x01\x11\x00\xff\xda"
	}
	for o := byte(1); o <= 8; o++ {
		for _, order := range []string{"II", "MM"} {
			h, err := Probe(strings.NewReader(jpeg(exif(order, o))), 1<<20)
			if err != nil || h.Orientation != int(o) || h.Width != 80 || h.Height != 40 {
				t.Errorf("%s %d: read as %+v, %v", order, o, h, err)
			}
		}
	}
	for name, tiff := range map[string]string{
		"value 9": exif("MM", 9), "value 0": exif("II", 0), "mixed order": "IM*\x00\x08\x00\x00\x00",
		"directory outside": "II*\x00\xff\xff\xff\x7f", "cut": exif("II", 6)[:12], "empty": "",
	} {
		if h, err := Probe(strings.NewReader(jpeg(tiff)), 1<<20); err != nil || h.Orientation != 1 {
			t.Errorf("%s: orientation %d, %v; want upright", name, h.Orientation, err)
		}
	}
}

func TestLongSegmentsAreSkippedNotRead(t *testing.T) {
	segment := "\xff\xe2\xff\xff" + strings.Repeat("x", 65533)
	file := "\xff\xd8" + strings.Repeat(segment, 40) + "\xff\xc2\x00\x11\x08\x00\x28\x00\x50\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xda"
	reads := &countingReader{r: strings.NewReader(file)}
	h, err := Probe(reads, int64(len(file)))
	if err != nil || h.Width != 80 || !h.Progressive || h.Sampling[0] != [2]uint8{2, 2} || reads.bytes > 40*sniffNext+sniffFirst {
		t.Errorf("%+v, %v after %d bytes", h, err, reads.bytes)
	}
}

func TestTextThatStartsLikeABitmapIsNoPicture(t *testing.T) {
	text := "BMW is a maker of cars and this is plain text about it, long enough."
	if _, err := Probe(strings.NewReader(text), int64(len(text))); !errors.Is(err, ErrNotPicture) {
		t.Errorf("%v, want ErrNotPicture", err)
	}
}

func TestAGIFIsJudgedByItsFrameToo(t *testing.T) {
	gif := func(sw, sh, x, y, w, h int) string {
		u := func(v int) string { return string([]byte{byte(v), byte(v >> 8)}) }
		return "GIF89a" + u(sw) + u(sh) + "\x00\x00\x00," + u(x) + u(y) + u(w) + u(h) + "\x00\x02\x00;"
	}
	for _, c := range []struct {
		name, file string
		w, h       int
	}{
		{"inside", gif(100, 80, 20, 30, 10, 10), 100, 80},
		{"larger than its screen", gif(10, 10, 0, 0, 5000, 5000), 5000, 5000},
		{"screen without sense", gif(65535, 65535, 0, 0, 10, 10), 10, 10},
		{"no screen", gif(0, 0, 0, 0, 7, 9), 7, 9},
		{"both beyond", gif(10, 10, 0, 0, 60000, 60000), 60000, 60000},
	} {
		if h, err := Probe(strings.NewReader(c.file), int64(len(c.file))); err != nil || h.Width != c.w || h.Height != c.h {
			t.Errorf("%s: %dx%d, %v; want %dx%d", c.name, h.Width, h.Height, err, c.w, c.h)
		}
	}
}

func TestForeignFilesAreNamedByTheirContent(t *testing.T) {
	for head, want := range map[string]string{
		"":                                          "empty",
		"\x00\x00\x00\x18ftypheic\x00\x00":          "a HEIC picture",
		"\x00\x00\x00\x1cftypavif\x00\x00":          "an AVIF picture",
		"\x00\x00\x00\x18ftypmp42\x00\x00":          "an MP4 video",
		"\x00\x00\x00\x14ftypqt  \x00\x00":          "a QuickTime video",
		"\x1a\x45\xdf\xa3\x01\x00":                  "a Matroska or WebM video",
		"RIFF\x00\x00\x00\x00AVI LIST":              "an AVI video",
		"RIFF\x00\x00\x00\x00WAVEfmt ":              "a WAV sound file",
		"%PDF-1.7\n":                                "a PDF document",
		"<svg xmlns='x'/>":                          "an SVG drawing, which is text",
		"\xef\xbb\xbf<?xml version='1.0'?>\n<svg/>": "an SVG drawing, which is text",
		"  <!DOCTYPE html><title>404":               "an HTML page",
		`{"error": {"message": "no"}}`:              "a JSON error message",
		`{"a": 1}`:                                  "JSON text",
		"error: cannot open display\n":              "plain text",
		"Grüße aus Köl\xc3":                         "plain text",
		"\x00\x00\x01\x00\x01\x00":                  "an icon file (ICO)",
		"PK\x03\x04\x14\x00":                        "a zip archive or a document made of one (docx, xlsx)",
		"BMW is a maker of cars":                    "plain text",
		"\x89PNG\n\x1a\n":                           "a damaged PNG file (its line endings were changed)",
		"version https://git-lfs.github.com/spec":   "a Git LFS pointer",
		"data:image/png;base64,iVBORw0KGgo":         "a data URL in text",
		"\x07\x01\x02\x03":                          "data of a kind that is not known",
	} {
		k := SniffKind([]byte(head))
		if k.Name != want || k.Remedy == "" {
			t.Errorf("%q is named %q, want %q", head, k.Name, want)
		}
	}
}

func FuzzProbe(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00" + exif("MM", 6) + "\xff\xc0\x00\x0b\x08\x00\x28\x00\x50\x01\x01\x11\x00"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x12\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"))
	f.Add([]byte(exif("II", 3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		reads := &countingReader{r: bytes.NewReader(data)}
		h, err := Probe(reads, int64(len(data)))
		if err == nil && (h.Width <= 0 || h.Height <= 0 || h.Orientation < 1 || h.Orientation > 8 || h.Format == "") {
			t.Errorf("accepted with %+v", h)
		}
		if reads.bytes > sniffBudget {
			t.Errorf("%d bytes were read", reads.bytes)
		}
		if k := SniffKind(data[:min(len(data), kindHead)]); k.Name == "" || k.Remedy == "" {
			t.Error("bytes were left without a name")
		}
	})
}

// BenchmarkProbe reads headers from files that the system holds in memory.
func BenchmarkProbe(b *testing.B) {
	dir := corpora(b)
	for _, name := range []string{"exif-orientation/Landscape_6.jpg", "image-png/pngsuite/basn2c08.png", "image-gif/samples/alpha_gif_a.gif", "libwebp-test-data/lossless1.webp"} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			b.ReportAllocs()
			f, size := openFile(b, filepath.Join(dir, name))
			p := new(Prober)
			for b.Loop() {
				if _, err := p.Probe(f, size); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
