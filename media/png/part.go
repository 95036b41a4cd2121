package png

import (
	"context"
	"hash"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// part is some rows of a picture on their way into the picture data, deflated on their own. Those from the top go out as
// they come; others wait for them.
type part struct {
	e      *encoder
	first  bool
	budget *atomic.Int64 // bytes that all parts may still take
	sum    hash.Hash32   // of the filtered rows
	data   []byte        // of the IDAT chunk being filled
	pieces [][]byte      // data of whole chunks that wait
	err    error
}

// deflate filters and deflates the rows from one to before another. What is not the last part ends at a whole byte.
func (p *part) deflate(ctx context.Context, from, to, size int) error {
	z, err := flate.NewWriter(p, level)
	if err != nil {
		return err
	}
	if p.first {
		p.data = append(p.data, 0x78, 0x5e) // RFC 1950: deflate with a window of 32 KiB
	}
	f := newFilters(size, p.e.bpp)
	if from > 0 {
		p.e.pack(p.e, f.row(), p.e.p.Row(from-1))
	}
	for y := from; y < to; y++ {
		if y%ctxRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.e.pack(p.e, f.row(), p.e.p.Row(y))
		row := f.best(p.e.form.Filtered)
		p.sum.Write(row)
		if _, err := z.Write(row); err != nil {
			return err
		}
	}
	if to < p.e.p.Height {
		return z.Flush()
	}
	return z.Close()
}

// Write takes deflated bytes and cuts them into chunks.
func (p *part) Write(b []byte) (int, error) {
	if p.budget.Add(-int64(len(b))) < 0 {
		return 0, ErrOver
	}
	p.data = append(p.data, b...)
	if len(p.data) < dataBytes {
		return len(b), nil
	}
	if !p.first {
		p.pieces = append(p.pieces, p.data)
		p.data = make([]byte, 0, len(p.data))
		return len(b), nil
	}
	e := p.e
	if e.out.Len()+2*len(p.data) > e.out.Cap() && e.out.Cap() >= growth && e.limit <= mostGrown {
		e.out.Grow(int(e.limit) - e.out.Len())
	}
	e.chunk("IDAT", p.data)
	p.data = p.data[:0]
	return len(b), nil
}

// adlerJoined is the checksum of RFC 1950 of one run of bytes and another behind it, by the sums of both and the second
// one's length.
func adlerJoined(first, second uint32, length int64) uint32 {
	const mod = 65521
	a1, b1, a2, b2 := int64(first&0xffff), int64(first>>16), int64(second&0xffff), int64(second>>16)
	n := length % mod
	a := (a1 + a2 + mod - 1) % mod
	b := (b1 + b2 + n*a1 + mod - n) % mod
	return uint32(b<<16 | a)
}
