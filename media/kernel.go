package media

import "math"

// tapTable holds the source samples every result sample along one direction is made of, and their weights: n for each, a
// multiple of four, of which the last may weigh nothing.
type tapTable struct {
	n     int
	table []float32
	spans []span
}

// span is the samples with a weight: the first, and how many.
type span struct{ start, length int }

// start is the first sample of a result sample, last the last with a weight.
func (t *tapTable) start(d int) int { return t.spans[d].start }
func (t *tapTable) last(d int) int  { return t.spans[d].start + t.spans[d].length - 1 }

func (t *tapTable) weights(d int) []float32 { return t.table[d*t.n : (d+1)*t.n] }

// kernelTable makes the table of a direction.
//
// A result sample d covers the source from d*ratio+offset to (d+1)*ratio+offset, measured from the left edge of
// sample 0, so that its centre, as an index, is (d+0.5)*ratio+offset-0.5. When shrinking the kernel is stretched by
// the ratio. Taps beyond an edge go to the edge sample. Weights of one result sample sum to 1.
func kernelTable(source, result int, ratio, offset float64, k kernel) tapTable {
	stretch := max(ratio, 1)
	t := tapTable{n: (int(2*k.support*stretch) + 4) &^ 3, spans: make([]span, result)}
	t.table = make([]float32, result*t.n)
	for d := range t.spans {
		centre := (float64(d)+0.5)*ratio + offset - 0.5
		from, to := int(math.Ceil(centre-k.support*stretch)), int(math.Floor(centre+k.support*stretch))
		first, last := clampInt(from, 0, source-1), clampInt(to, 0, source-1)
		weights, sum := make([]float64, last-first+1), 0.0
		for i := from; i <= to; i++ {
			w := k.at((float64(i) - centre) / stretch)
			weights[clampInt(i, first, last)-first] += w
			sum += w
		}
		t.enter(d, first, weights, sum)
	}
	return t
}

// enter normalises the weights of a result sample and drops those at the ends that are nothing.
func (t *tapTable) enter(d, first int, weights []float64, sum float64) {
	for len(weights) > 1 && math.Abs(weights[0]) < 1e-6 {
		weights, first = weights[1:], first+1
	}
	for len(weights) > 1 && math.Abs(weights[len(weights)-1]) < 1e-6 {
		weights = weights[:len(weights)-1]
	}
	t.spans[d] = span{first, len(weights)}
	for i, w := range weights {
		t.table[d*t.n+i] = float32(w / sum)
	}
}

// along makes the result samples of a row of pixels of n samples. Behind the row there must be as many pixels as a result
// sample has taps. Where ends are given, result pixels inside a run are that pixel. Four taps at a time keep several sums
// going, because one has to wait for itself.
func (t *tapTable) along(out, row []float32, n int, ends []int32) {
	switch n {
	case 1:
		t.along1(out, row)
	case 3:
		t.along3(out, row, ends)
	case 4:
		t.along4(out, row, ends)
	}
}

func (t *tapTable) along1(out, row []float32) {
	for d := range out {
		line := row[t.spans[d].start:]
		var a, b, c, e float32
		for w := t.weights(d); len(w) >= 4 && len(line) >= 4; w, line = w[4:], line[4:] {
			w, v := (*[4]float32)(w), (*[4]float32)(line)
			a, b, c, e = a+w[0]*v[0], b+w[1]*v[1], c+w[2]*v[2], e+w[3]*v[3]
		}
		out[d] = (a + b) + (c + e)
	}
}

func (t *tapTable) along3(out, row []float32, ends []int32) {
	for d, s := range t.spans {
		line := row[3*s.start:]
		if s.inside(ends) {
			copy(out[3*d:3*d+3], line[:3])
			continue
		}
		var r, g, b, r2, g2, b2 float32
		for w := t.weights(d); len(w) >= 4 && len(line) >= 12; w, line = w[4:], line[12:] {
			w, v := (*[4]float32)(w), (*[12]float32)(line)
			r, g, b = r+w[0]*v[0], g+w[0]*v[1], b+w[0]*v[2]
			r2, g2, b2 = r2+w[1]*v[3], g2+w[1]*v[4], b2+w[1]*v[5]
			r, g, b = r+w[2]*v[6], g+w[2]*v[7], b+w[2]*v[8]
			r2, g2, b2 = r2+w[3]*v[9], g2+w[3]*v[10], b2+w[3]*v[11]
		}
		o := out[3*d : 3*d+3 : 3*d+3]
		o[0], o[1], o[2] = r+r2, g+g2, b+b2
	}
}

func (t *tapTable) along4(out, row []float32, ends []int32) {
	for d, s := range t.spans {
		line := row[4*s.start:]
		if s.inside(ends) {
			copy(out[4*d:4*d+4], line[:4])
			continue
		}
		var r, g, b, a, r2, g2, b2, a2 float32
		for w := t.weights(d); len(w) >= 2 && len(line) >= 8; w, line = w[2:], line[8:] {
			w, v := (*[2]float32)(w), (*[8]float32)(line)
			r, g, b, a = r+w[0]*v[0], g+w[0]*v[1], b+w[0]*v[2], a+w[0]*v[3]
			r2, g2, b2, a2 = r2+w[1]*v[4], g2+w[1]*v[5], b2+w[1]*v[6], a2+w[1]*v[7]
		}
		o := out[4*d : 4*d+4 : 4*d+4]
		o[0], o[1], o[2], o[3] = r+r2, g+g2, b+b2, a+a2
	}
}

// kernel weighs source samples by their distance from a result sample, which is nothing from support on.
type kernel struct {
	support float64
	at      func(x float64) float64
}

// Both kernels filter values as they are stored, not in linear light, which reads no better and takes twice as long.
//
// fineKernel is for pictures that keep more than a quarter of their side, where text of 11 to 14 px may still be read: it
// loses a tenth fewer of such characters. coarseKernel is for the rest, which was averaged first, at two thirds of the time.
func fineKernel() kernel   { return kernel{3, lanczos3} }
func coarseKernel() kernel { return kernel{2, catmullRom} }

// lanczos3 is the windowed sinc of three lobes, 0 outside -3 to 3.
func lanczos3(x float64) float64 {
	switch x = math.Abs(x) * math.Pi; {
	case x < 1e-9:
		return 1
	case x < 3*math.Pi:
		return 3 * math.Sin(x) * math.Sin(x/3) / (x * x)
	}
	return 0
}

// catmullRom is the cubic with B=0 and C=1/2, 0 outside -2 to 2.
func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

func clampInt(v, low, high int) int { return min(max(v, low), high) }
