package gif

const (
	mostCodes = 1 << 12 // codes have 12 bits at most, GIF89a appendix F
	none      = -1
)

// unpacker turns the data blocks of a frame into colour indices. A code stands for a string of them: that of another
// code and one more.
type unpacker struct {
	blocks
	acc      uint32
	n        uint // bits in acc
	codeSize int  // bits of an index
	width    uint // bits of a code
	next     int  // the code that the next new string gets
	last     int  // the code before, or none
	any      bool // there was a string
	ended    bool // by the end code, the end of the data, or a code that cannot be

	before [mostCodes]uint16 // the code of all but the last index
	index  [mostCodes]byte   // the last index
	first  [mostCodes]byte
	length [mostCodes]uint16
	spill  [mostCodes]byte // a string that did not fit the caller's row
	left   []byte          // what of it is not yet handed out
}

func newUnpacker(b blocks, codeSize int) *unpacker {
	u := &unpacker{blocks: b, codeSize: codeSize}
	for i := range 1 << codeSize {
		u.index[i], u.first[i], u.length[i] = byte(i), byte(i), 1
	}
	u.reset()
	return u
}

// reset forgets all strings but the single indices.
func (u *unpacker) reset() {
	u.width, u.next, u.last = uint(u.codeSize)+1, 1<<u.codeSize+2, none
}

// read fills p as far as there is data, and returns how far.
func (u *unpacker) read(p []byte) int {
	at := copy(p, u.left)
	u.left = u.left[at:]
	for at < len(p) {
		code, ok := u.code()
		if !ok {
			return at
		}
		n := int(u.length[code])
		if at+n <= len(p) {
			u.write(p[at:at+n], code)
			at += n
			continue
		}
		u.write(u.spill[:n], code)
		part := copy(p[at:], u.spill[:n])
		u.left = u.spill[part:n]
		return at + part
	}
	return at
}

// skip passes over n indices, as far as there is data.
func (u *unpacker) skip(n int) {
	part := min(n, len(u.left))
	u.left = u.left[part:]
	for n -= part; n > 0; {
		code, ok := u.code()
		if !ok {
			return
		}
		length := int(u.length[code])
		if length > n {
			u.write(u.spill[:length], code)
			u.left = u.spill[n:length]
			return
		}
		n -= length
	}
}

// write puts the string of a code, which is as long as p, in its place from the end.
func (u *unpacker) write(p []byte, code int) {
	for i := len(p) - 1; i >= 0; i-- {
		p[i] = u.index[code&(mostCodes-1)]
		code = int(u.before[code&(mostCodes-1)])
	}
}

// code reads the next code that stands for a string, and adds the string that it completes.
func (u *unpacker) code() (int, bool) {
	for !u.ended {
		for u.n < u.width {
			b, ok := u.byte()
			if !ok {
				u.ended = true
				return 0, false
			}
			u.acc |= uint32(b) << u.n
			u.n += 8
		}
		code := int(u.acc & (1<<u.width - 1))
		u.acc >>= u.width
		u.n -= u.width
		switch stop := 1<<u.codeSize + 1; {
		case code == stop-1:
			u.reset()
			continue
		case code == stop, code > u.next, code == u.next && (u.last == none || u.next == mostCodes), u.last == none && code > stop:
			u.ended = true
			return 0, false
		}
		u.add(code)
		u.last, u.any = code, true
		if u.next >= 1<<u.width && u.width < 12 {
			u.width++
		}
		return code, true
	}
	return 0, false
}

// add gives the string of the last code and the first index of this one the next code. A code may be used in the very
// step that makes it.
func (u *unpacker) add(code int) {
	if u.last == none || u.next == mostCodes {
		return
	}
	first := u.first[u.last]
	if code != u.next {
		first = u.first[code]
	}
	u.before[u.next], u.index[u.next] = uint16(u.last), first
	u.first[u.next], u.length[u.next] = u.first[u.last], u.length[u.last]+1
	u.next++
}

// blocks reads the data of consecutive data blocks.
type blocks struct {
	input
	buf  []byte // what is loaded; its capacity is the buffer
	pos  int
	left int // bytes of the current block
}

// byte is the next byte of data; there is none behind the empty block, or at the end of the file.
func (b *blocks) byte() (byte, bool) {
	if b.left == 0 {
		n, ok := b.raw()
		if !ok || n == 0 {
			b.size = 0 // nothing more is read
			b.buf = b.buf[:b.pos]
			return 0, false
		}
		b.left = int(n)
	}
	b.left--
	return b.raw()
}

func (b *blocks) raw() (byte, bool) {
	if b.pos == len(b.buf) && !b.load() {
		return 0, false
	}
	c := b.buf[b.pos]
	b.pos++
	return c, true
}

func (b *blocks) load() bool {
	n := min(int64(cap(b.buf)), b.size-b.off)
	if n <= 0 {
		return false
	}
	b.buf, b.pos = b.buf[:n], 0
	if b.read(b.buf) {
		return true
	}
	b.buf, b.size = b.buf[:0], 0 // the file is shorter than it was said to be
	return false
}
