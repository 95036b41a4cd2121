package webp

import (
	"encoding/binary"
	"io"
)

// input reads a section in pieces.
type input struct {
	rest section
	buf  []byte // of inputBytes, or of the whole section
	data []byte // what is in buf
	pos  int    // of the next byte in data
	err  error  // of the source, other than its end
}

func newInput(s section) input {
	return input{rest: s, buf: make([]byte, min(inputBytes, max(s.length, 1)))}
}

// refill reads the next piece once the last was used up, and reports whether there is one.
func (in *input) refill() bool {
	if in.err != nil || in.rest.length <= 0 {
		return false
	}
	want := min(int64(len(in.buf)), in.rest.length)
	n, err := in.rest.r.ReadAt(in.buf[:want], in.rest.off)
	if err != nil && err != io.EOF {
		in.err = err
	}
	if n == 0 {
		in.rest.length = 0
	}
	in.rest = in.rest.from(int64(n))
	in.data, in.pos = in.buf[:n], 0
	return n > 0
}

// bitReader reads bits, the lowest of each byte first. Behind the end it reads zeros and keeps count of them, so that
// the caller looks at overrun once a row and not at each symbol.
type bitReader struct {
	in    input
	value uint64 // the next bits; those from n on, too, are what follows or zero
	n     uint
	short uint // zero bits added behind the end
}

// fill makes at least 56 bits ready.
func (b *bitReader) fill() {
	if in := &b.in; len(in.data)-in.pos >= 8 {
		b.value |= binary.LittleEndian.Uint64(in.data[in.pos:]) << b.n
		in.pos += int((63 - b.n) >> 3)
		b.n |= 56
		return
	}
	b.fillSlow()
}

// fillSlow is fill at the end of a piece, byte by byte.
func (b *bitReader) fillSlow() {
	for in := &b.in; b.n < 56; b.n += 8 {
		if in.pos == len(in.data) && !in.refill() {
			b.short += 8
			continue
		}
		b.value |= uint64(in.data[in.pos]) << b.n
		in.pos++
	}
}

// read returns the next k bits; k is at most 32.
func (b *bitReader) read(k uint) uint32 {
	if b.n < k {
		b.fill()
	}
	v := uint32(b.value & (1<<k - 1))
	b.value >>= k
	b.n -= k
	return v
}

// overrun is an error where more was read than there is.
func (b *bitReader) overrun() error {
	if b.in.err != nil {
		return b.in.err
	}
	if b.short > b.n {
		return io.ErrUnexpectedEOF
	}
	return nil
}
