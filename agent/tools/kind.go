package tools

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"espy/media"
)

// fileKind is what a file's first bytes say it is. Names are never asked.
type fileKind int

const (
	kindText    fileKind = iota
	kindPicture          // of a format the gate reads, or refuses with a better word than "binary"
	kindBinary
)

// sniff says what the first bytes of a file make it, and calls it by name: "a PNG picture". Text is UTF-8, UTF-16
// with its mark, or any bytes of no known kind without a zero byte: those are some older encoding.
func sniff(head []byte) (fileKind, string) {
	if len(head) == 0 || utf16Order(head) != 0 {
		return kindText, "text"
	}
	if !bytes.HasPrefix(head, []byte("%PDF-")) && looksText(head) {
		return kindText, "text"
	}
	kind := media.SniffKind(head)
	switch {
	case strings.Contains(kind.Name, "picture"), strings.Contains(kind.Name, "icon file"):
		return kindPicture, kind.Name
	case kind.Picture, !strings.HasPrefix(kind.Name, "data of a kind"):
		return kindBinary, kind.Name
	case bytes.HasPrefix(head, []byte("BM")) && len(head) > 14 && bytes.IndexByte(head, 0) >= 0:
		return kindPicture, "a BMP picture"
	case bytes.IndexByte(head, 0) >= 0:
		return kindBinary, "binary data"
	}
	return kindText, "text"
}

// looksText reports whether the bytes are UTF-8 without control characters. The last character may be cut.
func looksText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(head)
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\b' && r != '\x1b' {
			return false
		}
		head = head[n:]
	}
	return true
}

// utf16Order is 'l' or 'b' where the bytes start with UTF-16's mark, else 0.
func utf16Order(head []byte) byte {
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}):
		return 'l'
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return 'b'
	}
	return 0
}

func decodeUTF16(data []byte) string {
	order := utf16Order(data)
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		a, b := uint16(data[i]), uint16(data[i+1])
		if order == 'l' {
			a, b = b, a
		}
		units = append(units, a<<8|b)
	}
	return string(utf16.Decode(units))
}
