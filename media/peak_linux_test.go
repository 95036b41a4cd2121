package media

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// peakAllVariable runs the measurement over everything, which takes many minutes, where it is set.
const peakAllVariable = "ESPY_PEAK_ALL"

// idlePeak is what this program holds that does nothing, in KiB.
func idlePeak(t testing.TB) (kib int64) {
	t.Helper()
	inRole(t, "idle", &kib)
	return kib
}

// skipUnlessPlain skips where memory says nothing about the program as it is shipped.
func skipUnlessPlain(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector takes memory of its own; run without -race")
	}
	if testing.CoverMode() != "" {
		t.Skip("counting coverage takes memory of its own; run without -cover")
	}
}

// peakDetails are the details that differ; original is high by another name.
var peakDetails = []Detail{DetailLow, DetailAuto, DetailHigh}

func TestNoPictureTakesMoreThan64MiBOfTheProcess(t *testing.T) {
	skipUnlessPlain(t)
	if DetailOriginal.side() != DetailHigh.side() {
		t.Fatal("original is no longer the same as high and must be measured too")
	}
	all := os.Getenv(peakAllVariable) != ""
	m := peaks{idle: idlePeak(t)}
	for _, size := range []image.Point{{8192, 4096}, {5792, 5792}} {
		for i, l := range heavyPictures(all) {
			if !all && size.X > size.Y && i%3 != 0 {
				continue // the square ones have the larger results
			}
			t.Run(sizeName(size)+"-"+l.name, func(t *testing.T) { m.measure(t, l, size, all) })
		}
	}
	slices.SortFunc(m.seen, func(a, b peak) int { return int(b.kib - a.kib) })
	t.Logf("idle %d KiB, %d measured; the worst:", m.idle, len(m.seen))
	for _, p := range m.seen[:min(len(m.seen), 12)] {
		t.Logf("%6d KiB more: %s to %s", p.kib, p.name, p.detail)
	}
}

// peaks are what pictures took, each in a process of its own.
type peaks struct {
	idle int64 // KiB
	seen []peak
}

type peak struct {
	name   string
	detail Detail
	kib    int64 // above idle
}

func (m *peaks) measure(t *testing.T, l large, size image.Point, all bool) {
	path, err := l.file(t, size)
	if errors.Is(err, errNoTool) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, detail := range peakDetails {
		if !all && detail != DetailHigh {
			continue
		}
		var kib int64
		inRole(t, "gate", &kib, string(detail), path, "")
		kib -= m.idle
		m.seen = append(m.seen, peak{filepath.Base(path), detail, kib})
		if kib > MaxDecodeAllocBytes>>10 {
			t.Errorf("to %s: %d KiB more than the idle program, at most %d are allowed", detail, kib, MaxDecodeAllocBytes>>10)
		} else {
			t.Logf("to %s: %d KiB more than the idle program", detail, kib)
		}
	}
}

// heavyPictures are one of each kind, or all.
func heavyPictures(all bool) (some []large) {
	every := slices.Concat(largePNGs(), largeJPEGs(), largeWebPs(), largeGIFs(), largeChanged())
	if all {
		return every
	}
	for _, l := range every {
		switch strings.TrimSuffix(l.name, filepath.Ext(l.name)) {
		case "rgba16-adam7", "rgb8", "jpeg-444-progressive", "webp-lossless", "webp-alpha", "gif":
			some = append(some, l)
		}
	}
	return some
}

func TestEightLargePicturesAtOnceTakeNoMoreThan64MiBOfTheProcess(t *testing.T) {
	skipUnlessPlain(t)
	var paths []string
	for _, l := range heavyPictures(false) {
		path, err := l.file(t, image.Pt(5792, 5792))
		if errors.Is(err, errNoTool) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for len(paths) < 8 {
		paths = append(paths, paths...)
	}
	idle := idlePeak(t)
	for _, detail := range []Detail{DetailAuto, DetailHigh} {
		if detail != DetailAuto && os.Getenv(peakAllVariable) == "" {
			continue
		}
		var kib int64
		inRole(t, "gate-crowd", &kib, append([]string{string(detail)}, paths[:8]...)...)
		if t.Logf("to %s: %d KiB more than the idle program", detail, kib-idle); kib-idle > MaxDecodeAllocBytes>>10 {
			t.Errorf("to %s: %d KiB more than the idle program, at most %d are allowed", detail, kib-idle, MaxDecodeAllocBytes>>10)
		}
	}
}

func TestNoPublicTestPictureTakesMoreThan64MiBOfTheProcess(t *testing.T) {
	skipUnlessPlain(t)
	var paths []string
	for i, s := range specimens(t, corpora(t)) {
		if os.Getenv(peakAllVariable) != "" || i%8 == 0 {
			paths = append(paths, s.name)
		}
	}
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Join(paths, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	idle := idlePeak(t)
	for _, detail := range peakDetails {
		var got manyResult
		inRole(t, "gate-many", &got, string(detail), list, strconv.FormatInt(idle+MaxDecodeAllocBytes>>10, 10))
		if got.Worst != "" {
			t.Errorf("%s to %s: the process holds %d KiB more than the idle program", got.Worst, detail, got.Peak-idle)
		}
		if got.Worst == "" && (got.Files != len(paths) || got.Read < got.Files/3) {
			t.Errorf("%+v of %d files", got, len(paths))
		}
		t.Logf("%s: %d files in one process, %d read, at most %d KiB more than idle", detail, got.Files, got.Read, got.Peak-idle)
	}
}
