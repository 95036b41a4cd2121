package media

import "espy/media/rows"

// boxFrom is the ratio from which whole blocks of pixels are averaged first, leaving at least a factor of 2 to the
// kernel: its cost grows with the ratio, that of the average does not.
const boxFrom = 4

// planeScaler scales one plane, row by row: along the row into one line of floats, then into the result rows that
// are open, which are those whose taps include this source row. It holds a handful of rows whatever the sizes are.
// With alpha, colours are multiplied by it first, so that what cannot be seen does not bleed into what can.
type planeScaler struct {
	out     plane
	alpha   bool
	source  int  // width of a source row in pixels
	height  int  // source rows
	copying bool // every result sample is one source sample
	offX    int  // where to copy from
	offY    int

	boxX, boxY int
	box        []float32 // the block row being summed
	boxRows    int

	line    []float32 // source row as floats
	across  []float32 // after the horizontal kernel
	columns []taps
	lines   []taps
	open    [][]float32
	y       int // next row of the kernel's input
	taken   int // source rows taken
	next    int // first result row not yet finished
}

// geometry places a result on a source: result sample d covers the source from d*ratio+offset.
type geometry struct {
	ratioX, ratioY   float64
	offsetX, offsetY float64
	averaged         bool // the source was reduced already
}

func newPlaneScaler(srcW, srcH int, out plane, g geometry, alpha bool) *planeScaler {
	s := &planeScaler{out: out, alpha: alpha, source: srcW, height: srcH, boxX: 1, boxY: 1}
	if g.ratioX == 1 && g.ratioY == 1 && whole(g.offsetX) && whole(g.offsetY) &&
		int(g.offsetX)+out.w <= srcW && int(g.offsetY)+out.h <= srcH {
		s.copying, s.offX, s.offY = true, int(g.offsetX), int(g.offsetY)
		return s
	}
	if g.ratioX >= boxFrom {
		s.boxX = int(g.ratioX / 2)
	}
	if g.ratioY >= boxFrom {
		s.boxY = int(g.ratioY / 2)
	}
	w, h := ceilDiv(srcW, s.boxX), ceilDiv(srcH, s.boxY)
	bx, by := float64(s.boxX), float64(s.boxY)
	k := fineKernel()
	if g.averaged || s.boxX > 1 || s.boxY > 1 {
		k = coarseKernel()
	}
	s.columns = kernelTable(w, out.w, g.ratioX/bx, g.offsetX/bx, k)
	s.lines = kernelTable(h, out.h, g.ratioY/by, g.offsetY/by, k)
	s.line = make([]float32, w*out.n)
	s.across = make([]float32, out.w*out.n)
	if s.boxX > 1 || s.boxY > 1 {
		s.box = make([]float32, w*out.n)
	}
	s.open = make([][]float32, mostOpen(s.lines))
	for i := range s.open {
		s.open[i] = make([]float32, out.w*out.n)
	}
	return s
}

func whole(v float64) bool { return v == float64(int(v)) && v >= 0 }

// mostOpen is how many result rows share a source row at most.
func mostOpen(lines []taps) int {
	most, first := 1, 0
	for i, t := range lines {
		for lines[first].start+len(lines[first].weights) <= t.start {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// push takes the next source row.
func (s *planeScaler) push(row []byte) {
	y := s.taken
	s.taken++
	if s.copying {
		if y -= s.offY; y >= 0 && y < s.out.h {
			copy(s.out.row(y), row[s.offX*s.out.n:])
		}
		return
	}
	if s.next >= s.out.h {
		return
	}
	if s.box == nil {
		s.load(row)
		s.filter()
		return
	}
	s.addBox(row)
	if s.boxRows == s.boxY || s.taken == s.height {
		s.endBox()
		s.filter()
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

// addBox adds a source row to the block row, columns summed.
func (s *planeScaler) addBox(row []byte) {
	n, step := s.out.n, s.boxX*s.out.n
	s.boxRows++
	for o, at := 0, 0; at < len(row); o, at = o+n, at+step {
		block := row[at:min(at+step, len(row))]
		scale := 1 / float32(len(block)/n)
		if s.alpha {
			addAlphaBlock(s.box[o:o+4], block, scale)
			continue
		}
		for c := range n {
			sum := 0
			for i := c; i < len(block); i += n {
				sum += int(block[i])
			}
			s.box[o+c] += float32(sum) * scale
		}
	}
}

func addAlphaBlock(box []float32, block []byte, scale float32) {
	var r, g, b, a int
	for i := 0; i+3 < len(block); i += 4 {
		v := int(block[i+3])
		r, g, b, a = r+int(block[i])*v, g+int(block[i+1])*v, b+int(block[i+2])*v, a+v
	}
	box[0] += float32(r) * scale * (1.0 / 255)
	box[1] += float32(g) * scale * (1.0 / 255)
	box[2] += float32(b) * scale * (1.0 / 255)
	box[3] += float32(a) * scale
}

func (s *planeScaler) endBox() {
	scale := 1 / float32(s.boxRows)
	for i, v := range s.box {
		s.line[i] = v * scale
		s.box[i] = 0
	}
	s.boxRows = 0
}

// filter runs s.line through the horizontal kernel and adds it to the open result rows.
func (s *planeScaler) filter() {
	y := s.y
	s.y++
	if s.next >= s.out.h || y < s.lines[s.next].start {
		return
	}
	s.horizontal()
	for d := s.next; d < s.out.h && s.lines[d].start <= y; d++ {
		t := s.lines[d]
		i := y - t.start
		if i >= len(t.weights) {
			continue
		}
		row := s.open[d%len(s.open)]
		if i == 0 {
			clear(row)
		}
		addScaled(row, s.across, t.weights[i])
		if i == len(t.weights)-1 {
			s.finish(d, row)
		}
	}
	for s.next < s.out.h && s.lines[s.next].start+len(s.lines[s.next].weights)-1 <= y {
		s.next++
	}
}

func addScaled(row, line []float32, w float32) {
	line = line[:len(row)]
	for i := range row {
		row[i] += w * line[i]
	}
}

func (s *planeScaler) horizontal() {
	switch s.out.n {
	case 1:
		for d, t := range s.columns {
			line := s.line[t.start : t.start+len(t.weights)]
			var v float32
			for i, w := range t.weights {
				v += w * line[i]
			}
			s.across[d] = v
		}
	case 3:
		for d, t := range s.columns {
			line := s.line[3*t.start : 3*(t.start+len(t.weights))]
			var r, g, b float32
			for _, w := range t.weights {
				r, g, b = r+w*line[0], g+w*line[1], b+w*line[2]
				line = line[3:]
			}
			o := s.across[3*d : 3*d+3 : 3*d+3]
			o[0], o[1], o[2] = r, g, b
		}
	case 4:
		for d, t := range s.columns {
			line := s.line[4*t.start : 4*(t.start+len(t.weights))]
			var r, g, b, a float32
			for _, w := range t.weights {
				r, g, b, a = r+w*line[0], g+w*line[1], b+w*line[2], a+w*line[3]
				line = line[4:]
			}
			o := s.across[4*d : 4*d+4 : 4*d+4]
			o[0], o[1], o[2], o[3] = r, g, b, a
		}
	}
}

// finish rounds a result row into the plane.
func (s *planeScaler) finish(y int, row []float32) {
	out := s.out.row(y)
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
		s := newPlaneScaler(p.w, p.h, q, g, c.layout == rows.RGBA)
		for y := range p.h {
			s.push(p.row(y))
		}
		out.planes = append(out.planes, q)
	}
	return out
}
