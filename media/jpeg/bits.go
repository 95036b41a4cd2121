package jpeg

import "encoding/binary"

// bitReader reads entropy-coded data. The next bit is the highest of acc.
type bitReader struct {
	input
	acc     uint64
	n       uint // bits of acc that were read from the file, and pad behind them
	pad     uint // zero bits that stand for data that is not there
	stopped bool // a marker or the end of the file was met
}

// short reports that more bits were used than there were.
func (b *bitReader) short() bool { return b.n < b.pad }

// refill holds at least minBits bits afterwards.
func (b *bitReader) refill() {
	if b.pos+8 <= len(b.buf) {
		w := binary.BigEndian.Uint64(b.buf[b.pos:])
		// Without a byte of 0xff there is neither stuffing nor a marker: whole bytes go in at once. Bits of a byte
		// that fits in only partly are the same again when it is read next.
		if x := ^w; (x-0x0101010101010101)&^x&0x8080808080808080 == 0 {
			b.acc |= w >> (b.n & 63)
			whole := (63 - b.n) >> 3
			b.pos += int(whole)
			b.n += whole << 3
			return
		}
	}
	b.refillSlowly()
}

func (b *bitReader) refillSlowly() {
	for b.n <= 55 {
		c, ok := b.data()
		if !ok {
			b.pad += 63 - b.n
			b.n = 63
			return
		}
		b.acc |= uint64(c) << (56 - b.n)
		b.n += 8
	}
}

// data is the next byte of data. At a marker it stops, with pos at the marker's 0xff.
func (b *bitReader) data() (byte, bool) {
	if b.stopped || !b.have(1) {
		b.stopped = true
		return 0, false
	}
	if c := b.buf[b.pos]; c != 0xff {
		b.pos++
		return c, true
	}
	for b.have(2) && b.buf[b.pos+1] == 0xff {
		b.pos++
	}
	if b.have(2) && b.buf[b.pos+1] == 0 {
		b.pos += 2
		return 0xff, true
	}
	b.stopped = true
	return 0, false
}

// take reads size bits, 1 to 16.
func (b *bitReader) take(size uint) uint32 {
	if b.n < minBits {
		b.refill()
	}
	v := uint32(b.acc >> ((64 - size) & 63))
	b.acc <<= size & 63
	b.n -= size
	return v
}

// symbol reads a code, without its value bits unless they were looked up with it, and returns the table's word.
func (b *bitReader) symbol(t *table, bad *bool) uint32 {
	if b.n < minBits {
		b.refill()
	}
	e := t.fast[b.acc>>(64-fastBits)]
	if e == 0 {
		e = t.slow(b.acc, bad)
	}
	b.acc <<= e & 63
	b.n -= uint(e & 63)
	return e
}

// value is the value of a word, reading its bits where they were not looked up.
func (b *bitReader) value(e uint32) int32 {
	size := uint(e >> sizeShift & 15)
	if size == 0 {
		return int32(e) >> 16
	}
	return extend(b.take(size), uint32(size))
}

// restart begins again behind a marker at pos.
func (b *bitReader) restart() { b.acc, b.n, b.pad, b.stopped = 0, 0, 0, false }
