package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

// displayP3 is a matrix profile: the primaries of Display P3 adapted to D50, the curve of sRGB as parametric type 3.
func displayP3() []byte {
	tag := func(v ...float64) []byte {
		b := []byte("XYZ \x00\x00\x00\x00")
		for _, f := range v {
			b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(f*65536))))
		}
		return b
	}
	curve := []byte("para\x00\x00\x00\x00\x00\x03\x00\x00")
	for _, f := range []float64{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045} {
		curve = binary.BigEndian.AppendUint32(curve, uint32(math.Round(f*65536)))
	}
	data := map[string][]byte{
		"rXYZ": tag(0.51512, 0.24120, -0.00105), "gXYZ": tag(0.29198, 0.69225, 0.04189), "bXYZ": tag(0.15710, 0.06657, 0.78407),
		"rTRC": curve, "gTRC": curve, "bTRC": curve,
		"desc": append([]byte("desc\x00\x00\x00\x00\x00\x00\x00\x0b"), "Display P3\x00"...),
	}
	head := make([]byte, 128)
	copy(head[12:], "mntrRGB XYZ ")
	copy(head[36:], "acsp")
	table := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	var body []byte
	for _, name := range slices.Sorted(mapsKeys(data)) {
		table = append(table, name...)
		table = binary.BigEndian.AppendUint32(table, uint32(128+4+12*len(data)+len(body)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(data[name])))
		body = append(body, data[name]...)
	}
	return slices.Concat(head, table, body)
}

func mapsKeys(m map[string][]byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func iccp(profile []byte) string {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(profile)
	_ = w.Close()
	return pngChunk("iCCP", "x\x00\x00"+z.String())
}

// withProfile puts a colour profile into a JPEG.
func withProfile(jpeg, profile []byte) []byte {
	app2 := slices.Concat([]byte("\xff\xe2"), binary.BigEndian.AppendUint16(nil, uint16(16+len(profile))), []byte("ICC_PROFILE\x00\x01\x01"), profile)
	return slices.Concat(jpeg[:2], app2, jpeg[2:])
}

func TestDisplayP3IsConvertedToSRGB(t *testing.T) {
	// The colour P3 (200, 100, 50) is sRGB (213, 95, 36): worked out from the two spaces' definitions.
	m := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 40 {
			m.SetNRGBA(x, y, color.NRGBA{200, 100, 50, 255})
		}
	}
	want := p3ToSRGB(200, 100, 50)
	profile := displayP3()
	jpg := jpegOf(t, m)
	for name, data := range map[string][]byte{
		"png": insertChunk(pngOf(t, m), iccp(profile)), "jpeg": withProfile(jpg, profile),
	} {
		pic, got := ingest(t, data, Options{})
		if !near(got.At(20, 20), want, 3) || !step(pic.Receipt, "converted Display P3 to sRGB") || len(pic.Receipt.Warnings) != 0 {
			t.Errorf("%s: %v, want %v; %q %q", name, got.At(20, 20), want, pic.Receipt.Encoder, pic.Receipt.Warnings)
		}
	}
}

// p3ToSRGB works from the primaries: Display P3 to XYZ with D65, and XYZ to sRGB (CSS Color 4, sample code).
func p3ToSRGB(r, g, b float64) color.NRGBA {
	lin := func(v float64) float64 { return decodeSRGB(v / 255) }
	r, g, b = lin(r), lin(g), lin(b)
	x := 0.4865709*r + 0.2656677*g + 0.1982173*b
	y := 0.2289746*r + 0.6917385*g + 0.0792869*b
	z := 0.0000000*r + 0.0451134*g + 1.0439444*b
	out := func(v float64) uint8 { return uint8(encodeSRGB(min(max(v, 0), 1))*255 + 0.5) }
	return color.NRGBA{out(3.2409699*x - 1.5373832*y - 0.4986108*z), out(-0.9692436*x + 1.8759675*y + 0.0415551*z), out(0.0556301*x - 0.2039770*y + 1.0569715*z), 255}
}

func decodeSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func TestABrokenProfileIsIgnoredWithAWarning(t *testing.T) {
	m := quarters(40, 40)
	good := displayP3()
	for name, profile := range map[string][]byte{"garbage": []byte("not a profile"), "cut": good[:200], "tags without end": slices.Concat(good[:128], []byte{0xff, 0xff, 0xff, 0xff}, good[132:])} {
		pic, got := ingest(t, insertChunk(pngOf(t, m), iccp(profile)), Options{})
		if len(pic.Receipt.Warnings) != 1 || !strings.Contains(pic.Receipt.Warnings[0], "profile is damaged") || !near(got.At(5, 5), quarterColours[0], 0) {
			t.Errorf("%s: %q, %v", name, pic.Receipt.Warnings, got.At(5, 5))
		}
	}
}

func FuzzProfile(f *testing.F) {
	f.Add(displayP3())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseProfile(data)
		if err == nil && m != nil {
			m.apply((&canvas{layout: 1, size: image.Pt(1, 1), planes: []plane{newPlane(1, 1, 3)}}))
		}
	})
}
