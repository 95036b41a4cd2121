package providers

import (
	"encoding/base64"
	"errors"
	"io"
)

// Reader reads the encoded body from its start. Each reader is independent and holds at most one blob open.
func (b *Body) Reader() io.ReadCloser { return &bodyReader{body: b} }

type bodyReader struct {
	body *Body
	next int    // index of the segment after the one that is being read
	rest []byte // what is ready to be read
	blob io.ReadSeekCloser
	ref  string
	left int64 // raw bytes of blob still to send
	raw  []byte
	text []byte
	err  error
}

func (r *bodyReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err == nil {
			r.err = r.fill()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill readies the next piece: the rest of an open blob, or the next segment.
func (r *bodyReader) fill() error {
	if r.blob != nil {
		return r.encodeChunk()
	}
	if r.next == len(r.body.segments) {
		return io.EOF
	}
	s := r.body.segments[r.next]
	r.next++
	if s.picture < 0 {
		r.rest = s.text
		return nil
	}
	r.ref = r.body.pictures[s.picture].Ref
	blob, err := r.body.blobs.OpenBlob(r.ref)
	if err != nil {
		return missing(r.ref, err)
	}
	r.blob, r.left = blob, s.size
	return nil
}

// encodeChunk turns the next raw bytes of the blob into base64 text. The length was announced, so a blob that
// has become shorter cannot be sent.
func (r *bodyReader) encodeChunk() error {
	if r.raw == nil {
		r.raw = make([]byte, blobChunk)
		r.text = make([]byte, base64.StdEncoding.EncodedLen(blobChunk))
	}
	n := int(min(r.left, blobChunk))
	if _, err := io.ReadFull(r.blob, r.raw[:n]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file became shorter while it was being sent")
		}
		return missing(r.ref, err)
	}
	base64.StdEncoding.Encode(r.text, r.raw[:n])
	r.rest = r.text[:base64.StdEncoding.EncodedLen(n)]
	if r.left -= int64(n); r.left == 0 {
		err := r.blob.Close()
		r.blob = nil
		return err
	}
	return nil
}

// Close lets an open blob go.
func (r *bodyReader) Close() error {
	if r.err == nil {
		r.err = errors.New("providers: the request body was closed")
	}
	if r.blob == nil {
		return nil
	}
	err := r.blob.Close()
	r.blob = nil
	return err
}
