package webp

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// coder is the state of an arithmetic decoder (RFC 6386, section 7): the next n+8 bits of the stream, less what was
// decided, and the range they lie in. It is passed by value, so that it stays in registers where it matters.
//
// A decision needs n to be at least 0 and takes at most 7 off it: after load there are decisions enough for three.
type coder struct {
	value uint64
	span  uint32
	n     int
}

// enough is what n must be for three decisions in a row.
const enough = 14

// split is the part of the range that stands for a 0, which has a probability of p in 256.
func (c coder) split(p uint8) uint32 { return 1 + (c.span-1)*uint32(p)>>8 }

// above reports whether the bit is 1.
func (c coder) above(split uint32) bool { return c.value >= uint64(split)<<uint(c.n) }

// zero is the state behind a 0.
func (c coder) zero(split uint32) coder {
	s := bits.LeadingZeros8(uint8(split))
	return coder{c.value, split << uint(s), c.n - s}
}

// one is the state behind a 1.
func (c coder) one(split uint32) coder {
	rest := c.span - split
	s := bits.LeadingZeros8(uint8(rest))
	return coder{c.value - uint64(split)<<uint(c.n), rest << uint(s), c.n - s}
}

// next decides one bit without a branch, for bits that nothing is known of.
func (c coder) next(p uint8) (coder, uint32) {
	split := 1 + (c.span-1)*uint32(p)>>8
	at := uint64(split) << uint(c.n)
	below := int64(c.value-at) >> 63 // all ones for a 0
	split += (c.span - 2*split) &^ uint32(below)
	s := bits.LeadingZeros8(uint8(split))
	return coder{c.value - at&^uint64(below), split << uint(s), c.n - s}, uint32(below + 1)
}

// boolReader decodes one partition. Behind its end it reads zeros and keeps count of them.
type boolReader struct {
	coder
	in    input
	short int // zero bits added behind the end
}

func newBoolReader(s section) boolReader {
	return boolReader{coder: coder{span: 255, n: -8}, in: newInput(s)}
}

// load adds 32 bits to a state of fewer than enough.
func (b *boolReader) load(c coder) coder {
	if in := &b.in; len(in.data)-in.pos >= 4 {
		c.value = c.value<<32 | uint64(binary.BigEndian.Uint32(in.data[in.pos:]))
		in.pos += 4
		c.n += 32
		return c
	}
	return b.loadSlow(c)
}

// loadSlow is load at the end of a piece, byte by byte.
func (b *boolReader) loadSlow(c coder) coder {
	for range 4 {
		c.value <<= 8
		c.n += 8
		if in := &b.in; in.pos < len(in.data) || in.refill() {
			c.value |= uint64(in.data[in.pos])
			in.pos++
		} else {
			b.short += 8
		}
	}
	return c
}

// bit decides one bit.
func (b *boolReader) bit(p uint8) uint32 {
	if b.n < 0 {
		b.coder = b.load(b.coder)
	}
	split := b.split(p)
	if b.above(split) {
		b.coder = b.one(split)
		return 1
	}
	b.coder = b.zero(split)
	return 0
}

// even is one half, the probability of plain bits.
const even = 128

func (b *boolReader) flag() bool { return b.bit(even) != 0 }

// read returns a number of k bits, the highest first.
func (b *boolReader) read(k int) int {
	v := 0
	for range k {
		v = v<<1 | int(b.bit(even))
	}
	return v
}

// signed returns a number of k bits with its sign behind it.
func (b *boolReader) signed(k int) int {
	v := b.read(k)
	if b.flag() {
		return -v
	}
	return v
}

// optional is signed where a flag says that the number is there, else 0.
func (b *boolReader) optional(k int) int {
	if !b.flag() {
		return 0
	}
	return b.signed(k)
}

// overrun is an error where more was read than there is.
func (b *boolReader) overrun() error {
	if b.in.err != nil {
		return b.in.err
	}
	if b.short > b.n+slackBits {
		return io.ErrUnexpectedEOF
	}
	return nil
}
