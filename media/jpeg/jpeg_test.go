package jpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"io"
	"strings"
	"testing"

	"espy/media/rows"
)

func TestNeitherOrderNorCodingOfScansChangesASample(t *testing.T) {
	for name, others := range map[string][]string{
		"luma1x1":    {"luma1x1-progressive", "luma1x1-arithmetic", "luma1x1-arithmetic-progressive"},
		"quality100": {"quality100-arithmetic", "quality100-arithmetic-progressive"},
		"luma2x1":    {"luma2x1-progressive", "luma2x1-scans"},
		"luma1x2":    {"luma1x2-progressive"},
		"luma4x1":    {"luma4x1-progressive"},
		"luma4x2":    {"luma4x2-progressive"},
		"luma3x1":    {"luma3x1-progressive"},
		"luma3x2":    {"luma3x2-progressive"},
		"luma1x4":    {"luma1x4-progressive"},
		"gray":       {"gray-progressive"},
		"luma2x2": {"luma2x2-progressive", "luma2x2-scans", "luma2x2-restarts", "luma2x2-progressive-restarts", "luma2x2-scans-restarts", "luma2x2-optimised",
			"luma2x2-arithmetic", "luma2x2-arithmetic-progressive", "luma2x2-arithmetic-restarts", "luma2x2-arithmetic-scans"},
	} {
		want, res, err := decode(t, written(t, name))
		if err != nil || len(res.Warnings) > 0 {
			t.Fatalf("%s: %v, %q", name, err, res.Warnings)
		}
		for _, other := range others {
			got, res, err := decode(t, written(t, other))
			if err != nil || len(res.Warnings) > 0 {
				t.Errorf("%s: %v, %q", other, err, res.Warnings)
				continue
			}
			mustEqual(t, other, got.planes, want.planes, 0)
		}
	}
}

func TestEveryWrittenPictureEqualsTheLibrarys(t *testing.T) {
	for _, name := range []string{
		"luma1x1", "luma2x1", "luma1x2", "luma2x2", "luma4x1", "luma4x2", "gray", "rgb", "coarse", "quality1", "quality100", "cmyk",
		"luma2x2-progressive", "luma2x2-scans", "luma2x2-restarts",
	} {
		data := written(t, name)
		ref, err := stdjpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: the library: %v", name, err)
			continue
		}
		k, res, err := decode(t, data)
		if err != nil || len(res.Warnings) > 0 {
			t.Errorf("%s: %v, %q", name, err, res.Warnings)
			continue
		}
		planes, _ := reference(ref)
		most := tolerance
		if strings.HasPrefix(name, "cmyk") {
			most = toleranceYCCK
		}
		mustEqual(t, name, k.planes, planes, most)
	}
}

func TestRedGreenAndBlueNeedTheAdobeMarkerOrTheirLetters(t *testing.T) {
	data := written(t, "rgb") // with an Adobe marker that says so
	if k, _, err := decode(t, data); err != nil || k.head.Layout != rows.RGB {
		t.Errorf("layout %v, %v with the Adobe marker", k.head.Layout, err)
	}
	at := segmentAt(t, data, markAPPE)
	bare := spliced(data, at, 16)
	if k, _, err := decode(t, bare); err != nil || k.head.Layout != rows.RGB {
		t.Errorf("layout %v, %v with the letters R, G and B", k.head.Layout, err)
	}
	for i := range 3 {
		bare[segmentAt(t, bare, markSOF0)+10+3*i] = byte(1 + i)
		bare[segmentAt(t, bare, markSOS)+5+2*i] = byte(1 + i)
	}
	if k, _, err := decode(t, bare); err != nil || k.head.Layout != rows.YCbCr {
		t.Errorf("layout %v, %v with neither", k.head.Layout, err)
	}
}

func TestInksOfCMYKComeOutAsTheColoursOfTheScene(t *testing.T) {
	want, _ := reference(scene(83, 59))
	for _, name := range []string{"cmyk", "cmyk-progressive"} {
		k, _, err := decode(t, written(t, name))
		if err != nil || k.head.Layout != rows.RGB {
			t.Fatalf("%s: layout %v, %v", name, k.head.Layout, err)
		}
		if d := meanDifference(k.planes[0], want[0]); d > 25 {
			t.Errorf("%s: a sample is off by %.1f in the mean", name, d)
		}
	}
}

func meanDifference(a, b []byte) float64 {
	sum := 0
	for i := range b {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(b))
}

func TestEverySizeAroundABlockIsReadToItsEdges(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 40}, {40, 1}, {7, 9}, {8, 8}, {9, 7}, {15, 17}, {16, 16}, {17, 33}, {2, 300}, {300, 2}} {
		for _, gray := range []bool{false, true} {
			var m image.Image = scene(size.X, size.Y)
			if gray {
				g := image.NewGray(m.Bounds())
				for y := range size.Y {
					for x := range size.X {
						g.Set(x, y, m.At(x, y))
					}
				}
				m = g
			}
			data := encoded(t, m, 90)
			ref, err := stdjpeg.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			k, res, err := decode(t, data)
			if err != nil || len(res.Warnings) > 0 {
				t.Errorf("%v: %v, %q", size, err, res.Warnings)
				continue
			}
			planes, _ := reference(ref)
			mustEqual(t, fmt.Sprint(size, gray), k.planes, planes, tolerance)
		}
	}
}

func TestAMotionFrameWithoutTablesUsesTheTypicalOnes(t *testing.T) {
	data := encoded(t, scene(70, 50), 85) // the library writes the typical tables
	at := segmentAt(t, data, markDHT)
	bare := spliced(data, at, 2+int(data[at+2])<<8+int(data[at+3]))
	want, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	got, res, err := decode(t, bare)
	if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "tables") {
		t.Fatalf("%v, warnings %q, want one about the tables", err, res.Warnings)
	}
	mustEqual(t, "without tables", got.planes, want.planes, 0)
}

func TestTheHeightMayFollowTheFirstScan(t *testing.T) {
	data := written(t, "luma2x2")
	want, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	at := segmentAt(t, data, markSOF0)
	late := spliced(data, at+5, 2, 0, 0)
	if _, _, err := decode(t, late); err == nil {
		t.Error("a picture without a height was read")
	}
	late = spliced(late, len(late)-2, 0, 0xff, markDNL, 0, 4, data[at+5], data[at+6])
	got, res, err := decode(t, late)
	if err != nil || len(res.Warnings) > 0 {
		t.Fatalf("%v, %q", err, res.Warnings)
	}
	mustEqual(t, "late height", got.planes, want.planes, 0)
}

func TestHarmlessOdditiesAreSteppedOver(t *testing.T) {
	data := written(t, "luma2x2")
	want, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	dqt, sos := segmentAt(t, data, markDQT), segmentAt(t, data, markSOS)
	for name, odd := range map[string][]byte{
		"fill bytes before a segment":      spliced(data, dqt, 0, 0xff, 0xff, 0xff),
		"fill bytes before the end":        spliced(data, len(data)-2, 0, 0xff, 0xff),
		"a comment shorter than possible":  spliced(data, dqt, 0, 0xff, markCOM, 0, 1),
		"stray bytes between two segments": spliced(data, dqt, 0, 1, 2, 3, 0xff, 0, 7),
		"a comment before the scan":        spliced(data, sos, 0, 0xff, markCOM, 0, 4, 'h', 'i'),
		"no end marker":                    data[:len(data)-2],
		"a second picture behind":          append(append([]byte{}, data...), data...),
		"long application data":            spliced(data, dqt, 0, append([]byte{0xff, 0xe2, 0xff, 0xff}, make([]byte, 0xfffd)...)...),
	} {
		got, _, err := decode(t, odd)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustEqual(t, name, got.planes, want.planes, 0)
	}
}

func TestComponentsOfTheSameNameAreTakenInOrder(t *testing.T) {
	for _, name := range []string{"luma2x2", "luma2x2-scans"} {
		data := written(t, name)
		want, _, err := decode(t, data)
		if err != nil {
			t.Fatal(err)
		}
		same := bytes.Clone(data)
		sof := segmentAt(t, same, markSOF0)
		for i := range 3 {
			same[sof+10+3*i] = 1
		}
		for at := sof; at+8 < len(same); at++ {
			if same[at] == 0xff && same[at+1] == markSOS {
				for i := range int(same[at+4]) {
					same[at+5+2*i] = 1
				}
			}
		}
		got, _, err := decode(t, same)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustEqual(t, name, got.planes, want.planes, 0)
	}
}

func TestAStoppedContextStopsADecode(t *testing.T) {
	data := encoded(t, scene(300, 2000), 80)
	ctx, cancel := context.WithCancel(context.Background())
	sink := &stopper{keeper: keeper{t: t}, after: 100, stop: cancel}
	if _, err := Decode(ctx, bytes.NewReader(data), int64(len(data)), rows.Options{}, sink); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if sink.rows > 200 {
		t.Errorf("%d rows came after the context was stopped at row 100", sink.rows)
	}
}

type stopper struct {
	keeper
	rows, after int
	stop        func()
	err         error
}

func (s *stopper) Row(plane int, b []byte) error {
	if s.rows++; s.rows == s.after {
		s.stop()
		return s.err
	}
	return s.keeper.Row(plane, b)
}

func TestAnErrorOfTheSinkEndsTheDecode(t *testing.T) {
	for _, name := range []string{"luma2x2", "cmyk", "luma2x2-progressive"} {
		data, broken := written(t, name), errors.New("no more room")
		sink := &stopper{keeper: keeper{t: t}, after: 10, stop: func() {}, err: broken}
		if _, err := Decode(context.Background(), bytes.NewReader(data), int64(len(data)), rows.Options{}, sink); err != broken {
			t.Errorf("%s: error %v, want that of the sink", name, err)
		}
	}
}

// failing is a reader that breaks behind an offset.
type failing struct {
	*bytes.Reader
	after int64
	err   error
}

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.after {
		return 0, f.err
	}
	return f.Reader.ReadAt(p, at)
}

func TestAnErrorOfTheReaderIsAnErrorAndNotATruncation(t *testing.T) {
	data, broken := encoded(t, scene(900, 900), 95), errors.New("the disk is gone")
	for _, file := range [][]byte{data, append(written(t, "luma2x2-progressive"), make([]byte, 1<<17)...)} {
		r := failing{bytes.NewReader(file), 70 << 10, broken}
		_, err := Decode(context.Background(), r, int64(len(file)), rows.Options{}, &keeper{t: t})
		if !errors.Is(err, broken) && len(file) == len(data) {
			t.Errorf("error %v, want that of the reader", err)
		}
	}
	short := int64(len(data)) * 2
	if _, res, err := decodeSize(t, data, short); err != nil || len(res.Warnings) > 0 {
		t.Errorf("%v, %q for a file that is shorter than it was said to be, and whole", err, res.Warnings)
	}
}

func decodeSize(t testing.TB, data []byte, size int64) (*keeper, rows.Result, error) {
	k := &keeper{t: t}
	res, err := Decode(context.Background(), io.ReaderAt(bytes.NewReader(data)), size, rows.Options{}, k)
	return k, res, err
}

func TestTheColourOfTheSceneSurvivesEverySampling(t *testing.T) {
	want := scene(83, 59)
	for _, name := range []string{"luma3x1", "luma3x2", "luma1x4", "luma1x1-chroma2x2", "luma2x2-chroma2x1-1x2"} {
		k, _, err := decode(t, written(t, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for y := range 59 {
			for x := range 83 {
				at := func(i int) byte { // the sample that a pixel falls in
					p := k.head.Planes[i]
					stepX, stepY := (83+p.X-1)/p.X, (59+p.Y-1)/p.Y
					return k.planes[i][y/stepY*p.X+x/stepX]
				}
				r, g, b := color.YCbCrToRGB(at(0), at(1), at(2))
				c := want.RGBAAt(x, y)
				for _, d := range []int{int(r) - int(c.R), int(g) - int(c.G), int(b) - int(c.B)} {
					sum += max(d, -d)
				}
			}
		}
		if mean := float64(sum) / (83 * 59 * 3); mean > 25 {
			t.Errorf("%s: a sample is off by %.1f in the mean", name, mean)
		} else {
			t.Logf("%s: %.1f, planes %v", name, mean, k.head.Planes)
		}
	}
}
