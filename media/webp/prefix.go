package webp

import (
	"errors"
	"math/bits"
)

// Prefix codes are looked up eight bits at a time. An entry is 16 bits: a symbol, or where a second table begins, in
// the upper twelve, and in the lower four how many bits it takes. More than eight bits there mean a second table,
// which is indexed by the bits beyond the eighth. The longest table a code of 2328 symbols needs has 2704 entries, so
// that twelve bits hold every offset.
const (
	rootBits   = 8
	longest    = 15 // bits of a code
	tableLimit = 1 << 12
)

// code is one prefix code. A code of a single symbol takes no bits.
type code struct {
	entries []uint16
	mask    uint32 // of the bits that index the first table
}

// symbol reads a symbol; at least 15 bits must be ready.
func (c *code) symbol(b *bitReader) uint32 {
	e := c.entries[uint32(b.value)&c.mask]
	if e&15 > rootBits {
		b.value >>= rootBits
		b.n -= rootBits
		e = c.entries[uint32(e>>4)+uint32(b.value)&(1<<(e&15-rootBits)-1)]
	}
	b.value >>= e & 15
	b.n -= uint(e & 15)
	return uint32(e >> 4)
}

// single reports whether the code has one symbol, and which.
func (c *code) single() (symbol uint32, ok bool) {
	return uint32(c.entries[0] >> 4), c.mask == 0
}

var errCode = errors.New("a prefix code is damaged")

// codeBuilder makes codes from the lengths of their symbols. Tables are cut from larger pieces of memory, which count
// against the budget.
type codeBuilder struct {
	memory *budget
	free   []uint16
	table  [tableLimit]uint16 // under construction
	sorted [2328]uint16
}

// budget is memory that may still be taken, in bytes.
type budget int64

func (b *budget) take(n int64) error {
	if *b -= budget(n); *b < 0 {
		return errors.New("the picture is coded so that it needs too much memory")
	}
	return nil
}

// keep copies the first n entries of the table under construction.
func (c *codeBuilder) keep(n int) ([]uint16, error) {
	if len(c.free) < n {
		size := max(n, arenaEntries)
		if int64(*c.memory) < 2*int64(size) {
			size = n
		}
		if err := c.memory.take(2 * int64(size)); err != nil {
			return nil, err
		}
		c.free = make([]uint16, size)
	}
	kept := c.free[:n:n]
	c.free = c.free[n:]
	copy(kept, c.table[:n])
	return kept, nil
}

// one is the code of a single symbol.
func (c *codeBuilder) one(symbol int) (code, error) {
	c.table[0] = uint16(symbol) << 4
	kept, err := c.keep(1)
	return code{entries: kept}, err
}

// counts are how many symbols have each length.
type counts [longest + 1]int

// check reports whether the lengths are those of a complete code; a single symbol of any length is one too.
func (n *counts) check() error {
	room, symbols := 1<<longest, 0
	for l := 1; l <= longest; l++ {
		symbols += n[l]
		room -= n[l] << (longest - l)
	}
	if symbols == 1 || symbols > 1 && room == 0 {
		return nil
	}
	return errCode
}

func countLengths(lengths []uint8) (n counts, err error) {
	for _, l := range lengths {
		n[l]++
	}
	n[0] = 0
	return n, n.check()
}

// build makes the code whose symbols have these lengths and keeps it.
func (c *codeBuilder) build(lengths []uint8) (code, error) {
	made, err := c.scratch(lengths)
	if err == nil {
		made.entries, err = c.keep(len(made.entries))
	}
	return made, err
}

// fill writes the tables of a code of two symbols or more: how many entries they have, and the bits of the first.
func (c *codeBuilder) fill(sorted []uint16, most int, n *counts) (used, root int, err error) {
	root = min(most, rootBits)
	used = 1 << root
	sub, subBits, low := 0, 0, -1
	key := uint(0) // the code, its first bit lowest
	for l, i := 1, 0; l <= most; l++ {
		for left := n[l]; left > 0; left, i = left-1, i+1 {
			entry := sorted[i] << 4
			if l <= root {
				spread(c.table[:1<<root], key, l, entry|uint16(l))
			} else {
				if at := int(key & (1<<root - 1)); at != low {
					low, sub, subBits = at, used, secondBits(n, l, left)
					used += 1 << subBits
					if used > tableLimit {
						return 0, 0, errCode
					}
					c.table[low] = uint16(sub<<4 | rootBits + subBits)
				}
				spread(c.table[sub:sub+1<<subBits], key>>root, l-root, entry|uint16(l-root))
			}
			key = nextKey(key, l)
		}
	}
	return used, root, nil
}

// scratch makes the code whose symbols have these lengths; it is good until the next one is made. Codes go up with
// length, then with symbol.
func (c *codeBuilder) scratch(lengths []uint8) (code, error) {
	n, err := countLengths(lengths)
	if err != nil {
		return code{}, err
	}
	sorted, most := c.sort(lengths, &n)
	if len(sorted) == 1 {
		c.table[0] = sorted[0] << 4
		return code{entries: c.table[:1]}, nil
	}
	used, root, err := c.fill(sorted, most, &n)
	return code{c.table[:used], 1<<root - 1}, err
}

// sort lists the symbols by length and says which length is the longest.
func (c *codeBuilder) sort(lengths []uint8, n *counts) (sorted []uint16, most int) {
	var next [longest + 1]int
	total := 0
	for l := 1; l <= longest; l++ {
		next[l] = total
		total += n[l]
		if n[l] > 0 {
			most = l
		}
	}
	for symbol, l := range lengths {
		if l > 0 {
			c.sorted[next[l]] = uint16(symbol)
			next[l]++
		}
	}
	return c.sorted[:total], most
}

// spread writes an entry wherever the lowest l bits of the index are the key.
func spread(table []uint16, key uint, l int, entry uint16) {
	for at := int(key); at < len(table); at += 1 << l {
		table[at] = entry
	}
}

// nextKey counts up in a code of l bits whose first bit is the lowest.
func nextKey(key uint, l int) uint {
	rev := bits.Reverse64(uint64(key)) >> (64 - l)
	return uint(bits.Reverse64((rev+1)&(1<<l-1)) >> (64 - l))
}

// secondBits is how many bits index the second table that begins with a code of l bits, of which left are still to
// come.
func secondBits(n *counts, l, left int) int {
	for room := 1 << (l - rootBits); l < longest; left = n[l] {
		if room -= left; room <= 0 {
			break
		}
		l, room = l+1, room*2
	}
	return l - rootBits
}
