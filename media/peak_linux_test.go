package media

import (
	"errors"
	"image"
	"os"
	"path/filepath"
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

func TestNoPictureTakesMoreThan64MiBOfTheProcess(t *testing.T) {
	skipUnlessPlain(t)
	all := os.Getenv(peakAllVariable) != ""
	idle := idlePeak(t)
	var worst int64
	for _, size := range []image.Point{{8192, 4096}, {5792, 5792}} {
		for i, l := range heavyPictures(all) {
			if !all && size.X > size.Y && i%3 != 0 {
				continue // the square ones have the larger results
			}
			path, err := l.file(t, size)
			if err != nil {
				if !errors.Is(err, errNoTool) || os.Getenv("CI") == "true" {
					t.Errorf("%s: %v", l.name, err)
				}
				t.Logf("%s is left out: %v", l.name, err)
				continue
			}
			for _, detail := range []Detail{DetailLow, DetailAuto, DetailHigh, DetailOriginal} {
				if !all && detail != DetailHigh {
					continue
				}
				var kib int64
				inRole(t, "gate", &kib, string(detail), path, "")
				worst = max(worst, kib-idle)
				if t.Logf("%s %s: %d MiB", filepath.Base(path), detail, (kib-idle)>>10); kib-idle > MaxDecodeAllocBytes>>10 {
					t.Errorf("%s to %s takes %d KiB more than the idle program, at most %d are allowed", filepath.Base(path), detail, kib-idle, MaxDecodeAllocBytes>>10)
				}
			}
		}
	}
	t.Logf("idle %d KiB, at most %d KiB more", idle, worst)
}

// heavyPictures are one of each kind, or all.
func heavyPictures(all bool) (some []large) {
	every := append(append(append(largePNGs(), largeJPEGs()...), largeWebPs()...), largeGIFs()...)
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
	for _, detail := range []Detail{DetailLow, DetailAuto, DetailHigh} {
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
