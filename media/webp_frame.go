package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// webpChunk returns the data of the first chunk of a kind from off on, of at most limit bytes.
func webpChunk(r io.ReaderAt, size, off int64, kind string, limit int64) []byte {
	var b [8]byte
	for range mostParts {
		if n, _ := r.ReadAt(b[:], off); n < 8 || off >= size {
			return nil
		}
		length := le32(b[4:])
		if string(b[:4]) == kind {
			if length > limit || off+8+length > size {
				return nil
			}
			data := make([]byte, length)
			if n, _ := r.ReadAt(data, off+8); n < len(data) {
				return nil
			}
			return data
		}
		off += 8 + length + length&1
	}
	return nil
}

// webpFrames counts the frames of an animation.
func webpFrames(r io.ReaderAt, size int64) int {
	var b [8]byte
	frames := 0
	off := int64(12)
	for range mostParts {
		if n, _ := r.ReadAt(b[:], off); n < 8 || off >= size {
			break
		}
		if string(b[:4]) == "ANMF" {
			frames++
		}
		length := le32(b[4:])
		off += 8 + length + length&1
	}
	return frames
}

// stillWebP turns the first frame of an animation into a simple WebP file, which library decoders read, and says
// where on the canvas the frame stands.
func stillWebP(r io.ReaderAt, size int64) (still *bytes.Reader, at image.Point, err error) {
	frame := webpChunk(r, size, 12, "ANMF", size)
	if len(frame) < 24 {
		return nil, at, errors.New("the animation has no frame")
	}
	at = image.Pt(2*le24(frame), 2*le24(frame[3:]))
	width, height := le24(frame[6:]), le24(frame[9:]) // less one
	part := bytes.NewReader(frame[16:])
	var body bytes.Buffer
	alpha := webpChunk(part, part.Size(), 0, "ALPH", part.Size())
	if alpha != nil {
		head := []byte{0x10, 0, 0, 0, byte(width), byte(width >> 8), byte(width >> 16), byte(height), byte(height >> 8), byte(height >> 16)}
		writeChunk(&body, "VP8X", head)
		writeChunk(&body, "ALPH", alpha)
	}
	found := false
	for _, kind := range []string{"VP8 ", "VP8L"} {
		if data := webpChunk(part, part.Size(), 0, kind, part.Size()); data != nil && !found {
			writeChunk(&body, kind, data)
			found = true
		}
	}
	if !found {
		return nil, at, errors.New("the animation's first frame is empty")
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+body.Len()))
	still = bytes.NewReader(append(append(out, "WEBP"...), body.Bytes()...))
	h, err := Probe(still, still.Size())
	if err != nil || h.Width != width+1 || h.Height != height+1 {
		return nil, at, errors.New("the animation's first frame is not as large as declared")
	}
	return still, at, nil
}

func writeChunk(out *bytes.Buffer, kind string, data []byte) {
	out.WriteString(kind)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
	out.Write(data)
	if len(data)&1 == 1 {
		out.WriteByte(0)
	}
}
