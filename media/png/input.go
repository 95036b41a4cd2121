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
func (in *input) next() int64 { return in.idat.off - int64(len(in.idat.ready)) }

// idatReader reads the data of consecutive IDAT chunks through one buffer, so that a file made of the smallest chunks
// costs no more reads than another.
type idatReader struct {
	chunks *chunks
	off    int64 // of the first byte behind ready
	buf    []byte
	ready  []byte // read from the source and not yet used
	left   int64  // bytes of the current chunk not yet used
	inside bool   // a chunk was begun
	sum    hash.Hash32
	err    error
}

func (r *idatReader) Read(p []byte) (int, error) {
	if r.err == nil {
		r.err = r.enter()
	}
	if r.err != nil {
		return 0, r.err
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.ready)
	r.use(n)
	return n, nil
}

// use steps over n bytes of the current chunk that are ready.
func (r *idatReader) use(n int) {
	if r.sum != nil {
		r.sum.Write(r.ready[:n])
	}
	r.ready = r.ready[n:]
	r.left -= int64(n)
}

// enter makes sure that a byte of picture data is ready, stepping from chunk to chunk. Behind the last one it is
// io.EOF.
func (r *idatReader) enter() error {
	for r.left == 0 {
		if err := r.begin(); err != nil {
			return err
		}
	}
	return r.need(1)
}

// need makes sure that n bytes, a handful at most, are ready.
func (r *idatReader) need(n int) error {
	for len(r.ready) < n {
		kept := copy(r.buf, r.ready)
		got, err := r.chunks.r.ReadAt(r.buf[kept:], r.off)
		r.ready = r.buf[:kept+got]
		r.off += int64(got)
		if got == 0 {
			if err == nil || err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// begin ends the current chunk with its checksum and steps into the next, which is io.EOF where it is of another kind.
func (r *idatReader) begin() error {
	if r.inside {
		if err := r.need(4); err != nil {
			return err
		}
		if r.sum != nil && r.sum.Sum32() != binary.BigEndian.Uint32(r.ready) {
			return errChecksum
		}
		r.ready, r.inside = r.ready[4:], false
	}
	if err := r.need(8); err != nil || string(r.ready[4:8]) != "IDAT" {
		return io.EOF
	}
	r.left, r.inside = int64(binary.BigEndian.Uint32(r.ready)), true
	if r.left > 1<<31-1 {
		return errors.New("a chunk without sense follows")
	}
	r.ready = r.ready[8:]
	if r.sum != nil {
		r.sum.Reset()
		r.sum.Write([]byte("IDAT"))
	}
	return nil
}

// drain reads to the end of the last IDAT chunk.
func (r *idatReader) drain(ctx context.Context) error {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.err = r.enter(); r.err == nil {
			r.use(int(min(int64(len(r.ready)), r.left)))
		}
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}
