package media

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBlocksAreAveragedWhateverTheirSizeAndTheWidthOfTheRow(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{1, 3, 4} {
		for _, size := range [][2]int{{2, 2}, {2, 1}, {1, 2}, {3, 2}, {5, 4}} {
			for _, width := range []int{1, 2, 7, 8, 16, 17, 33} {
				x, y := size[0], size[1]
				rows := make([][]byte, y)
				b := newBoxes(width, x, y, n, n == 4)
				for i := range rows {
					rows[i] = make([]byte, width*n)
					for k := range rows[i] {
						rows[i][k] = byte(r.Uint32())
					}
					b.add(rows[i])
				}
				got := make([]float32, ceilDiv(width, x)*n)
				b.end(got)
				for i, v := range got {
					if want := average(rows, i/n*x, min(i/n*x+x, width), i%n, n); math.Abs(float64(v)-want) > 1e-3 {
						t.Fatalf("%d samples, blocks of %dx%d, %d wide: sample %d is %v, want %v", n, x, y, width, i, v, want)
					}
				}
			}
		}
	}
}

// average is that of one sample of the pixels of some columns; with four samples colours are multiplied by the last.
func average(rows [][]byte, from, to, c, n int) float64 {
	sum := 0.0
	for _, row := range rows {
		for x := from; x < to; x++ {
			v := float64(row[x*n+c])
			if n == 4 && c < 3 {
				v *= float64(row[x*n+3]) / 255
			}
			sum += v
		}
	}
	return sum / float64(len(rows)*(to-from))
}
