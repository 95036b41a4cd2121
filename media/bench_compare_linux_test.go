package media

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compared are the pictures that are rendered by everyone, to 2048 px.
func compared() map[string][]large {
	find := func(all []large, names ...string) (found []large) {
		for _, l := range all {
			for _, name := range names {
				if strings.TrimSuffix(l.name, filepath.Ext(l.name)) == name {
					found = append(found, l)
				}
			}
		}
		return found
	}
	photos := find(largeJPEGs(), "jpeg-420", "jpeg-444", "jpeg-420-progressive", "jpeg-444-progressive", "jpeg-cmyk", "jpeg-gray")
	return map[string][]large{
		"3840x2160": {pagePNG},
		"8192x4096": append(append(append(append([]large{pagePNG, photoPNGSmall}, find(largePNGs(), "rgba16", "rgb8-adam7", "palette4")...), photos...),
			find(largeWebPs(), "webp-lossy", "webp-lossless", "webp-alpha", "webp-lossless-16")...), find(largeGIFs(), "gif")...),
	}
}

// photoPNGSmall stands beside the page: filtered rows, as the library writes them.
var photoPNGSmall = large{"rgba8-filtered.png", veiledPNG.make}

// BenchmarkTo2048AgainstOthers renders the same files with the gate, with Go's libraries and with vipsthumbnail, each
// in a process of its own, and reports the least processor time and the most memory of each. Run it with
// -benchtime 3x: the number is how often each is measured.
func BenchmarkTo2048AgainstOthers(b *testing.B) {
	for _, size := range []image.Point{{3840, 2160}, {8192, 4096}} {
		name := sizeName(size)
		for _, l := range compared()[name] {
			b.Run(name+"/"+l.name, func(b *testing.B) {
				path, err := l.file(b, size)
				if err != nil {
					b.Skip(err)
				}
				compare(b, path)
			})
		}
	}
}

func compare(b *testing.B, path string) {
	result := filepath.Join(b.TempDir(), "out.png")
	if ext := filepath.Ext(path); ext == ".jpg" || strings.Contains(path, "lossy") {
		result = filepath.Join(b.TempDir(), "out.jpg")
	}
	ours := best(b, "gate", os.Args[0], "auto", path, result)
	library := best(b, "library", os.Args[0], path, result)
	ours.report(b, "gate")
	library.report(b, "library")
	if vips, err := exec.LookPath("vipsthumbnail"); err != nil {
		b.Log("vipsthumbnail is not installed")
	} else {
		other := best(b, "", vips, "-s", "2048", "-o", result, path)
		other.report(b, "vips")
		if ours.CPU > 0 && other.CPU > 0 {
			b.ReportMetric(float64(ours.CPU)/float64(other.CPU), "of-vips")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// best is the least a program took in b.N runs; a file that it cannot read costs nothing.
func best(b *testing.B, next string, program ...string) cost {
	b.Helper()
	var least cost
	for i := range b.N {
		c, err := launched(next, program...)
		if err != nil {
			b.Logf("%s: %v", next, err)
			return cost{}
		}
		if i == 0 {
			least = c
		}
		least.CPU, least.RSS = min(least.CPU, c.CPU), max(least.RSS, c.RSS)
	}
	return least
}

func (c cost) report(b *testing.B, who string) {
	b.ReportMetric(float64(c.CPU.Microseconds())/1000, who+"-ms")
	b.ReportMetric(float64(c.RSS)/1024, who+"-MiB")
}
