package webp

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tool finds a program of the Debian package webp, or skips; where everything must be there, it fails.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing; install the package webp", name)
	}
	t.Skipf("%s is missing; install the package webp to compare with the reference", name)
	return ""
}

// run runs a tool and returns what it wrote to the file named out in a fresh folder; {in} and {out} in the arguments
// stand for the files.
func run(t testing.TB, name string, in []byte, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(from, in, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		switch args[i] {
		case "{in}":
			args[i] = from
		case "{out}":
			args[i] = to
		}
	}
	if text, err := exec.Command(tool(t, name), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, text)
	}
	out, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// encode makes a WebP file of a picture with cwebp.
func encode(t testing.TB, m image.Image, args ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return run(t, "cwebp", b.Bytes(), append(args, "-quiet", "{in}", "-o", "{out}")...)
}

// screenshot looks like a window of text, in few colours or many; with veil, parts are transparent.
func screenshot(w, h int, few, veil bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	for y := range h {
		for x := range w {
			c := color.NRGBA{250, 250, 245, 255}
			if !few {
				c.B = byte(200 + y*50/h)
			}
			if y/18%2 == 0 && x/9%7 < 5 && r.IntN(3) == 0 {
				c = color.NRGBA{byte(r.IntN(6) * 15), 60, 80, 255}
				if !few {
					c.G = byte(r.IntN(200))
				}
			}
			if veil {
				c.A = byte(255 - (x/7+y/5)%6*50)
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// photograph has soft shapes and noise.
func photograph(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(w), 9))
	for y := range h {
		for x := range w {
			n := r.IntN(24)
			round := (x/3*x/300 + y*y/200) % 90
			m.SetNRGBA(x, y, color.NRGBA{byte(40 + x*120/w + n + round), byte(30 + y*130/h + n + round/2), byte(90 + n*3), 255})
		}
	}
	return m
}
