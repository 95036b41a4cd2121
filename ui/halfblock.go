package ui

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"github.com/muesli/termenv"
)

// shrunk is a picture at exactly a size, on white where it is transparent, with its marks drawn over it.
func shrunk(m image.Image, size image.Point, marks []placedMark) *image.RGBA {
	flat := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, m, m.Bounds().Min, draw.Over)
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			out.SetRGBA(x, y, average(flat, covered(x, size.X, flat.Rect.Dx()), covered(y, size.Y, flat.Rect.Dy())))
		}
	}
	for _, mk := range marks {
		mk.paint(out)
	}
	return out
}

// covered is the pixels of a side that the i-th of n parts covers, one at least.
func covered(i, n, side int) [2]int {
	from := i * side / n
	return [2]int{from, max(from+1, (i+1)*side/n)}
}

// average is the mean colour of a part: thin lines grow pale, where picking single pixels would lose them.
func average(m *image.RGBA, xs, ys [2]int) color.RGBA {
	var r, g, b, n int
	for y := ys[0]; y < ys[1]; y++ {
		row := m.Pix[y*m.Stride+4*xs[0] : y*m.Stride+4*xs[1]]
		for ; len(row) >= 4; row = row[4:] {
			r, g, b, n = r+int(row[0]), g+int(row[1]), b+int(row[2]), n+1
		}
	}
	return color.RGBA{R: uint8(r / n), G: uint8(g / n), B: uint8(b / n), A: 255}
}

// placedMark is a mark in the pixels of a drawing.
type placedMark struct {
	at   image.Rectangle
	kind markKind
	wide int // pixels of an outline's line
}

// paint draws the mark. An outline is seen on any ground: bright beside dark.
func (p placedMark) paint(m *image.RGBA) {
	switch p.kind {
	case markBlack:
		draw.Draw(m, p.at, image.Black, image.Point{}, draw.Src)
		return
	case markCrop:
		dimAround(m, p.at)
		return
	}
	frame(m, p.at, p.wide, color.RGBA{R: 255, G: 64, B: 160, A: 255})
	if p.wide > 1 {
		frame(m, p.at.Inset(p.wide), 1, color.RGBA{A: 255})
	}
}

// dimAround leaves a third of the light outside a rectangle.
func dimAround(m *image.RGBA, keep image.Rectangle) {
	shade := image.NewUniform(color.RGBA{A: 170})
	b := m.Bounds()
	for _, side := range []image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y, b.Max.X, keep.Min.Y), image.Rect(b.Min.X, keep.Max.Y, b.Max.X, b.Max.Y),
		image.Rect(b.Min.X, keep.Min.Y, keep.Min.X, keep.Max.Y), image.Rect(keep.Max.X, keep.Min.Y, b.Max.X, keep.Max.Y),
	} {
		draw.Draw(m, side.Intersect(b), shade, image.Point{}, draw.Over)
	}
}

func frame(m *image.RGBA, r image.Rectangle, wide int, c color.RGBA) {
	ink := image.NewUniform(c)
	for _, side := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+wide), image.Rect(r.Min.X, r.Max.Y-wide, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+wide, r.Max.Y), image.Rect(r.Max.X-wide, r.Min.Y, r.Max.X, r.Max.Y),
	} {
		draw.Draw(m, side, ink, image.Point{}, draw.Src)
	}
}

// halfBlocks draws a picture of cols x 2*rows pixels as rows of ▀: the upper pixel is the letter, the lower its ground.
func halfBlocks(m *image.RGBA, profile termenv.Profile) []string {
	size := m.Bounds().Size()
	lines := make([]string, 0, size.Y/2)
	for y := 0; y+1 < size.Y; y += 2 {
		var b strings.Builder
		lastUp, lastDown := "", ""
		for x := range size.X {
			up, down := colourCode(m.RGBAAt(x, y), profile), colourCode(m.RGBAAt(x, y+1), profile)
			if up != lastUp || down != lastDown {
				fmt.Fprintf(&b, "\x1b[38;%s;48;%sm", up, down)
				lastUp, lastDown = up, down
			}
			b.WriteString("▀")
		}
		b.WriteString("\x1b[0m")
		lines = append(lines, b.String())
	}
	return lines
}

// colourCode is a colour as the parameters of SGR 38 and 48.
func colourCode(c color.RGBA, profile termenv.Profile) string {
	if profile == termenv.TrueColor {
		return fmt.Sprintf("2;%d;%d;%d", c.R, c.G, c.B)
	}
	return fmt.Sprintf("5;%d", nearest256(c))
}

// nearest256 is the closest colour of xterm's cube (16 to 231) or of its greys (232 to 255).
func nearest256(c color.RGBA) int {
	level := func(v uint8) int { // the cube's steps are 0, 95, 135, 175, 215, 255
		switch {
		case v < 48:
			return 0
		case v < 115:
			return 1
		}
		return (int(v) - 35) / 40
	}
	value := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	r, g, b := level(c.R), level(c.G), level(c.B)
	grey := min(max((int(c.R)+int(c.G)+int(c.B))/3-3, 0)/10, 23)
	far := func(x, y, z int) int {
		dx, dy, dz := x-int(c.R), y-int(c.G), z-int(c.B)
		return dx*dx + dy*dy + dz*dz
	}
	if v := 8 + 10*grey; far(v, v, v) < far(value(r), value(g), value(b)) {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}
