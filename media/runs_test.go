package media

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"
)

// The scaler is made to forget what it knows of the row before, so that every result pixel is worked out.
func TestRunsAndEqualRowsChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, n := range []int{3, 4} {
		const w, h = 200, 90
		rowsOf := make([][]byte, h)
		for y := range rowsOf {
			if y > 0 && r.IntN(3) > 0 {
				rowsOf[y] = rowsOf[y-1]
				continue
			}
			row := make([]byte, 0, w*n)
			for len(row) < w*n {
				pixel := []byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256)), 255}[:n]
				row = append(row, bytes.Repeat(pixel, min(1+r.IntN(40), w-len(row)/n))...)
			}
			rowsOf[y] = row
		}
		g := geometry{ratioX: 1.7, ratioY: 1.9}
		size := image.Pt(int(w/g.ratioX), int(h/g.ratioY))
		scale := func(forget bool) plane {
			out := newPlane(size.X, size.Y, n)
			s := newPlaneScaler(w, h, target{plane: out}, g, n == 4)
			for _, row := range rowsOf {
				if forget {
					s.before, s.runs.worth = nil, false
				}
				s.push(row)
			}
			return out
		}
		known := scale(false).pix
		for i, v := range scale(true).pix {
			got := known[i]
			if d := int(v) - int(got); d < -1 || d > 1 {
				t.Fatalf("%d samples: sample %d is %d, without runs %d", n, i, got, v)
			}
		}
	}
}

func TestRunsEndWhereAPixelDiffers(t *testing.T) {
	for n, row := range map[int][]byte{3: {1, 2, 3, 1, 2, 3, 1, 2, 4, 0, 0, 0, 0, 0, 0}, 4: {1, 2, 3, 9, 1, 2, 3, 9, 1, 2, 3, 8, 0, 0, 0, 0, 0, 0, 0, 0}} {
		var r runs
		r.find(row, n, 0)
		if len(r.ends) != 5 || r.ends[0] != 2 || r.ends[1] != 2 || r.ends[2] != 3 || r.ends[3] != 5 || r.ends[4] != 5 {
			t.Errorf("%d samples: runs end at %v", n, r.ends)
		}
		if !(span{0, 2}).inside(r.ends) || (span{1, 2}).inside(r.ends) || !(span{3, 2}).inside(r.ends) {
			t.Errorf("%d samples: what is inside a run is told wrong", n)
		}
		noise := make([]byte, 40*n)
		for i := range noise {
			noise[i] = byte(i * 7)
		}
		if r.find(noise, n, 16); r.ends != nil {
			t.Errorf("%d samples: runs are found in noise", n)
		}
		if r.find(row, n, 17); r.ends != nil {
			t.Errorf("%d samples: behind noise runs are looked for in every row", n)
		}
		if r.find(row, n, 32); r.ends == nil {
			t.Errorf("%d samples: behind noise runs are never looked for again", n)
		}
	}
}
