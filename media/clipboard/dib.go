package clipboard

import (
	"encoding/binary"
	"errors"
)

// Header sizes of a device-independent bitmap, from wingdi.h.
const (
	infoHeader = 40
	maxHeader  = 124
	fileHeader = 14
)

// Compression values whose colour masks follow a 40-byte header.
const (
	biBitfields      = 3
	biAlphaBitfields = 6
)

var errDIB = errors.New("the bitmap's header is damaged")

// bmpFromDIB puts the file header before a clipboard bitmap (CF_DIB, CF_DIBV5), which is a BMP file without
// one: two letters, the file's size, and where the pixels begin.
func bmpFromDIB(dib []byte) ([]byte, error) {
	if len(dib) < infoHeader {
		return nil, errDIB
	}
	header := int64(binary.LittleEndian.Uint32(dib))
	if header < infoHeader || header > maxHeader || header > int64(len(dib)) {
		return nil, errDIB
	}
	bits := binary.LittleEndian.Uint16(dib[14:])
	colours := int64(binary.LittleEndian.Uint32(dib[32:]))
	if colours == 0 && bits <= 8 {
		colours = 1 << bits
	}
	masks := int64(0)
	if header == infoHeader {
		masks = map[uint32]int64{biBitfields: 12, biAlphaBitfields: 16}[binary.LittleEndian.Uint32(dib[16:])]
	}
	pixels := header + masks + 4*colours
	if pixels > int64(len(dib)) {
		return nil, errDIB
	}
	out := make([]byte, fileHeader, fileHeader+len(dib))
	copy(out, "BM")
	binary.LittleEndian.PutUint32(out[2:], uint32(fileHeader+len(dib)))
	binary.LittleEndian.PutUint32(out[10:], uint32(fileHeader+pixels))
	return append(out, dib...), nil
}
