package jpeg

import (
	"bytes"
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"espy/media/rows"
)

func TestATruncatedPictureIsReadAsFarAsItGoes(t *testing.T) {
	data := encoded(t, scene(160, 400), 85)
	whole, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	start := segmentAt(t, data, markSOS) + 14
	for _, part := range []int{10, 30, 50, 70, 90, 99} {
		cut := data[:start+(len(data)-start)*part/100]
		k, res, err := decode(t, cut)
		if err != nil {
			t.Errorf("at %d%%: %v", part, err)
			continue
		}
		if len(res.Warnings) == 0 || !strings.Contains(res.Warnings[0], "after row") {
			t.Errorf("at %d%%: warnings %q, want one that says after which row", part, res.Warnings)
		}
		same := 0
		for same < len(k.planes[0]) && k.planes[0][same] == whole.planes[0][same] {
			same++
		}
		if got := 100 * same / len(whole.planes[0]); got < part/2 && part < 99 {
			t.Errorf("at %d%%: only %d%% of the picture is right", part, got)
		}
		if tail := k.planes[0][len(k.planes[0])-1]; part < 99 && tail != 128 {
			t.Errorf("at %d%%: what is missing is %d, want gray", part, tail)
		}
	}
}

func TestATruncatedProgressivePictureKeepsItsCoarseRest(t *testing.T) {
	data := written(t, "luma2x2-progressive")
	whole, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	k, res, err := decode(t, data[:len(data)/2])
	if err != nil || len(res.Warnings) == 0 {
		t.Fatalf("%v, warnings %q", err, res.Warnings)
	}
	if d := meanDifference(k.planes[0], whole.planes[0]); d == 0 || d > 30 {
		t.Errorf("a sample is off by %.1f in the mean, want a coarse picture", d)
	}
}

func TestATruncatedArithmeticPictureSaysSo(t *testing.T) {
	data := written(t, "quality100-arithmetic")
	whole, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	k, res, err := decode(t, data[:len(data)/2])
	if err != nil || len(res.Warnings) == 0 || !strings.Contains(res.Warnings[0], "after row") {
		t.Errorf("%v, warnings %q", err, res.Warnings)
	}
	if part := 83 * 16; !bytes.Equal(k.planes[0][:part], whole.planes[0][:part]) {
		t.Error("the rows before the end are wrong")
	}
}

// small refuses large pictures, which would only take time.
type small struct{ keeper }

func (s *small) Begin(h rows.Header) error {
	if h.Planes[0].X*h.Planes[0].Y > 1<<16 {
		return errors.New("too large for this test")
	}
	return s.keeper.Begin(h)
}

func TestNoTruncationAndNoWrongByteBreaksTheDecoder(t *testing.T) {
	for _, name := range []string{
		"luma2x2-restarts", "luma2x2-progressive-restarts", "luma2x1-scans", "gray-progressive", "cmyk-progressive", "luma2x2-arithmetic-restarts",
		"luma1x1-arithmetic-progressive",
	} {
		data := written(t, name)
		read := func(file []byte) int {
			s := &small{keeper{t: t}}
			_, err := Decode(context.Background(), bytes.NewReader(file), int64(len(file)), rows.Options{}, s)
			if err != nil {
				return 0
			}
			if !s.complete() {
				t.Errorf("%s: not every row was delivered", name)
			}
			return 1
		}
		truncated := 0
		for at := 0; at < len(data); at += 13 {
			truncated += read(data[:at])
			for _, wrong := range []byte{0, 0xff, data[at] ^ 0x10} {
				read(spliced(data, at, 1, wrong))
			}
			read(spliced(data, at, min(5, len(data)-at)))
		}
		if truncated < len(data)/52 {
			t.Errorf("%s: only %d truncations were read", name, truncated)
		}
	}
}

func TestAPictureWithoutAnyDataIsRefused(t *testing.T) {
	for _, name := range []string{"luma2x2", "gray-progressive", "luma2x2-arithmetic"} {
		data := written(t, name)
		at := segmentAt(t, data, markSOS)
		end := at + 2 + int(data[at+3])
		for what, cut := range map[string][]byte{
			"behind the scan header":       data[:end],
			"inside the scan header":       data[:at+5],
			"behind the scan header, ends": append(bytes.Clone(data[:end]), 0xff, markEOI),
			"empty":                        {},
			"only a start":                 data[:2],
		} {
			if _, _, err := decode(t, cut); err == nil {
				t.Errorf("%s, %s: it was read", name, what)
			}
		}
	}
}

func TestARestartMarkerBringsThePictureBack(t *testing.T) {
	data := written(t, "luma2x2-restarts") // 3 units an interval, 6 units a row
	whole, _, err := decode(t, data)
	if err != nil {
		t.Fatal(err)
	}
	var marks []int
	for at := segmentAt(t, data, markSOS); at+1 < len(data); at++ {
		if data[at] == 0xff && data[at+1] >= markRST0 && data[at+1] <= markRST7 {
			marks = append(marks, at)
		}
	}
	if len(marks) < 7 {
		t.Fatalf("only %d restart markers", len(marks))
	}
	for name, damaged := range map[string][]byte{
		"an interval lost":          spliced(data, marks[1], marks[2]-marks[1]),
		"two intervals lost":        spliced(data, marks[1], marks[3]-marks[1]),
		"an interval twice":         spliced(data, marks[2], 0, data[marks[1]:marks[2]]...),
		"rubbish inside":            spliced(data, marks[2]-6, 4, 0x55, 0xaa, 0x55, 0xaa),
		"stray bytes before a mark": spliced(data, marks[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
		"an unknown marker inside":  spliced(data, marks[2], 0, 0xff, 0x33),
	} {
		k, res, err := decode(t, damaged)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(res.Warnings) == 0 && name != "rubbish inside" {
			t.Errorf("%s: no warning", name)
		}
		from := 83 * 48 // the last row of units lies behind the damage
		if !bytes.Equal(k.planes[0][from:], whole.planes[0][from:]) {
			t.Errorf("%s: the picture does not come back", name)
		}
	}
}

func TestMoreScansThanACapAreLeftOut(t *testing.T) {
	data := written(t, "gray-progressive")
	at := len(data) - 2 // one more scan that refines nothing, over and over
	extra := []byte{0xff, markSOS, 0, 8, 1, 1, 0, 1, 63, 0, 0}
	for range 3 * maxScans {
		data = spliced(data, at, 0, extra...)
	}
	_, res, err := decode(t, data)
	if err != nil || !strings.Contains(strings.Join(res.Warnings, "; "), "more than 100 scans") {
		t.Errorf("%v, warnings %q", err, res.Warnings)
	}
}

func TestADamagedSegmentIsRefusedAlsoBehindThePicture(t *testing.T) {
	scans := written(t, "luma2x2-scans")
	second := bytes.LastIndex(scans[:bytes.LastIndex(scans, []byte{0xff, markSOS})], []byte{0xff, markSOS})
	if _, _, err := decode(t, spliced(scans, second+5, 1, 77)); err == nil {
		t.Error("a scan of a component that there is not was passed over")
	}
	whole := written(t, "luma2x2")
	for want, tail := range map[string][]byte{
		"Huffman table is damaged": {0xff, markDHT, 0, 4, 1, 2}, "means nothing": {0xff, 0x97}, "second picture": whole, "has the length 1": {0xff, markDQT, 0, 1},
		"quantisation table is damaged": {0xff, markDQT, 0, 3, 9}, "conditioning is damaged": {0xff, markDAC, 0, 4, 0x87, 0}, "two frame headers": {0xff, markSOF0},
		"another scan": whole[segmentAt(t, whole, markSOS):], "not in this place": {0xff, markSOS, 0, 12, 3, 1, 0, 3, 0, 2, 0, 0, 63, 0},
	} {
		for _, lost := range []int{2, 200} {
			if _, _, err := decode(t, append(bytes.Clone(whole[:len(whole)-lost]), tail...)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("behind a picture that lacks %d bytes: error %v, want one with %q", lost, err, want)
			}
		}
	}
}

func TestAFileThatEndsInsideATableIsReadUnlessSomeOfThePictureWasLostBefore(t *testing.T) {
	whole := written(t, "luma2x2-progressive")
	table := bytes.LastIndex(whole, []byte{0xff, markDHT})
	scan := bytes.LastIndex(whole, []byte{0xff, markSOS})
	for _, end := range []int{table + 2, table + 3, table + 4, table + 9, table + 21, scan + 2, scan + 4, scan + 8} {
		if _, res, err := decode(t, whole[:end]); err != nil || !res.Cut || len(res.Warnings) == 0 {
			t.Errorf("%d bytes into the table, %d into the scan: %v, warnings %q", end-table, end-scan, err, res.Warnings)
		}
		if end == table+21 {
			continue // an end marker in place of what is missing makes sense, as libjpeg finds too
		}
		short := spliced(whole[:end], table-40, 30)
		if _, _, err := decode(t, short); err == nil || !strings.Contains(err.Error(), "ends inside a segment") {
			t.Errorf("%d bytes into the table, %d into the scan, picture data lost: error %v", end-table, end-scan, err)
		}
	}
}

func TestComponentsInAnotherOrderThanTheFramesAreRefused(t *testing.T) {
	data := written(t, "luma2x2")
	sos := segmentAt(t, data, markSOS)
	swapped := spliced(data, sos+5, 6, data[sos+5], data[sos+6], data[sos+9], data[sos+10], data[sos+7], data[sos+8])
	if _, _, err := decode(t, swapped); err == nil || !strings.Contains(err.Error(), "not in this place") {
		t.Errorf("error %v", err)
	}
}

func TestWhatIsNotReadIsRefusedInWords(t *testing.T) {
	data := written(t, "luma2x2")
	sof := segmentAt(t, data, markSOF0)
	for want, file := range map[string][]byte{
		"hierarchical": spliced(data, sof+1, 1, 0xcd),
		"lossless":     spliced(data, sof+1, 1, 0xc3),
		"12 bits":      spliced(data, sof+4, 1, 12),
		"no pixels":    spliced(data, sof+7, 2, 0, 0),
		"start":        []byte("\x89PNG\r\n"),
		"components":   spliced(data, sof+9, 1, 2),
		"sampling":     spliced(data, sof+11, 1, 0x51),
		"missing":      spliced(data, sof+12, 1, 3),
	} {
		if _, _, err := decode(t, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func FuzzJPEG(f *testing.F) {
	for _, name := range []string{"luma2x2-restarts", "luma2x2-progressive-restarts", "luma2x1-scans", "gray", "cmyk-progressive", "rgb", "luma1x1-chroma2x2", "luma2x2-arithmetic", "luma1x1-arithmetic-progressive"} {
		f.Add(written(f, name), uint8(0), uint16(0), uint16(0), uint16(0), uint16(0))
		f.Add(written(f, name), uint8(2), uint16(11), uint16(13), uint16(50), uint16(40))
	}
	f.Fuzz(func(t *testing.T, data []byte, shrink uint8, x0, y0, x1, y1 uint16) {
		d := &decoder{ctx: context.Background(), in: newInput(bytes.NewReader(data), int64(len(data)), 0, headBytes)}
		if _, err := d.readHead(); err == nil && d.frame.width*max(d.frame.height, 1<<10) > 1<<20 {
			return // a large picture would only take time
		}
		window := image.Rect(int(x0), int(y0), int(x1), int(y1))
		k, res, err := decodeWith(t, data, optionsOf(window, int(shrink)))
		if err == nil && res.Window != k.head.Window {
			t.Errorf("the window announced is %v, that delivered %v", k.head.Window, res.Window)
		}
	})
}
