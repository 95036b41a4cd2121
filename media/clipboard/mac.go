package clipboard

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"strings"
)

// macFiles is JavaScript for Automation that prints the file URLs of every copied item; AppleScript's own
// coercion brings the first one only.
//
//go:embed macfiles.js
var macFiles string

// macSource asks osascript. AppleScript prints binary data as «data PNGf8950…», in hexadecimal, so that no
// temporary file is needed.
type macSource struct{ env Env }

func (s *macSource) name() string { return "osascript" }
func (s *macSource) slow()        {}
func (s *macSource) close()       {}

// macClasses are the flavours as `clipboard info` and the coercions spell them, best first.
func macClasses() []offer {
	return []offer{
		{flavour: "«class furl»", kind: kindFiles},
		{flavour: "«class PNGf»", kind: kindImage, media: "image/png"},
		{flavour: "JPEG picture", kind: kindImage, media: "image/jpeg"},
		{flavour: "«class JPEG»", kind: kindImage, media: "image/jpeg"},
		{flavour: "GIF picture", kind: kindImage, media: "image/gif"},
		{flavour: "«class GIFf»", kind: kindImage, media: "image/gif"},
		{flavour: "TIFF picture", kind: kindImage, media: "image/tiff"},
		{flavour: "«class TIFF»", kind: kindImage, media: "image/tiff"},
		{flavour: "«class utf8»", kind: kindText},
		{flavour: "string", kind: kindText},
	}
}

// offers reads `clipboard info`: "«class PNGf», 1234, TIFF picture, 5678".
func (s *macSource) offers(ctx context.Context) ([]offer, error) {
	out, err := s.env.run(ctx, nil, "osascript", "-e", "clipboard info")
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for field := range strings.SplitSeq(string(out), ",") {
		listed[strings.TrimSpace(field)] = true
	}
	var list []offer
	for rank, o := range macClasses() {
		if listed[o.flavour] {
			o.rank = rank
			list = append(list, o)
		}
	}
	return list, nil
}

func (s *macSource) fetch(ctx context.Context, o offer) ([]byte, error) {
	switch o.kind {
	case kindFiles:
		return s.files(ctx)
	case kindText:
		return s.env.run(ctx, nil, "pbpaste", "-Prefer", "txt")
	}
	out, err := s.env.run(ctx, nil, "osascript", "-e", "get the clipboard as "+o.flavour)
	if err != nil {
		return nil, err
	}
	return parseAppleData(out)
}

func (s *macSource) files(ctx context.Context) ([]byte, error) {
	out, err := s.env.run(ctx, nil, "osascript", "-l", "JavaScript", "-e", macFiles)
	if err == nil && len(bytes.TrimSpace(out)) > 0 {
		return out, nil
	}
	return s.env.run(ctx, nil, "osascript", "-e", "POSIX path of (the clipboard as «class furl»)")
}

// parseAppleData reads «data TYPEhex»; TYPE is four characters.
func parseAppleData(out []byte) ([]byte, error) {
	text := strings.TrimSpace(string(out))
	text, ok := strings.CutPrefix(text, "«data ")
	text, closed := strings.CutSuffix(text, "»")
	if !ok || !closed || len(text) < 4 {
		return nil, errors.New("its answer is not picture data")
	}
	return hex.DecodeString(text[4:])
}

// pngpaste is a helper many people install; it writes the picture as PNG.
type pngpaste struct{ env Env }

func (s *pngpaste) name() string { return "pngpaste" }
func (s *pngpaste) close()       {}

func (s *pngpaste) offers(ctx context.Context) ([]offer, error) {
	if _, err := s.env.LookPath("pngpaste"); err != nil {
		return nil, err
	}
	return []offer{{flavour: "image/png", kind: kindImage, media: "image/png"}}, nil
}

func (s *pngpaste) fetch(ctx context.Context, _ offer) ([]byte, error) {
	return s.env.run(ctx, nil, "pngpaste", "-")
}
