package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"

	"espy/media/rows"
)

// An embedded ICC profile says what the numbers of a picture mean. Profiles made of a matrix and three curves (sRGB,
// Display P3, Adobe RGB, those of cameras and scanners) are converted to sRGB, on the small result. A profile made of
// tables, as printers have, is not; the picture is then used as it is, with a warning.

var errProfile = errors.New("the colour profile is damaged")

// errProfileKind is a sound profile of a kind that is not converted.
var errProfileKind = errors.New("the colour profile is of a kind that is not converted")

// colourMap converts 8-bit RGB from a profile to sRGB.
type colourMap struct {
	name   string
	linear [3][256]float32
	matrix [3][3]float32
	encode []byte // sRGB, by linear light in steps of 1/(len-1)
}

const encodeSteps = 1 << 14

// xyzToLinear is CIE XYZ with the D50 white of profiles to linear sRGB (Bradford-adapted; Lindbloom's table).
var xyzToLinear = [3][3]float64{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

// parseProfile returns how to convert to sRGB, nil where the profile already is sRGB for all one can see, or of gray.
func parseProfile(b []byte) (*colourMap, error) {
	if len(b) < 132 || string(b[36:40]) != "acsp" {
		return nil, errProfile
	}
	if space := string(b[16:20]); space == "GRAY" || string(b[20:24]) != "XYZ " || space != "RGB " {
		if space == "GRAY" {
			return nil, nil
		}
		return nil, errProfileKind
	}
	tags, err := profileTags(b)
	if err != nil {
		return nil, err
	}
	m := &colourMap{name: profileName(tags["desc"])}
	var toXYZ [3][3]float64
	for i, c := range []string{"r", "g", "b"} {
		xyz, trc := tags[c+"XYZ"], tags[c+"TRC"]
		if len(xyz) < 20 || len(trc) < 12 {
			return nil, errProfileKind
		}
		for j := range 3 {
			toXYZ[j][i] = fixed(xyz[8+4*j:])
		}
		curve, err := parseCurve(trc)
		if err != nil {
			return nil, err
		}
		for v := range 256 {
			l := curve(float64(v) / 255)
			if math.IsNaN(l) || math.IsInf(l, 0) {
				return nil, errProfile
			}
			m.linear[i][v] = float32(min(max(l, 0), 1))
		}
	}
	for i := range 3 {
		for j := range 3 {
			var v float64
			for k := range 3 {
				v += xyzToLinear[i][k] * toXYZ[k][j]
			}
			m.matrix[i][j] = float32(v)
		}
	}
	if m.isSRGB() {
		return nil, nil
	}
	m.encode = make([]byte, encodeSteps)
	for i := range m.encode {
		m.encode[i] = byte(encodeSRGB(float64(i)/(encodeSteps-1))*255 + 0.5)
	}
	return m, nil
}

func profileTags(b []byte) (map[string][]byte, error) {
	n := binary.BigEndian.Uint32(b[128:])
	if n > 200 || len(b) < 132+12*int(n) {
		return nil, errProfile
	}
	tags := make(map[string][]byte, n)
	for i := range int(n) {
		e := b[132+12*i:]
		off, size := uint64(binary.BigEndian.Uint32(e[4:])), uint64(binary.BigEndian.Uint32(e[8:]))
		if off+size > uint64(len(b)) {
			return nil, errProfile
		}
		tags[string(e[:4])] = b[off : off+size]
	}
	return tags, nil
}

func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// parseCurve reads a curv or para tag as a function from 0..1 to linear light.
func parseCurve(b []byte) (func(float64) float64, error) {
	switch string(b[:4]) {
	case "curv":
		n := int(binary.BigEndian.Uint32(b[8:]))
		switch {
		case n == 0:
			return func(x float64) float64 { return x }, nil
		case n < 0 || n > 1<<16 || len(b) < 12+2*n:
			return nil, errProfile
		case n == 1:
			gamma := float64(binary.BigEndian.Uint16(b[12:])) / 256
			return func(x float64) float64 { return math.Pow(x, gamma) }, nil
		}
		return func(x float64) float64 {
			at := x * float64(n-1)
			i := min(int(at), n-2)
			lo, hi := float64(binary.BigEndian.Uint16(b[12+2*i:])), float64(binary.BigEndian.Uint16(b[14+2*i:]))
			return (lo + (hi-lo)*(at-float64(i))) / 65535
		}, nil
	case "para":
		return parametricCurve(b)
	}
	return nil, errProfileKind
}

// parametricCurve reads the five forms of ICC.1:2022 section 10.18.
func parametricCurve(b []byte) (func(float64) float64, error) {
	kind := binary.BigEndian.Uint16(b[8:])
	counts := []int{1, 3, 4, 5, 7}
	if int(kind) >= len(counts) || len(b) < 12+4*counts[kind] {
		return nil, errProfile
	}
	var p [7]float64
	for i := range counts[kind] {
		p[i] = fixed(b[12+4*i:])
	}
	g, a, bb, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	power := func(x float64) float64 { return math.Pow(max(a*x+bb, 0), g) }
	switch kind {
	case 0:
		return func(x float64) float64 { return math.Pow(x, g) }, nil
	case 1, 2:
		if a == 0 {
			return nil, errProfile
		}
		return func(x float64) float64 {
			if x >= -bb/a {
				return power(x) + c
			}
			return c
		}, nil
	}
	return func(x float64) float64 {
		if x >= d {
			return power(x) + e
		}
		return c*x + f
	}, nil
}

// profileName is the description of a profile in plain ASCII, "" where there is none.
func profileName(b []byte) string {
	var s string
	switch {
	case len(b) > 12 && string(b[:4]) == "desc":
		n := int(min(uint32(len(b)-12), binary.BigEndian.Uint32(b[8:])))
		s = string(b[12 : 12+n])
	case len(b) > 28 && string(b[:4]) == "mluc":
		n, off := int(binary.BigEndian.Uint32(b[20:])), int(binary.BigEndian.Uint32(b[24:]))
		if n >= 0 && off >= 0 && off <= len(b) && n <= len(b)-off {
			s = string(bytes.ReplaceAll(b[off:off+n], []byte{0}, nil))
		}
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 40)]
}

func encodeSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

// isSRGB reports whether converting would change no sample by more than about two steps of 255.
func (m *colourMap) isSRGB() bool {
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(float64(m.matrix[i][j])-want) > 0.02 {
				return false
			}
		}
		for v := 0; v < 256; v += 5 {
			if math.Abs(encodeSRGB(float64(m.linear[i][v]))-float64(v)/255) > 2.5/255 {
				return false
			}
		}
	}
	return true
}

// apply converts a packed canvas in place.
func (m *colourMap) apply(c *canvas) {
	if c.layout != rows.RGB && c.layout != rows.RGBA {
		return
	}
	p := c.planes[0]
	for i := 0; i+2 < len(p.pix); i += p.n {
		r, g, b := m.linear[0][p.pix[i]], m.linear[1][p.pix[i+1]], m.linear[2][p.pix[i+2]]
		for k, row := range m.matrix {
			v := row[0]*r + row[1]*g + row[2]*b
			p.pix[i+k] = m.encode[int(min(max(v, 0), 1)*(encodeSteps-1)+0.5)]
		}
	}
}

// readProfile finds a picture's profile; nil where it has none that can be read.
func readProfile(r io.ReaderAt, size int64, h Header) []byte {
	switch {
	case !h.Profile:
		return nil
	case h.Format == PNG:
		return pngProfile(r, size)
	case h.Format == JPEG:
		return jpegProfile(r, size)
	case h.Format == WebP:
		return webpChunk(r, size, 12, "ICCP", profileMax)
	}
	return nil
}

func pngProfile(r io.ReaderAt, size int64) []byte {
	var b [8]byte
	off := int64(33)
	for range mostParts {
		if n, _ := r.ReadAt(b[:], off); n < 8 || off >= size || string(b[4:]) == "IDAT" {
			return nil
		}
		length := be32(b[:])
		if string(b[4:]) != "iCCP" {
			off += 12 + length
			continue
		}
		data := make([]byte, min(length, profileMax))
		n, _ := r.ReadAt(data, off+8)
		name := bytes.IndexByte(data[:min(n, 80)], 0)
		if name < 0 || name+2 > n {
			return nil
		}
		z, err := zlib.NewReader(bytes.NewReader(data[name+2 : n]))
		if err != nil {
			return nil
		}
		profile, _ := io.ReadAll(io.LimitReader(z, profileMax)) // what came before a fault is judged by its own header
		return profile
	}
	return nil
}

// jpegProfile puts the numbered parts of a profile together.
func jpegProfile(r io.ReaderAt, size int64) []byte {
	var parts [256][]byte
	total := 0
	jpegSegments(r, size, func(marker byte, off, length int64) bool {
		var head [14]byte
		if marker != 0xe2 || length < 14 {
			return true
		}
		if n, _ := r.ReadAt(head[:], off); n < 14 || string(head[:12]) != "ICC_PROFILE\x00" {
			return true
		}
		if total += int(length) - 14; total > profileMax {
			return false
		}
		part := make([]byte, length-14)
		if n, _ := r.ReadAt(part, off+14); n == len(part) {
			parts[head[12]] = part
		}
		return true
	})
	return bytes.Join(parts[:], nil)
}
