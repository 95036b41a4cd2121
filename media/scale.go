package media

import (
	"bytes"

	"espy/media/rows"
)

// boxFrom is the ratio from which whole blocks of pixels are averaged first, leaving at least a factor of 2 to the
// kernel: its cost grows with the ratio, that of the average does not.
const boxFrom = 4

// planeScaler scales one plane, row by row: along the row into a line of floats, of which as many are kept as a result
// row is made of. It holds a handful of rows whatever the sizes are. With alpha, colours are multiplied by it first, so
// that what cannot be seen does not bleed into what can.
type planeScaler struct {
	out     target
	alpha   bool
	source  int  // width of a source row in pixels
	height  int  // source rows
	copying bool // every result sample is one source sample
	offX    int  // where to copy from
	offY    int

	box     *boxes    // where whole blocks are averaged first
	line    []float32 // source row as floats, with zeros behind it for taps without weight
	before  []byte    // source row before it
	runs    runs      // of equal pixels in it
	columns tapTable
	lines   tapTable
	kept    [][]float32 // source rows after the horizontal kernel, by their number
	sum     []float32   // a result row
	y       int         // next row of the kernel's input
	taken   int         // source rows taken
	next    int         // first result row not yet finished
}

// geometry places a result on a source: result sample d covers the source from d*ratio+offset.
type geometry struct {
	ratioX, ratioY   float64
	offsetX, offsetY float64
	averaged         bool // the source was reduced already
}

func newPlaneScaler(srcW, srcH int, out target, g geometry, alpha bool) *planeScaler {
	s := &planeScaler{out: out, alpha: alpha, source: srcW, height: srcH}
	if g.ratioX == 1 && g.ratioY == 1 && whole(g.offsetX) && whole(g.offsetY) &&
		int(g.offsetX)+out.w <= srcW && int(g.offsetY)+out.h <= srcH {
		s.copying, s.offX, s.offY = true, int(g.offsetX), int(g.offsetY)
		return s
	}
	boxX, boxY := 1, 1
	if g.ratioX >= boxFrom {
		boxX = int(g.ratioX / 2)
	}
	if g.ratioY >= boxFrom {
		boxY = int(g.ratioY / 2)
	}
	w, h := ceilDiv(srcW, boxX), ceilDiv(srcH, boxY)
	k := fineKernel()
	if boxX > 1 || boxY > 1 {
		s.box = newBoxes(srcW, boxX, boxY, out.n, alpha)
	}
	if g.averaged || s.box != nil {
		k = coarseKernel()
	}
	bx, by := float64(boxX), float64(boxY)
	s.columns = kernelTable(w, out.w, g.ratioX/bx, g.offsetX/bx, k)
	s.lines = kernelTable(h, out.h, g.ratioY/by, g.offsetY/by, k)
	s.line = make([]float32, (w+s.columns.n)*out.n)
	s.sum = make([]float32, out.w*out.n)
	s.kept = make([][]float32, s.lines.n+1)
	for i := range s.kept {
		s.kept[i] = make([]float32, out.w*out.n)
	}
	return s
}

func whole(v float64) bool { return v == float64(int(v)) && v >= 0 }

// push takes the next source row.
func (s *planeScaler) push(row []byte) {
	y := s.taken
	s.taken++
	if s.copying {
		if y -= s.offY; y >= 0 && y < s.out.h {
			copy(s.out.row(y), row[s.offX*s.out.n:])
			s.out.wrote(y)
		}
		return
	}
	if s.next >= s.out.h {
		return
	}
	if s.box == nil {
		same := bytes.Equal(row, s.before)
		if !same {
			s.before = append(s.before[:0], row...)
			s.runs.find(row, s.out.n, s.y)
			s.load(row)
		}
		s.filter(same)
		return
	}
	s.box.add(row)
	if s.box.rows == s.box.y || s.taken == s.height {
		s.box.end(s.line)
		s.filter(false)
	}
}

// load turns a row into floats, colours multiplied by alpha.
func (s *planeScaler) load(row []byte) {
	line := s.line[:len(row)]
	if !s.alpha {
		for i, v := range row {
			line[i] = float32(v)
		}
		return
	}
	for i := 0; i+3 < len(row); i += 4 {
		a := float32(row[i+3])
		f := a * (1.0 / 255)
		line[i], line[i+1], line[i+2], line[i+3] = float32(row[i])*f, float32(row[i+1])*f, float32(row[i+2])*f, a
	}
}

// filter runs s.line through the horizontal kernel, keeps it, and ends the result rows of which it is the last. A row that
// is the same as the one before gives the same.
func (s *planeScaler) filter(same bool) {
	y := s.y
	s.y++
	if s.next >= s.out.h || y < s.lines.start(s.next) {
		return
	}
	kept := s.kept[y%len(s.kept)]
	if same && y > s.lines.start(s.next) {
		copy(kept, s.kept[(y-1)%len(s.kept)])
	} else {
		s.columns.along(kept, s.line, s.out.n, s.runs.ends)
	}
	for s.next < s.out.h && s.lines.last(s.next) <= y {
		s.down(s.next)
		s.finish(s.out.row(s.next), s.sum)
		s.out.wrote(s.next)
		s.next++
	}
}

// down puts the kept rows of a result row together, four at a time.
func (s *planeScaler) down(d int) {
	first, weights := s.lines.start(d), s.lines.weights(d)
	clear(s.sum)
	for i := 0; i+4 <= len(weights); i += 4 {
		at := func(k int) []float32 { return s.kept[(first+i+k)%len(s.kept)] }
		add4(s.sum, at(0), at(1), at(2), at(3), (*[4]float32)(weights[i:]))
	}
}

func add4(sum, a, b, c, d []float32, w *[4]float32) {
	n := len(sum)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for i := range sum {
		sum[i] += (w0*a[i] + w1*b[i]) + (w2*c[i] + w3*d[i])
	}
}

// finish rounds a result row.
func (s *planeScaler) finish(out []byte, row []float32) {
	if !s.alpha {
		for i, v := range row {
			out[i] = roundByte(v)
		}
		return
	}
	for i := 0; i+3 < len(row); i += 4 {
		a := row[i+3]
		out[i+3] = roundByte(a)
		if out[i+3] == 0 {
			out[i], out[i+1], out[i+2] = 0, 0, 0
			continue
		}
		f := 255 / a
		out[i], out[i+1], out[i+2] = roundByte(row[i]*f), roundByte(row[i+1]*f), roundByte(row[i+2]*f)
	}
}

func roundByte(v float32) byte {
	if v <= 0 {
		return 0
	}
	if v >= 254.5 {
		return 255
	}
	return byte(v + 0.5)
}

// resized returns a smaller copy of a canvas.
func (c *canvas) resized(w, h int) *canvas {
	out := &canvas{layout: c.layout}
	out.size.X, out.size.Y = w, h
	for _, p := range c.planes {
		pw, ph := w, h
		if p.w < c.size.X || p.h < c.size.Y {
			pw, ph = (w+1)/2, (h+1)/2
		}
		q := newPlane(pw, ph, p.n)
		g := geometry{ratioX: float64(p.w) / float64(pw), ratioY: float64(p.h) / float64(ph)}
		s := newPlaneScaler(p.w, p.h, target{plane: q}, g, c.layout == rows.RGBA)
		for y := range p.h {
			s.push(p.row(y))
		}
		out.planes = append(out.planes, q)
	}
	return out
}
