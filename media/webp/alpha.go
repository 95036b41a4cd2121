package webp

import (
	"context"
	"fmt"
	"io"
)

// alphaSource gives rows of alpha, each good until the next.
type alphaSource interface {
	next() ([]uint8, error)
}

// How alpha is stored (RFC 9649, section 2.7.1.2).
const (
	alphaRaw      = 0
	alphaLossless = 1

	filterNone       = 0
	filterHorizontal = 1
	filterVertical   = 2
	filterGradient   = 3
)

// openAlpha opens the alpha of a lossy frame.
func openAlpha(ctx context.Context, f *frame) (alphaSource, error) {
	b, err := f.alpha.head(1)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	var stored alphaSource
	data := f.alpha.from(1)
	switch b[0] & 3 {
	case alphaRaw:
		stored = &rawAlpha{newInput(data), make([]uint8, f.size.X)}
	case alphaLossless:
		d, err := openLossless(ctx, data, f.size.X, f.size.Y)
		if err != nil {
			return nil, cut(0, f.size.Y, err)
		}
		stored = &greenAlpha{d, make([]uint8, f.size.X)}
	default:
		return nil, fmt.Errorf("its transparency is compressed in a way (%d) that is not known", b[0]&3)
	}
	if kind := b[0] >> 2 & 3; kind != filterNone {
		return &filteredAlpha{stored: stored, kind: kind, above: make([]uint8, f.size.X), first: true}, nil
	}
	return stored, nil
}

// rawAlpha is alpha stored as it is.
type rawAlpha struct {
	in  input
	row []uint8
}

func (a *rawAlpha) next() ([]uint8, error) {
	for n := 0; n < len(a.row); {
		if a.in.pos == len(a.in.data) && !a.in.refill() {
			if a.in.err != nil {
				return nil, a.in.err
			}
			return nil, io.ErrUnexpectedEOF
		}
		k := copy(a.row[n:], a.in.data[a.in.pos:])
		a.in.pos += k
		n += k
	}
	return a.row, nil
}

// greenAlpha is alpha in the green of a lossless stream.
type greenAlpha struct {
	d   *lossless
	row []uint8
}

func (a *greenAlpha) next() ([]uint8, error) {
	pixels, err := a.d.next()
	for i, p := range pixels {
		a.row[i] = uint8(p >> 8)
	}
	return a.row, err
}

// filteredAlpha adds what the neighbours predict.
type filteredAlpha struct {
	stored alphaSource
	kind   uint8
	above  []uint8
	first  bool
}

func (a *filteredAlpha) next() ([]uint8, error) {
	row, err := a.stored.next()
	if err != nil {
		return nil, err
	}
	switch {
	case a.first:
		sumUp(row, 0)
	case a.kind == filterHorizontal:
		sumUp(row, a.above[0])
	case a.kind == filterVertical:
		for i, v := range a.above {
			row[i] += v
		}
	case a.kind == filterGradient:
		row[0] += a.above[0]
		for i := 1; i < len(row); i++ {
			row[i] += clamp(int32(row[i-1]) + int32(a.above[i]) - int32(a.above[i-1]))
		}
	}
	a.first = false
	copy(a.above, row)
	return row, nil
}

// sumUp adds to each value the one before it.
func sumUp(row []uint8, before uint8) {
	for i := range row {
		row[i] += before
		before = row[i]
	}
}
