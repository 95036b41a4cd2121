package jpeg

import (
	"bytes"
	"io"
)

// input is a file seen through a buffer that moves forward.
type input struct {
	r    io.ReaderAt
	size int64
	base int64  // offset of buf[0] in the file
	buf  []byte // what is loaded; its capacity is the buffer
	pos  int    // of the next byte in buf
	err  error  // of the reader, other than its end
}

func newInput(r io.ReaderAt, size, offset int64, capacity int) input {
	return input{r: r, size: size, base: offset, buf: make([]byte, 0, capacity)}
}

func (in *input) offset() int64 { return in.base + int64(in.pos) }

// have makes n bytes available at pos, or reports that the file ends before. n is at most the buffer's capacity.
func (in *input) have(n int) bool { return len(in.buf)-in.pos >= n || in.load(n) }

func (in *input) load(n int) bool {
	rest := copy(in.buf[:cap(in.buf)], in.buf[in.pos:])
	in.base += int64(in.pos)
	in.pos = 0
	in.buf = in.buf[:rest]
	for len(in.buf) < n {
		at := in.base + int64(len(in.buf))
		space := in.buf[len(in.buf):min(int64(cap(in.buf)), int64(len(in.buf))+max(in.size-at, 0))]
		if len(space) == 0 || in.err != nil {
			return false
		}
		m, err := in.r.ReadAt(space, at)
		in.buf = in.buf[:len(in.buf)+m]
		if m < len(space) {
			in.size = at + int64(m) // the file is shorter than it was said to be
			if err != nil && err != io.EOF {
				in.err = err
			}
		}
	}
	return true
}

// seek moves to an offset of the file.
func (in *input) seek(offset int64) {
	if d := offset - in.base; d >= 0 && d <= int64(len(in.buf)) {
		in.pos = int(d)
		return
	}
	in.base, in.pos, in.buf = offset, 0, in.buf[:0]
}

// next moves to the next marker, leaving pos at its 0xff, and returns it with the number of bytes passed over that are
// not fill bytes.
func (in *input) next() (mark byte, stray int, ok bool) {
	for in.have(2) {
		if in.buf[in.pos] != 0xff {
			n := len(in.buf) - in.pos
			if i := bytes.IndexByte(in.buf[in.pos:], 0xff); i >= 0 {
				n = i
			}
			in.pos += n
			stray += n
			continue
		}
		switch in.buf[in.pos+1] {
		case 0:
			in.pos += 2
			stray += 2
		case 0xff:
			in.pos++
		default:
			return in.buf[in.pos+1], stray, true
		}
	}
	return 0, stray, false
}

// skipData moves over entropy-coded data to the marker that ends it. Restart markers do not; where there are to be some,
// neither do markers that mean nothing, because the scan finds its way behind them.
func (in *input) skipData(restarts bool) (mark byte, ok bool) {
	for {
		mark, _, ok := in.next()
		if !ok || (mark < markRST0 || mark > markRST7) && (mark >= markSOF0 || !restarts) {
			return mark, ok
		}
		in.pos += 2
	}
}
