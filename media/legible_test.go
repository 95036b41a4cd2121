package media

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
)

// programs skips where a program of the comparison is missing; where every change is proven they must be there.
func programs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		} else if os.Getenv("CI") == "true" {
			t.Fatalf("%s is needed here: %v", name, err)
		} else {
			t.Skipf("%s is not installed", name)
		}
	}
}

// A page that is read: its height in pixels of the source, and the width of its columns in heights of their letters, at
// which there is one of each size from 11 to 20 px.
const (
	pageHeight = 420
	pageColumn = 20
)

func TestOfSmallTextNoMoreIsLostThanWithImageMagicksLanczos(t *testing.T) {
	programs(t, "convert", "tesseract")
	lost, lostByThem, all := 0, 0, 0
	for _, p := range []struct {
		name string
		theme
	}{
		{"dark on light", paper}, {"light on dark", night},
		{"a terminal, dark on light", theme{paper.paper, paper.ink, gomono.TTF}}, {"a terminal, light on dark", theme{night.paper, night.ink, gomono.TTF}},
		{"bold, dark on light", theme{paper.paper, paper.ink, gobold.TTF}},
	} {
		a, b, letters := lostOf(t, p.name, p.theme)
		t.Logf("%s: of %d characters %d are lost, %d with Lanczos", p.name, letters, a, b)
		lost, lostByThem, all = lost+a, lostByThem+b, all+letters
	}
	t.Logf("of %d characters %d are lost, %d with Lanczos", all, lost, lostByThem)
	if lost > lostByThem {
		t.Errorf("%d of %d characters are lost, with ImageMagick's Lanczos only %d", lost, all, lostByThem)
	}
	if all < 10000 || lost > all/4 {
		t.Errorf("%d of %d characters are lost: the text was not read at all", lost, all)
	}
}

// lostOf renders a page of text, lets both scale it from 3840 to 2048, reads what came out, and counts the characters that
// each lost.
func lostOf(t *testing.T, name string, th theme) (lost, lostByThem, all int) {
	m, columns := written(t, image.Pt(3840, pageHeight), th, pageColumn)
	dir := t.TempDir()
	source := filepath.Join(dir, "page.png")
	data := pngOf(t, m)
	if err := os.WriteFile(source, data, 0o600); err != nil {
		t.Fatal(err)
	}
	sink := &memorySink{}
	pic, err := NewGate().Ingest(t.Context(), sink, sourceOf("page.png", data), Options{})
	if err != nil || pic.Image.Width != 2048 || pic.Image.MediaType != "image/png" {
		t.Fatalf("%+v, %v", pic, err)
	}
	ours, theirs := filepath.Join(dir, "ours.png"), filepath.Join(dir, "theirs.png")
	if err := os.WriteFile(ours, sink.blobs[pic.Image.Ref], 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "convert", source, "-filter", "Lanczos", "-resize", "2048x", theirs)
	if alike := psnr(decodedFile(t, ours), decodedFile(t, theirs)); alike < 36 {
		t.Errorf("%s: the picture is %.1f dB from that of Lanczos", name, alike)
	}
	for i, column := range columns {
		all += len(letters(column))
		lost += missing(column, readColumn(t, ours, i))
		lostByThem += missing(column, readColumn(t, theirs, i))
	}
	return lost, lostByThem, all
}

func decodedFile(t testing.TB, path string) image.Image {
	t.Helper()
	f, _ := openFile(t, path)
	m, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t testing.TB, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", program, args, err)
	}
	return string(out)
}

// readColumn reads one column of a page that was scaled to 2048 pixels.
func readColumn(t testing.TB, path string, i int) string {
	t.Helper()
	x, width := columnAt(i, pageColumn)
	part := filepath.Join(t.TempDir(), "part.png")
	crop := geometryOf(image.Rect((x-12)*2048/3840, 0, (x+width+12)*2048/3840, pageHeight*2048/3840))
	run(t, "convert", path, "-crop", crop, "+repage", "-filter", "Mitchell", "-resize", "250%", part)
	return run(t, "tesseract", part, "-", "--psm", "6", "-l", "eng")
}

// letters is a text without the space between its words.
func letters(s string) string { return strings.Join(strings.Fields(s), "") }

// missing is how many characters must be changed, put in or taken out to get from what was read to what was written.
func missing(want, got string) int {
	a, b := letters(want), letters(got)
	line := make([]int, len(b)+1)
	for j := range line {
		line[j] = j
	}
	for i := range len(a) {
		before := line[0]
		line[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = line[j+1]
			line[j+1] = min(cost, line[j]+1, before+1)
		}
	}
	return line[len(b)]
}
