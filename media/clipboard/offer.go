package clipboard

import (
	"bytes"
	"slices"
	"strings"
)

// offer is one flavour of what is on the clipboard.
type offer struct {
	flavour string // the owner's word for it
	kind    kind
	media   string // image kinds: the media type in canonical spelling
	rank    int    // smaller is asked for earlier
	latin1  bool   // text in ISO 8859-1, as X11's STRING is
}

type kind int

const (
	kindFiles kind = iota + 1
	kindImage
	kindText
)

// known are the flavours of use, as X11 and Wayland spell them, best first.
func known() []offer {
	return []offer{
		{flavour: "x-special/gnome-copied-files", kind: kindFiles},
		{flavour: "text/uri-list", kind: kindFiles},
		{flavour: "image/png", kind: kindImage, media: "image/png"},
		{flavour: "image/jpeg", kind: kindImage, media: "image/jpeg"},
		{flavour: "image/jpg", kind: kindImage, media: "image/jpeg"},
		{flavour: "image/webp", kind: kindImage, media: "image/webp"},
		{flavour: "image/gif", kind: kindImage, media: "image/gif"},
		{flavour: "image/bmp", kind: kindImage, media: "image/bmp"},
		{flavour: "image/x-bmp", kind: kindImage, media: "image/bmp"},
		{flavour: "image/x-MS-bmp", kind: kindImage, media: "image/bmp"},
		{flavour: "image/tiff", kind: kindImage, media: "image/tiff"},
		{flavour: "text/plain;charset=utf-8", kind: kindText},
		{flavour: "UTF8_STRING", kind: kindText},
		{flavour: "text/plain", kind: kindText},
		{flavour: "STRING", kind: kindText, latin1: true},
	}
}

// recognise keeps the flavours of use among those an owner lists, each once, in the owner's spelling.
func recognise(listed []string) []offer {
	var out []offer
	table := known()
	for _, flavour := range listed {
		flavour = strings.TrimSpace(flavour)
		i := slices.IndexFunc(table, func(o offer) bool { return strings.EqualFold(o.flavour, flavour) })
		if i < 0 || slices.ContainsFunc(out, func(o offer) bool { return o.flavour == flavour }) {
			continue
		}
		o := table[i]
		o.flavour, o.rank = flavour, i
		out = append(out, o)
	}
	return out
}

// pick returns the offers of one kind, best first.
func pick(list []offer, k kind) []offer {
	var out []offer
	for _, o := range list {
		if o.kind == k {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b offer) int { return a.rank - b.rank })
	return out
}

// pictureKind names the kind of picture data begins like, "" for none. It tells pictures from text and files
// from other files; whether a picture is whole is for the gate to say.
func pictureKind(data []byte) string {
	for _, s := range []struct {
		kind, magic string
		at          int
	}{
		{"image/png", "\x89PNG\r\n\x1a\n", 0},
		{"image/jpeg", "\xff\xd8\xff", 0},
		{"image/gif", "GIF87a", 0},
		{"image/gif", "GIF89a", 0},
		{"image/webp", "WEBP", 8},
		{"image/tiff", "II*\x00", 0},
		{"image/tiff", "MM\x00*", 0},
		{"image/heic", "ftyphei", 4},
		{"image/heic", "ftypmif1", 4},
		{"image/avif", "ftypavi", 4},
	} {
		if len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.magic)) {
			return s.kind
		}
	}
	if isBMP(data) {
		return "image/bmp"
	}
	return ""
}

// isBMP looks past the two letters, which many a sentence begins with: the reserved words must be zero and
// the header one of the known sizes.
func isBMP(data []byte) bool {
	if len(data) < 18 || data[0] != 'B' || data[1] != 'M' || !bytes.Equal(data[6:10], make([]byte, 4)) {
		return false
	}
	return slices.Contains([]byte{12, 40, 52, 56, 64, 108, 124}, data[14]) && bytes.Equal(data[15:18], make([]byte, 3))
}
