package media

import "io"

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
