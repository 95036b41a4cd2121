package media

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Kind is what bytes are that are no picture the gate reads, in words for a person.
type Kind struct {
	Name    string // "a HEIC picture", "an HTML page", "plain text"
	Remedy  string // what to do instead, an imperative clause
	Picture bool   // a picture, video, sound or document: real content of a kind that is not read
}

// kindHead is how many bytes SniffKind wants to see; more does no harm.
const kindHead = 512

// SniffKind names what the first bytes of a file are, by content and never by name. It is asked only about bytes
// that Probe calls no picture, and for formats that are read it names them too.
func SniffKind(head []byte) Kind {
	if len(head) == 0 {
		return Kind{"empty", "save it again and attach it then", false}
	}
	if k, ok := containerKind(head); ok {
		return k
	}
	for _, m := range magics {
		if len(head) >= m.at+len(m.bytes) && string(head[m.at:m.at+len(m.bytes)]) == m.bytes {
			return m.kind
		}
	}
	return textKind(head)
}

const (
	toPNG      = "convert it to PNG or JPEG and attach that"
	toStill    = "save one frame as PNG and attach that"
	toReadText = "read it as text instead"
	toUnpack   = "unpack it and attach the picture inside"
)

type magic struct {
	at    int
	bytes string
	kind  Kind
}

// magics are plain signatures; a longer one stands before a shorter one it contains.
var magics = []magic{
	{0, "\x89PNG\r\n\x1a\n", Kind{"a PNG picture", toPNG, true}},
	{0, "\x89PNG", Kind{"a damaged PNG file (its line endings were changed)", "copy it again in binary mode and attach that", true}},
	{0, "\xff\xd8", Kind{"a JPEG picture", toPNG, true}},
	{0, "GIF8", Kind{"a GIF picture", toPNG, true}},
	{0, "II*\x00", Kind{"a TIFF picture", toPNG, true}},
	{0, "MM\x00*", Kind{"a TIFF picture", toPNG, true}},
	{0, "II+\x00", Kind{"a TIFF picture", toPNG, true}},
	{0, "\x00\x00\x01\x00", Kind{"an icon file (ICO)", toPNG, true}},
	{0, "\x00\x00\x02\x00", Kind{"a cursor file (CUR)", toPNG, true}},
	{0, "icns", Kind{"an icon file (ICNS)", toPNG, true}},
	{0, "8BPS", Kind{"a Photoshop document", toPNG, true}},
	{0, "gimp xcf", Kind{"a GIMP document", toPNG, true}},
	{0, "qoif", Kind{"a QOI picture", toPNG, true}},
	{0, "\xff\x0a", Kind{"a JPEG XL picture", toPNG, true}},
	{0, "\x00\x00\x00\x0cJXL ", Kind{"a JPEG XL picture", toPNG, true}},
	{0, "\x00\x00\x00\x0cjP  ", Kind{"a JPEG 2000 picture", toPNG, true}},
	{0, "DDS ", Kind{"a DDS texture", toPNG, true}},
	{0, "\x76\x2f\x31\x01", Kind{"an OpenEXR picture", toPNG, true}},
	{0, "#?RADIANCE", Kind{"a Radiance HDR picture", toPNG, true}},
	{0, "\xab\x4b\x54\x58", Kind{"a KTX texture", toPNG, true}},
	{0, "%PDF-", Kind{"a PDF document", "save the page as PNG and attach that", true}},
	{0, "%!PS", Kind{"a PostScript document", "save the page as PNG and attach that", true}},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind{"an Office document", "save the page as PNG and attach that", true}},
	{0, "\x1a\x45\xdf\xa3", Kind{"a Matroska or WebM video", toStill, true}},
	{0, "FLV\x01", Kind{"a Flash video", toStill, true}},
	{0, "\x00\x00\x01\xba", Kind{"an MPEG video", toStill, true}},
	{0, "\x00\x00\x01\xb3", Kind{"an MPEG video", toStill, true}},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", Kind{"a Windows Media file", toStill, true}},
	{0, "ID3", Kind{"an MP3 sound file", "attach its transcript as text instead", true}},
	{0, "\xff\xfb", Kind{"an MP3 sound file", "attach its transcript as text instead", true}},
	{0, "\xff\xf3", Kind{"an MP3 sound file", "attach its transcript as text instead", true}},
	{0, "\xff\xf1", Kind{"an AAC sound file", "attach its transcript as text instead", true}},
	{0, "fLaC", Kind{"a FLAC sound file", "attach its transcript as text instead", true}},
	{0, "OggS", Kind{"an Ogg sound or video file", "attach its transcript as text instead", true}},
	{0, "MThd", Kind{"a MIDI file", "attach its transcript as text instead", true}},
	{0, "PK\x03\x04", Kind{"a zip archive or a document made of one (docx, xlsx)", toUnpack, false}},
	{0, "PK\x05\x06", Kind{"an empty zip archive", toUnpack, false}},
	{0, "\x1f\x8b", Kind{"a gzip archive", toUnpack, false}},
	{0, "BZh", Kind{"a bzip2 archive", toUnpack, false}},
	{0, "\xfd7zXZ\x00", Kind{"an xz archive", toUnpack, false}},
	{0, "\x28\xb5\x2f\xfd", Kind{"a Zstandard archive", toUnpack, false}},
	{0, "7z\xbc\xaf\x27\x1c", Kind{"a 7-Zip archive", toUnpack, false}},
	{0, "Rar!\x1a\x07", Kind{"a RAR archive", toUnpack, false}},
	{257, "ustar", Kind{"a tar archive", toUnpack, false}},
	{0, "\x7fELF", Kind{"a program (ELF)", "attach a picture instead", false}},
	{0, "MZ", Kind{"a Windows program", "attach a picture instead", false}},
	{0, "\xcf\xfa\xed\xfe", Kind{"a macOS program", "attach a picture instead", false}},
	{0, "\xca\xfe\xba\xbe", Kind{"a program or class file", "attach a picture instead", false}},
	{0, "\x00asm", Kind{"a WebAssembly module", "attach a picture instead", false}},
	{0, "SQLite format 3\x00", Kind{"an SQLite database", "attach a picture instead", false}},
}

// brands are the ISO media brands by what a person calls them.
var brands = []struct{ prefix, name string }{
	{"avif", "an AVIF picture"}, {"avis", "an AVIF animation"},
	{"heic", "a HEIC picture"}, {"heix", "a HEIC picture"}, {"hevc", "a HEIC picture"}, {"hevx", "a HEIC picture"},
	{"heim", "a HEIC picture"}, {"heis", "a HEIC picture"}, {"mif1", "a HEIF picture"}, {"msf1", "a HEIF picture"},
	{"crx ", "a Canon raw picture"}, {"jxl ", "a JPEG XL picture"},
	{"qt  ", "a QuickTime video"}, {"M4A", "an M4A sound file"}, {"M4B", "an audiobook"},
}

// containerKind names files that say inside a container what they are.
func containerKind(head []byte) (Kind, bool) {
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		brand := string(head[8:12])
		for _, b := range brands {
			if !strings.HasPrefix(brand, b.prefix) {
				continue
			}
			remedy := toPNG
			if strings.Contains(b.name, "video") || strings.Contains(b.name, "animation") {
				remedy = toStill
			} else if strings.Contains(b.name, "sound") || strings.Contains(b.name, "book") {
				remedy = "attach its transcript as text instead"
			}
			return Kind{b.name, remedy, true}, true
		}
		return Kind{"an MP4 video", toStill, true}, true
	}
	if len(head) >= 8 && (string(head[4:8]) == "moov" || string(head[4:8]) == "mdat" || string(head[4:8]) == "wide") {
		return Kind{"a QuickTime video", toStill, true}, true
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" {
		switch string(head[8:12]) {
		case "AVI ":
			return Kind{"an AVI video", toStill, true}, true
		case "WAVE":
			return Kind{"a WAV sound file", "attach its transcript as text instead", true}, true
		case "WEBP":
			return Kind{"a WebP picture", toPNG, true}, true
		}
	}
	if len(head) >= 12 && string(head[:4]) == "FORM" && string(head[8:11]) == "AIF" {
		return Kind{"an AIFF sound file", "attach its transcript as text instead", true}, true
	}
	return Kind{}, false
}

// textKind names text by what it says, and everything else as unknown data.
func textKind(head []byte) Kind {
	if len(head) >= 2 && (string(head[:2]) == "\xff\xfe" || string(head[:2]) == "\xfe\xff") {
		return Kind{"plain text (UTF-16)", toReadText, false}
	}
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if !looksLikeText(text) {
		return Kind{"data of a kind that is not known", "attach a PNG, JPEG, GIF or WebP file", false}
	}
	start := strings.ToLower(string(bytes.TrimLeft(text, " \t\r\n")))
	switch {
	case strings.HasPrefix(start, "<svg"), strings.HasPrefix(start, "<?xml") && strings.Contains(start, "<svg"),
		strings.HasPrefix(start, "<!--") && strings.Contains(start, "<svg"), strings.HasPrefix(start, "<!doctype svg"):
		return Kind{"an SVG drawing, which is text", "read it as text, or convert it to PNG and attach that", true}
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<head"), strings.HasPrefix(start, "<body"):
		return Kind{"an HTML page", "download the picture itself and attach that", false}
	case strings.HasPrefix(start, "<?xml"):
		return Kind{"an XML document", toReadText, false}
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		if strings.Contains(start, `"error"`) || strings.Contains(start, `"errors"`) {
			return Kind{"a JSON error message", "fetch the picture again and attach that", false}
		}
		return Kind{"JSON text", toReadText, false}
	case strings.HasPrefix(start, "version https://git-lfs"):
		return Kind{"a Git LFS pointer", "run `git lfs pull` and attach it again", false}
	case strings.HasPrefix(start, "data:image/"):
		return Kind{"a data URL in text", "save the picture it holds as a file and attach that", false}
	}
	return Kind{"plain text", toReadText, false}
}

// looksLikeText accepts UTF-8, possibly cut inside a character at the end, with no control characters but white space
// and escape.
func looksLikeText(b []byte) bool {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i > 0 && len(b)-i < utf8.UTFMax && !utf8.FullRune(b[i:])
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b {
			return false
		}
		i += n
	}
	return true
}
