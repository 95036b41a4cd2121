package png

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zlib"
)

var errChecksum = errors.New("the checksum of the picture data is wrong")

// input is the inflated picture data.
type input struct {
	idat *idatReader
	z    io.ReadCloser
}

// open starts an inflater at the first IDAT chunk. With check the chunks' checksums are verified; of several
// inflaters over the same chunks one is enough.
func (d *decoder) open(check bool) (*input, error) {
	raw := &idatReader{chunks: &d.chunks, off: d.idat, buf: make([]byte, inputBytes)}
	if check {
		raw.sum = crc32.NewIEEE()
	}
	z, err := zlib.NewReader(bufio.NewReaderSize(raw, bitBytes))
	if err != nil {
		return nil, err
	}
	return &input{raw, z}, nil
}

// skip throws n inflated bytes away.
func (in *input) skip(ctx context.Context, n int64) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := min(n, 1<<20)
		if _, err := io.CopyN(io.Discard, in.z, step); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// drain reads on to the end of the picture data, inflated and stored, so that both kinds of checksum are checked.
// More than a byte beyond the last row is reported as an error, as is a wrong checksum.
func (in *input) drain(ctx context.Context) error {
	var b [1]byte
	n, err := io.ReadFull(in.z, b[:])
	rest := in.idat.drain(ctx)
	switch {
	case rest != nil:
		return rest
	case errors.Is(err, errChecksum):
		return errChecksum
	case n != 0:
		return errors.New("there is more picture data than the picture needs")
	case err != io.EOF:
		return err
	}
	return nil
}

// next is the offset of the first chunk behind the picture data, once it was drained.
func (in *input) next() int64 { return in.idat.off }

// idatReader reads the data of consecutive IDAT chunks.
type idatReader struct {
	chunks *chunks
	off    int64 // of the next byte to be read from the source
	left   int64 // bytes of the current chunk still unread
	inside bool  // a chunk was begun
	sum    hash.Hash32
	buf    []byte
	ready  []byte // read and not yet handed out
	err    error
}

func (r *idatReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err == nil {
			r.err = r.fill()
		}
		if r.err != nil && len(r.ready) == 0 {
			return 0, r.err
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// fill reads more of the current chunk, or begins the next one.
func (r *idatReader) fill() error {
	if r.left == 0 {
		return r.begin()
	}
	n, err := r.chunks.r.ReadAt(r.buf[:min(int64(len(r.buf)), r.left)], r.off)
	if n == 0 {
		if err == nil || err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	r.ready = r.buf[:n]
	r.off += int64(n)
	r.left -= int64(n)
	if r.sum != nil {
		r.sum.Write(r.ready)
	}
	return nil
}

// begin ends the current chunk with its checksum and steps to the next, which is io.EOF where it is of another kind.
func (r *idatReader) begin() error {
	if r.inside {
		var b [4]byte
		if err := readFull(r.chunks.r, b[:], r.off); err != nil {
			return err
		}
		r.off += 4
		if r.sum != nil && r.sum.Sum32() != binary.BigEndian.Uint32(b[:]) {
			return errChecksum
		}
		r.inside = false
	}
	k, err := r.chunks.at(r.off)
	if err != nil || k.kind != "IDAT" {
		return io.EOF
	}
	r.off, r.left, r.inside = k.data, k.length, true
	if r.sum != nil {
		r.sum.Reset()
		r.sum.Write([]byte("IDAT"))
	}
	return nil
}

// drain reads to the end of the last IDAT chunk.
func (r *idatReader) drain(ctx context.Context) error {
	r.ready = nil
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.err = r.fill()
		r.ready = nil
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}
