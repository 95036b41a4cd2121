package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	stdjpeg "image/jpeg"
	stdpng "image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	fixedpoint "golang.org/x/image/math/fixed"
)

// large is a picture at the limits, made once and kept in the folder for temporary files: some take a minute to write.
type large struct {
	name string // with the extension of its format
	make func(t testing.TB, size image.Point, path string) error
}

// errNoTool is a picture that only a program that is not installed can write.
var errNoTool = errors.New("is not installed")

// file returns the path of the picture at a size, or why it cannot be had.
func (l large) file(t testing.TB, size image.Point) (string, error) {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "espy-large-pictures-2")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%dx%d-%s", size.X, size.Y, l.name))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	work, err := os.MkdirTemp(dir, "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, l.name)
	if err := l.make(t, size, made); err != nil {
		return "", err
	}
	if info, err := os.Stat(made); err != nil || info.Size() > MaxSourceImageBytes {
		return "", fmt.Errorf("%s came out over the limit of a file: %v", l.name, err)
	}
	return path, os.Rename(made, path)
}

// largePNGs are every depth and colour type of PNG, in rows and interlaced, and what may be transparent without alpha.
func largePNGs() (all []large) {
	for _, c := range []struct {
		name  string
		kind  byte
		depth int
		clear string // the tRNS chunk
	}{
		{"gray1", 0, 1, ""}, {"gray2", 0, 2, ""}, {"gray4", 0, 4, ""}, {"gray8", 0, 8, ""}, {"gray16", 0, 16, ""}, {"rgb8", 2, 8, ""}, {"rgb16", 2, 16, ""},
		{"palette1", 3, 1, ""}, {"palette2", 3, 2, ""}, {"palette4", 3, 4, ""}, {"palette8", 3, 8, ""}, {"ga8", 4, 8, ""}, {"ga16", 4, 16, ""},
		{"rgba8", 6, 8, ""}, {"rgba16", 6, 16, ""},
		{"gray8-clear", 0, 8, "\x00\xfc"}, {"rgb8-clear", 2, 8, "\x00\xfc\x00\xfc\x00\xfa"}, {"rgb16-clear", 2, 16, "\xfc\xfc\xfc\xfc\xfa\xfa"}, {"palette8-clear", 3, 8, "\x00\x40\x80"},
	} {
		for _, interlaced := range []bool{false, true} {
			name := c.name + ".png"
			if interlaced {
				name = c.name + "-adam7.png"
			}
			all = append(all, large{name, func(t testing.TB, size image.Point, path string) error {
				return writePNG(path, page(t, size, paper), c.kind, c.depth, interlaced, c.clear)
			}})
		}
	}
	return all
}

// largeJPEGs are every usual sampling, sequential and progressive, and the rarer kinds.
func largeJPEGs() (all []large) {
	for _, c := range [][2]string{
		{"420", "-sample 2x2"}, {"422", "-sample 2x1"}, {"440", "-sample 1x2"}, {"411", "-sample 4x1"}, {"444", "-sample 1x1"}, {"gray", "-grayscale"},
	} {
		for suffix, more := range map[string]string{"": "", "-progressive": " -progressive", "-restarts": " -restart 1"} {
			all = append(all, large{"jpeg-" + c[0] + suffix + ".jpg", cjpeg(c[1] + more)})
		}
	}
	return append(all, large{"jpeg-420-arithmetic.jpg", cjpeg("-sample 2x2 -arithmetic")},
		large{"jpeg-444-arithmetic-progressive.jpg", cjpeg("-sample 1x1 -arithmetic -progressive")},
		large{"jpeg-411-wide-chroma.jpg", cjpeg("-sample 2x1,1x2,2x2")},
		large{"jpeg-444-rgb.jpg", cjpeg("-rgb -sample 1x1")}, large{"jpeg-444-optimized.jpg", cjpeg("-sample 1x1 -optimize")},
		large{"jpeg-cmyk.jpg", convertedBy("-colorspace CMYK -quality 85")},
		large{"jpeg-cmyk-progressive.jpg", convertedBy("-colorspace CMYK -interlace JPEG -quality 85")},
		large{"jpeg-written-here.jpg", func(t testing.TB, size image.Point, path string) error {
			return writeFile(path, func(w *bufio.Writer) error {
				return stdjpeg.Encode(w, scenery(size), &stdjpeg.Options{Quality: 85})
			})
		}})
}

func largeWebPs() []large {
	return []large{
		{"webp-lossy.webp", cwebp("-q 85 -m 2", photoPNG)}, {"webp-lossless.webp", cwebp("-lossless -z 1", pagePNG)},
		{"webp-lossless-photo.webp", cwebp("-lossless -z 1", posterPNG)},
		{"webp-alpha.webp", cwebp("-q 85 -m 2", veiledPNG)}, {"webp-lossless-alpha.webp", cwebp("-lossless -z 1", veiledPNG)},
		{"webp-lossless-16.webp", cwebp("-lossless -z 1", sixteenPNG)},
	}
}

func largeGIFs() []large {
	return []large{
		{"gif.gif", func(t testing.TB, size image.Point, path string) error {
			return writeFile(path, func(w *bufio.Writer) error { return gif.Encode(w, indexed(page(t, size, paper), 256), nil) })
		}},
		{"gif-interlaced.gif", func(t testing.TB, size image.Point, path string) error {
			return fromPNG(t, size, path, pagePNG, "convert", "IN -colors 64 -interlace GIF OUT")
		}},
	}
}

func cjpeg(options string) func(testing.TB, image.Point, string) error {
	return func(t testing.TB, size image.Point, path string) error {
		return fromPNG(t, size, path, photoPPM, "cjpeg", "-quality 85 "+options+" -outfile OUT IN")
	}
}

func convertedBy(options string) func(testing.TB, image.Point, string) error {
	return func(t testing.TB, size image.Point, path string) error {
		return fromPNG(t, size, path, photoPPM, "convert", "IN "+options+" OUT")
	}
}

func cwebp(options string, from large) func(testing.TB, image.Point, string) error {
	return func(t testing.TB, size image.Point, path string) error {
		return fromPNG(t, size, path, from, "cwebp", "-quiet "+options+" IN -o OUT")
	}
}

// Pictures that others are made from.
var (
	photoPPM = large{"photo.ppm", func(_ testing.TB, size image.Point, path string) error {
		return writeFile(path, func(w *bufio.Writer) error { return writePPM(w, scenery(size)) })
	}}
	photoPNG = large{"photo.png", func(_ testing.TB, size image.Point, path string) error {
		return writeFile(path, func(w *bufio.Writer) error { return fastPNG.Encode(w, scenery(size)) })
	}}
	pagePNG = large{"page.png", func(t testing.TB, size image.Point, path string) error {
		return writeFile(path, func(w *bufio.Writer) error { return fastPNG.Encode(w, page(t, size, paper)) })
	}}
	veiledPNG = large{"veiled.png", func(t testing.TB, size image.Point, path string) error {
		return writeFile(path, func(w *bufio.Writer) error { return fastPNG.Encode(w, faded(page(t, size, paper))) })
	}}
	sixteenPNG = large{"sixteen.png", func(t testing.TB, size image.Point, path string) error {
		return writeFile(path, func(w *bufio.Writer) error { return fastPNG.Encode(w, indexed(page(t, size, paper), 16)) })
	}}
	posterPNG = large{"poster.png", func(_ testing.TB, size image.Point, path string) error { // a photograph that stays within the limit of a file
		m := scenery(size)
		for i := range m.Pix {
			if i%4 != 3 {
				m.Pix[i] &^= 7
			}
		}
		return writeFile(path, func(w *bufio.Writer) error { return fastPNG.Encode(w, m) })
	}}
	fastPNG = &stdpng.Encoder{CompressionLevel: stdpng.BestSpeed}
)

// fromPNG lets a program write a picture from another.
func fromPNG(t testing.TB, size image.Point, path string, from large, program, args string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s %w", program, errNoTool)
	}
	in := filepath.Join(filepath.Dir(path), "in"+filepath.Ext(from.name))
	if err := from.make(t, size, in); err != nil {
		return err
	}
	var words []string
	for _, word := range strings.Fields(args) {
		switch word {
		case "IN":
			word = in
		case "OUT":
			word = path
		}
		words = append(words, word)
	}
	out, err := exec.Command(program, words...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, args, err, out)
	}
	return nil
}

func writeFile(path string, write func(*bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}

func writePPM(w *bufio.Writer, m *image.NRGBA) error {
	fmt.Fprintf(w, "P6\n%d %d\n255\n", m.Rect.Dx(), m.Rect.Dy())
	for i := 0; i < len(m.Pix); i += 4 {
		if _, err := w.Write(m.Pix[i : i+3]); err != nil {
			return err
		}
	}
	return nil
}

// writePNG writes any colour type and depth, which the library's writer does not. Gray is the picture's red.
func writePNG(path string, m *image.NRGBA, kind byte, depth int, interlaced bool, transparent string) error {
	return writeFile(path, func(w *bufio.Writer) error {
		head := binary.BigEndian.AppendUint32(nil, uint32(m.Rect.Dx()))
		head = append(binary.BigEndian.AppendUint32(head, uint32(m.Rect.Dy())), byte(depth), kind, 0, 0, 0)
		passes := []pass{{0, 0, 1, 1}}
		if interlaced {
			head[12] = 1
			passes = adam7
		}
		w.WriteString(pngSignature + pngChunk("IHDR", string(head)))
		if kind == 3 {
			var table []byte
			for i := range 1 << depth {
				v := byte(i * 255 / (1<<depth - 1))
				table = append(table, v, v, byte(128+int(v)/2))
			}
			w.WriteString(pngChunk("PLTE", string(table)))
		}
		if transparent != "" {
			w.WriteString(pngChunk("tRNS", transparent))
		}
		var data bytes.Buffer
		z, _ := zlib.NewWriterLevel(&data, 5)
		for _, p := range passes {
			if err := p.write(z, m, kind, depth); err != nil {
				return err
			}
		}
		if err := z.Close(); err != nil {
			return err
		}
		_, err := w.WriteString(pngChunk("IDAT", data.String()) + pngChunk("IEND", ""))
		return err
	})
}

// pass is a pass of an interlaced picture: where it begins and how far its pixels are apart.
type pass struct{ x, y, dx, dy int }

var adam7 = []pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

func (p pass) write(z *zlib.Writer, m *image.NRGBA, kind byte, depth int) error {
	samples := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
	width := (m.Rect.Dx() - p.x + p.dx - 1) / p.dx
	line := make([]byte, (width*samples*depth+7)/8)
	apart := samples * depth / 8
	out := make([]byte, 1+len(line))
	for y := p.y; y < m.Rect.Dy(); y += p.dy {
		clear(line)
		for i := range width {
			at := m.Pix[y*m.Stride+4*(p.x+i*p.dx):]
			putPixel(line, i, kind, depth, at[0], at[1], at[2], at[3])
		}
		copy(out[1:], line)
		if out[0] = 0; apart > 0 && depth == 8 {
			out[0] = 1 // each byte less that of the pixel before
			for i := apart; i < len(line); i++ {
				out[1+i] = line[i] - line[i-apart]
			}
		}
		if _, err := z.Write(out); err != nil {
			return err
		}
	}
	return nil
}

func putPixel(line []byte, i int, kind byte, depth int, r, g, b, a byte) {
	var v []byte
	switch kind {
	case 0, 3:
		v = []byte{r}
	case 2:
		v = []byte{r, g, b}
	case 4:
		v = []byte{r, a}
	case 6:
		v = []byte{r, g, b, a}
	}
	for c, s := range v {
		at := (i*len(v) + c) * depth
		switch depth {
		case 8:
			line[at/8] = s
		case 16:
			line[at/8], line[at/8+1] = s, s
		default:
			line[at/8] |= s >> (8 - depth) << (8 - depth - at%8)
		}
	}
}

// scenery looks like a photograph: soft shapes of every size, and grain.
func scenery(size image.Point) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: size})
	r := rand.New(rand.NewPCG(1, 5))
	grid := make([]int, 1<<16)
	for i := range grid {
		grid[i] = r.IntN(256)
	}
	soft := func(x, y, shift, salt int) int { // between four points of a grid
		f, gx, gy := 1<<shift, x>>shift, y>>shift
		fx, fy := x&(f-1), y&(f-1)
		at := func(x, y int) int { return grid[(x*7919+y*104729+salt)&(1<<16-1)] }
		top := at(gx, gy)*(f-fx) + at(gx+1, gy)*fx
		low := at(gx, gy+1)*(f-fx) + at(gx+1, gy+1)*fx
		return (top*(f-fy) + low*fy) >> (2 * shift)
	}
	for y := range size.Y {
		line := m.Pix[y*m.Stride:]
		for x := range size.X {
			wide, middle, fine := soft(x, y, 9, 0), soft(x, y, 6, 1), soft(x, y, 3, 2)
			n := r.IntN(5)
			line[4*x] = byte((wide*5 + middle*2 + fine + n*4) / 9)
			line[4*x+1] = byte((wide*3 + middle*4 + fine + n*4) / 9)
			line[4*x+2] = byte((soft(x, y, 8, 3)*5 + middle*2 + fine + n*4) / 9)
			line[4*x+3] = 255
		}
	}
	return m
}

// theme is ink on paper, and the letters that are drawn.
type theme struct {
	paper, ink color.NRGBA
	ttf        []byte
}

var (
	paper = theme{color.NRGBA{252, 252, 250, 255}, color.NRGBA{30, 30, 38, 255}, goregular.TTF}
	night = theme{color.NRGBA{24, 26, 31, 255}, color.NRGBA{214, 218, 224, 255}, goregular.TTF}
)

// page is a rendered screen of text of 11 to 20 px.
func page(t testing.TB, size image.Point, th theme) *image.NRGBA {
	t.Helper()
	m, _ := written(t, size, th, 32)
	return m
}

// written renders lines of words, each column of its own size and so many times as wide, and returns what stands there
// column by column.
func written(t testing.TB, size image.Point, th theme, wide int) (*image.NRGBA, []string) {
	t.Helper()
	m := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(m, m.Rect, image.NewUniform(th.paper), image.Point{}, draw.Src)
	parsed, err := opentype.Parse(th.ttf)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(size.X), uint64(size.Y)))
	words := strings.Fields(vocabulary)
	var columns []string
	for i := 0; ; i++ {
		x, width := columnAt(i, wide)
		if x >= size.X {
			break
		}
		px := columnPixels(i)
		face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: float64(px), DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			t.Fatal(err)
		}
		text := column(m, face, th, x, px, width, r, words)
		if x+width+12 <= size.X {
			columns = append(columns, text)
		}
	}
	return m, columns
}

// columnPixels is the size of the text of a column: every one from 11 to 20 px, in a mixed order.
func columnPixels(i int) int { return 11 + i*3%10 }

// columnAt is where a column begins and how wide it is.
func columnAt(i, wide int) (x, width int) {
	x = 24
	for k := range i {
		x += columnPixels(k)*wide + 48
	}
	return x, columnPixels(i) * wide
}

func column(m *image.NRGBA, face font.Face, th theme, x, px, width int, r *rand.Rand, words []string) string {
	var text strings.Builder
	d := font.Drawer{Dst: m, Src: image.NewUniform(th.ink), Face: face}
	for y := 2 * px; y < m.Rect.Dy()-px; y += px * 3 / 2 {
		line := ""
		for {
			next := line + words[r.IntN(len(words))] + " "
			if d.MeasureString(next).Ceil() > width {
				break
			}
			line = next
		}
		d.Dot = fixedpoint.P(x, y)
		d.DrawString(line)
		text.WriteString(line + "\n")
	}
	return text.String()
}

const vocabulary = `the picture of every screen that was taken while nobody looked at it holds more words than anyone will read and yet each
must stay legible when it becomes smaller because somebody may ask what stood in that corner near the button which opens another window with
settings for network printers accounts passwords language keyboard sound display power storage memory battery update restart cancel apply
error warning missing file folder could not be opened permission denied 404 512 1024 2048 8080 19:45 2026 version 3.14 index value string
return function buffer length offset header column parser stream branch commit merge review deploy server client request response timeout`

// indexed is the picture with a table of that many grays.
func indexed(m *image.NRGBA, colours int) *image.Paletted {
	table := make(color.Palette, colours)
	for i := range table {
		v := byte(i * 255 / (colours - 1))
		table[i] = color.NRGBA{v, v, v, 255}
	}
	out := image.NewPaletted(m.Rect, table)
	for i := range out.Pix {
		out.Pix[i] = byte(int(m.Pix[4*i]) * (colours - 1) / 255)
	}
	return out
}

// faded is the picture with a transparency that changes everywhere.
func faded(m *image.NRGBA) *image.NRGBA {
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			m.Pix[y*m.Stride+4*x+3] = byte(255 - (x/32+y/32)%128)
		}
	}
	return m
}

func sizeName(size image.Point) string { return fmt.Sprintf("%dx%d", size.X, size.Y) }

func geometryOf(r image.Rectangle) string {
	return fmt.Sprintf("%dx%d+%d+%d", r.Dx(), r.Dy(), r.Min.X, r.Min.Y)
}
