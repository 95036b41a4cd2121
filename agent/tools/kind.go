package tools

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/image/webp"
)

// fileKind is what a file's first bytes say it is. Names are never asked.
type fileKind int

const (
	kindText    fileKind = iota
	kindPicture          // of a kind the gate reads, or refuses with a better word than "binary"
	kindBinary
)

type signature struct {
	offset int
	bytes  string
	kind   fileKind
	name   string
}

// signatures are read in order; the first that fits names the file.
func signatures() []signature {
	return []signature{
		{0, "\x89PNG\r\n\x1a\n", kindPicture, "PNG picture"},
		{0, "\xff\xd8\xff", kindPicture, "JPEG picture"},
		{0, "GIF87a", kindPicture, "GIF picture"},
		{0, "GIF89a", kindPicture, "GIF picture"},
		{8, "WEBP", kindPicture, "WebP picture"},
		{0, "II*\x00", kindPicture, "TIFF picture"},
		{0, "MM\x00*", kindPicture, "TIFF picture"},
		{4, "ftypheic", kindPicture, "HEIC picture"},
		{4, "ftypheix", kindPicture, "HEIC picture"},
		{4, "ftypmif1", kindPicture, "HEIF picture"},
		{4, "ftypavif", kindPicture, "AVIF picture"},
		{4, "ftyp", kindBinary, "MP4 or QuickTime video"},
		{0, "%PDF-", kindBinary, "PDF document"},
		{0, "\x7fELF", kindBinary, "ELF program or library"},
		{0, "MZ", kindBinary, "Windows program or library"},
		{0, "\xcf\xfa\xed\xfe", kindBinary, "Mach-O program or library"},
		{0, "\xca\xfe\xba\xbe", kindBinary, "Java class or Mach-O program"},
		{0, "\x00asm", kindBinary, "WebAssembly module"},
		{0, "PK\x03\x04", kindBinary, "ZIP archive (also .jar, .docx, .xlsx)"},
		{0, "\x1f\x8b", kindBinary, "gzip archive"},
		{0, "BZh", kindBinary, "bzip2 archive"},
		{0, "\xfd7zXZ\x00", kindBinary, "xz archive"},
		{0, "(\xb5/\xfd", kindBinary, "Zstandard archive"},
		{0, "7z\xbc\xaf", kindBinary, "7-Zip archive"},
		{257, "ustar", kindBinary, "tar archive"},
		{0, "SQLite format 3\x00", kindBinary, "SQLite database"},
		{0, "OggS", kindBinary, "Ogg audio"},
		{0, "ID3", kindBinary, "MP3 audio"},
		{0, "fLaC", kindBinary, "FLAC audio"},
		{8, "WAVE", kindBinary, "WAV audio"},
		{8, "AVI ", kindBinary, "AVI video"},
		{0, "\x1aE\xdf\xa3", kindBinary, "Matroska or WebM video"},
		{0, "wOFF", kindBinary, "WOFF font"},
		{0, "wOF2", kindBinary, "WOFF2 font"},
		{0, "\x00\x01\x00\x00\x00", kindBinary, "TrueType font"},
		{0, "OTTO", kindBinary, "OpenType font"},
		{0, "\x00\x00\x01\x00", kindPicture, "icon"},
	}
}

// sniff says what the first bytes of a file make it. Text is what holds no zero byte, or starts with the mark
// of UTF-16; a signature made of letters counts only for what is not text otherwise.
func sniff(head []byte) (fileKind, string) {
	if len(head) == 0 || utf16Order(head) != 0 {
		return kindText, "text"
	}
	for _, s := range signatures() {
		if len(head) >= s.offset && bytes.HasPrefix(head[s.offset:], []byte(s.bytes)) && (!letters(s.bytes) || !looksText(head) || s.name == "PDF document") {
			return s.kind, s.name
		}
	}
	if bytes.HasPrefix(head, []byte("BM")) && len(head) >= 14 && !looksText(head) {
		return kindPicture, "BMP picture"
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return kindBinary, "binary data"
	}
	return kindText, "text"
}

func letters(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// looksText reports whether the bytes are UTF-8 without control characters. The last character may be cut.
func looksText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(head)
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\x1b' {
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

// pictureSides reads a picture's size from its header; ok is false where the header does not tell.
func pictureSides(kind string, r io.Reader) (w, h int, ok bool) {
	r = io.LimitReader(r, 1<<20)
	var c image.Config
	var err error
	switch {
	case strings.HasPrefix(kind, "PNG"):
		c, err = png.DecodeConfig(r)
	case strings.HasPrefix(kind, "JPEG"):
		c, err = jpeg.DecodeConfig(r)
	case strings.HasPrefix(kind, "GIF"):
		c, err = gif.DecodeConfig(r)
	case strings.HasPrefix(kind, "WebP"):
		c, err = webp.DecodeConfig(r)
	default:
		return 0, 0, false
	}
	return c.Width, c.Height, err == nil
}
