package media

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// jpegSegments calls each for every segment before the first scan: its marker, and where its data lie without the
// length. It stops when each returns false.
func jpegSegments(r io.ReaderAt, size int64, each func(marker byte, off, length int64) bool) {
	var b [4]byte
	off := int64(2)
	for range mostParts {
		if n, _ := r.ReadAt(b[:], off); n < 4 || off >= size {
			return
		}
		if b[0] != 0xff || b[1] == 0xff || b[1] == 0 {
			off++
			continue
		}
		marker := b[1]
		if marker == 1 || marker >= 0xd0 && marker <= 0xd8 {
			off += 2
			continue
		}
		length := int64(be16(b[2:]))
		if marker == 0xd9 || marker == 0xda || length < 2 || !each(marker, off+4, length-2) {
			return
		}
		off += 2 + length
	}
}

// errNotPlain means that a JPEG file cannot be taken over as it is.
var errNotPlain = errors.New("not a plain JPEG file")

// strippedJPEG copies a JPEG file without metadata: application segments and comments go, except for the Adobe
// marker, which says what the colours mean; JFIF is written anew without its thumbnail. It ends at the end marker,
// whatever follows it. A file with anything unusual is errNotPlain and wants encoding anew, and so does a picture
// in several scans that is sequential or has restart markers, which is valid and not read everywhere.
func strippedJPEG(r io.ReaderAt, size, limit int64) ([]byte, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 64<<10)
	out := bytes.NewBuffer(make([]byte, 0, min(size, limit)))
	var soi [2]byte
	if _, err := io.ReadFull(in, soi[:]); err != nil || soi != [2]byte{0xff, 0xd8} {
		return nil, errNotPlain
	}
	out.Write(soi[:])
	marker, err := nextMarker(in)
	single, scans := false, 0
	for err == nil && int64(out.Len()) <= limit {
		single = single || marker == 0xc0 || marker == 0xc1 || marker == 0xdd
		switch {
		case marker == 0xd9:
			out.Write([]byte{0xff, 0xd9})
			if int64(out.Len()) > limit {
				return nil, errNotPlain
			}
			return out.Bytes(), nil
		case marker == 0xda:
			if scans++; scans > 1 && single {
				return nil, errNotPlain
			}
			if err = copySegment(in, out, marker); err == nil {
				marker, err = copyScan(in, out, limit)
			}
			continue
		case marker == 0 || marker == 1 || marker >= 0xd0 && marker <= 0xd8:
			return nil, errNotPlain
		}
		if err = copySegment(in, out, marker); err == nil {
			marker, err = nextMarker(in)
		}
	}
	return nil, errNotPlain
}

func nextMarker(in *bufio.Reader) (byte, error) {
	b, err := in.ReadByte()
	if err != nil || b != 0xff {
		return 0, errNotPlain
	}
	for b == 0xff && err == nil {
		b, err = in.ReadByte()
	}
	return b, err
}

// copySegment copies a segment that is needed to decode, rewrites JFIF and drops other metadata.
func copySegment(in *bufio.Reader, out *bytes.Buffer, marker byte) error {
	var b [2]byte
	if _, err := io.ReadFull(in, b[:]); err != nil || be16(b[:]) < 2 {
		return errNotPlain
	}
	data := make([]byte, be16(b[:])-2)
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	switch {
	case marker == 0xe0 && bytes.HasPrefix(data, []byte("JFIF\x00")):
		out.WriteString("\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
		return nil
	case marker == 0xee && bytes.HasPrefix(data, []byte("Adobe")):
	case marker >= 0xe0 && marker <= 0xef, marker == 0xfe:
		return nil
	}
	out.Write([]byte{0xff, marker})
	out.Write(b[:])
	out.Write(data)
	return nil
}

// copyScan copies entropy-coded data and returns the marker that ends it.
func copyScan(in *bufio.Reader, out *bytes.Buffer, limit int64) (byte, error) {
	for int64(out.Len()) <= limit {
		part, err := in.ReadSlice(0xff)
		if err == bufio.ErrBufferFull {
			out.Write(part)
			continue
		}
		if err != nil {
			return 0, errNotPlain
		}
		out.Write(part[:len(part)-1])
		m := byte(0xff)
		for m == 0xff {
			if m, err = in.ReadByte(); err != nil {
				return 0, errNotPlain
			}
		}
		if m != 0 && (m < 0xd0 || m > 0xd7) {
			return m, nil
		}
		out.Write([]byte{0xff, m})
	}
	return 0, errNotPlain
}
