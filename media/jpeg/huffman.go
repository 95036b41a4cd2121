package jpeg

import "errors"

// code is a Huffman table as a file gives it: how many codes there are of each length, and what they mean in order.
type code struct {
	counts [17]byte // from 1 bit on
	values [256]byte
}

// table is a code ready for reading. An entry of fast, and what slow returns, is a word: the bits to be dropped in its
// low 6 bits, then 4 bits with the number of value bits still to be read, then 4 bits with the run; the upper half is
// the value itself, where the looked-up bits held all of it. Zero means that the code is longer than fastBits.
type table struct {
	fast    [1 << fastBits]uint32
	largest [17]int32 // the largest code of a length, or -1
	shift   [17]int32 // from a code of a length to its index in values
	values  [256]byte
}

const (
	sizeShift = 6
	runShift  = 10
)

// newTable numbers the codes, T.81 C.2. Codes of DC differences may only mean a number of bits.
func newTable(c *code, dc bool) (*table, error) {
	t := &table{values: c.values}
	next, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		n := int32(c.counts[length])
		t.shift[length] = index - next
		t.largest[length] = -1
		if next+n > 1<<length {
			return nil, errors.New("a Huffman table has more codes than bits allow")
		}
		for range n {
			symbol := c.values[index]
			if dc && symbol > 15 {
				return nil, errors.New("a Huffman table means nothing for DC differences")
			}
			if length <= fastBits {
				t.enter(next, length, symbol)
			}
			t.largest[length] = next
			next++
			index++
		}
		next <<= 1
	}
	return t, nil
}

// enter fills the words of all bit patterns that begin with a code.
func (t *table) enter(bits int32, length int, symbol byte) {
	spare := fastBits - length
	size := int(symbol & 15)
	first := int(bits) << spare
	for i := range 1 << spare {
		if size == 0 || size > spare {
			t.fast[first+i] = word(length, symbol)
			continue
		}
		v := extend(uint32(i>>(spare-size)), uint32(size))
		t.fast[first+i] = uint32(v)<<16 | uint32(symbol>>4)<<runShift | uint32(length+size)
	}
}

func word(length int, symbol byte) uint32 {
	return uint32(symbol>>4)<<runShift | uint32(symbol&15)<<sizeShift | uint32(length)
}

// slow reads a code longer than fastBits from the upper end of acc. Bits that are no code read as a zero symbol, which
// ends a block.
func (t *table) slow(acc uint64, bad *bool) uint32 {
	for length := fastBits + 1; length <= 16; length++ {
		c := int32(acc >> (64 - length))
		if c <= t.largest[length] {
			return word(length, t.values[(c+t.shift[length])&255])
		}
	}
	*bad = true
	return 16
}

// extend turns the size low bits of v into the signed value they stand for, T.81 F.2.2.1.
func extend(v, size uint32) int32 {
	if v < 1<<(size-1) {
		return int32(v) - 1<<size + 1
	}
	return int32(v)
}

// defaultCodes puts the tables of T.81 Annex K in place: frames of Motion JPEG count on them.
func (d *decoder) defaultCodes() {
	for slot, s := range typicalCodes() {
		c := new(code)
		copy(c.counts[1:], s.counts)
		copy(c.values[:], s.values)
		d.huffman[slot/2][slot%2] = c
	}
}
