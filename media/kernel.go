package media

import "math"

// taps are the source samples one result sample is made of.
type taps struct {
	start   int // index of the first
	weights []float32
}

// kernelTable holds the taps of every result sample along one direction.
//
// A result sample d covers the source from d*ratio+offset to (d+1)*ratio+offset, measured from the left edge of
// sample 0, so that its centre, as an index, is (d+0.5)*ratio+offset-0.5. When shrinking the kernel is stretched by
// the ratio. Taps beyond an edge go to the edge sample. Weights of one result sample sum to 1.
func kernelTable(source, result int, ratio, offset float64, k kernel) []taps {
	table := make([]taps, result)
	stretch := max(ratio, 1)
	for d := range table {
		centre := (float64(d)+0.5)*ratio + offset - 0.5
		from, to := int(math.Ceil(centre-k.support*stretch)), int(math.Floor(centre+k.support*stretch))
		first, last := clampInt(from, 0, source-1), clampInt(to, 0, source-1)
		weights, sum := make([]float64, last-first+1), 0.0
		for i := from; i <= to; i++ {
			w := k.at((float64(i) - centre) / stretch)
			weights[clampInt(i, first, last)-first] += w
			sum += w
		}
		table[d] = trimmed(first, weights, sum)
	}
	return table
}

// trimmed normalises weights and drops those at the ends that are nothing.
func trimmed(first int, weights []float64, sum float64) taps {
	for len(weights) > 1 && math.Abs(weights[0]) < 1e-6 {
		weights, first = weights[1:], first+1
	}
	for len(weights) > 1 && math.Abs(weights[len(weights)-1]) < 1e-6 {
		weights = weights[:len(weights)-1]
	}
	t := taps{first, make([]float32, len(weights))}
	for i, w := range weights {
		t.weights[i] = float32(w / sum)
	}
	return t
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
