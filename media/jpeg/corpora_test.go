package jpeg

import (
	"bytes"
	stdjpeg "image/jpeg"
	"strings"
	"testing"
)

// The library computes the same transform with other roundings, so that a sample in a hundred is off by one. Where
// YCCK is turned into colours, one step in a plane is up to three in the result.
const (
	tolerance     = 1
	toleranceYCCK = 3
)

func TestEveryJPEGTheLibraryReadsComesOutSampleForSample(t *testing.T) {
	compared, refused := 0, 0
	for _, s := range specimens(t) {
		ref, refErr := stdjpeg.Decode(bytes.NewReader(s.data))
		if refErr != nil || ref.Bounds().Empty() { // it returns pictures without pixels
			refused++
			continue
		}
		k, _, err := decode(t, s.data)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		compared++
		planes, sizes := reference(ref)
		if len(sizes) != len(k.head.Planes) || sizes[0] != k.head.Planes[0] {
			t.Errorf("%s: planes of %v, want %v", s.name, k.head.Planes, sizes)
			continue
		}
		most := tolerance
		if strings.HasSuffix(s.name, "ycck.jpg") {
			most = toleranceYCCK
		}
		mustEqual(t, s.name, k.planes, planes, most)
	}
	if compared < 55 {
		t.Errorf("only %d pictures were compared", compared)
	}
	t.Logf("%d compared, %d refused by the library", compared, refused)
}

func TestWhatTheReferenceDecoderReadsIsRead(t *testing.T) {
	for _, s := range specimens(t) {
		if s.verdict == "ERR" {
			continue
		}
		k, res, err := decode(t, s.data)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if p := k.head.Planes[0]; p.X != s.width || p.Y != s.height {
			t.Errorf("%s: %v pixels, want %dx%d", s.name, p, s.width, s.height)
		}
		if s.verdict == "OK" && len(res.Warnings) > 0 {
			t.Errorf("%s: warnings %q for a picture that is in order", s.name, res.Warnings)
		}
	}
}

func TestWhatTheReferenceDecoderRefusesIsRefused(t *testing.T) {
	refused := 0
	for _, s := range specimens(t) {
		if s.verdict != "ERR" {
			continue
		}
		if _, res, err := decode(t, s.data); err == nil {
			t.Errorf("%s is read, warnings %q; the reference says %q", s.name, res.Warnings, s.note)
			continue
		}
		refused++
	}
	t.Logf("%d refused", refused)
}
