package media

import (
	"errors"
	"image"
	"io"
)

// Format is what a picture's bytes are, by signature.
type Format string

const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	GIF  Format = "gif"
	WebP Format = "webp"
	BMP  Format = "bmp"  // from the clipboard only
	TIFF Format = "tiff" // from the clipboard only
)

// Header is what a picture's first bytes say of it. It is a claim, not a proof: nothing was decoded.
type Header struct {
	Format        Format
	Width, Height int // as stored, before orientation
	Depth         int // bits a sample
	Components    int // samples a pixel as stored; 1 for a palette
	Sampling      [4][2]uint8
	Frames        int             // 1 unless animated; 0 where the count is not known
	Frame         image.Rectangle // GIF: the first frame on the canvas, where it was found
	Orientation   int             // EXIF, 1 to 8
	Palette       bool
	Alpha         bool
	Animated      bool
	Interlaced    bool
	Progressive   bool
	Arithmetic    bool
	Lossless      bool // the pixels are stored without loss
	Profile       bool // an ICC profile is embedded
	coding        byte // JPEG: the low byte of the frame marker
}

// Upright is the size after orientation.
func (h Header) Upright() (width, height int) {
	if h.Orientation >= 5 {
		return h.Height, h.Width
	}
	return h.Width, h.Height
}

var (
	// ErrNotPicture means that the signature is none of the formats a Header can describe.
	ErrNotPicture = errors.New("the signature is not that of a picture")
	// ErrHeader means that the signature is right and the header behind it is not.
	ErrHeader = errors.New("the header is damaged or cut short")
)

// Probe reads a picture's header: at most 64 KiB through r, long segments skipped rather than read. It returns
// ErrNotPicture, ErrHeader, or an error of the reader.
func Probe(r io.ReaderAt, size int64) (Header, error) { return new(Prober).Probe(r, size) }

// Prober reads headers without allocating; it is reusable, not safe for concurrent use.
type Prober struct {
	win  window
	tiff tiffView
}

// Probe is as the function Probe.
func (p *Prober) Probe(r io.ReaderAt, size int64) (Header, error) {
	p.win.reset(r, size)
	defer p.win.release()
	h := Header{Frames: 1, Orientation: 1}
	err := p.read(&h)
	if p.win.err != nil {
		return Header{}, p.win.err
	}
	if err != nil {
		return h, err
	}
	if h.Width <= 0 || h.Height <= 0 {
		return h, ErrHeader
	}
	return h, nil
}

func (p *Prober) read(h *Header) error {
	head := p.win.upTo(0, 32)
	switch {
	case hasPrefix(head, pngSignature):
		return p.png(h)
	case hasPrefix(head, "\xff\xd8"):
		return p.jpeg(h)
	case hasPrefix(head, "GIF87a"), hasPrefix(head, "GIF89a"):
		return p.gif(h)
	case hasPrefix(head, "RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return p.webp(h)
	case hasPrefix(head, "BM"):
		return p.bmp(h)
	case hasPrefix(head, "II*\x00"), hasPrefix(head, "MM\x00*"):
		return p.tiffFile(h)
	}
	return ErrNotPicture
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// window is a small view on a reader that moves: one long first read, then short ones at computed offsets.
type window struct {
	r     io.ReaderAt
	size  int64
	start int64
	n     int
	spent int
	err   error // of the reader, other than its end
	buf   [sniffFirst]byte
}

func (w *window) reset(r io.ReaderAt, size int64) {
	w.r, w.size, w.start, w.n, w.spent, w.err = r, size, 0, 0, 0, nil
}

func (w *window) release() { w.r = nil }

// at returns exactly n bytes at off, or nil where the file or the budget ends before. n is at most sniffNext.
// The slice is valid until the next call.
func (w *window) at(off int64, n int) []byte {
	b := w.upTo(off, n)
	if len(b) < n {
		return nil
	}
	return b
}

// upTo returns up to n bytes at off.
func (w *window) upTo(off int64, n int) []byte {
	if off < 0 || off >= w.size || n > sniffNext {
		return nil
	}
	if off < w.start || off+int64(n) > w.start+int64(w.n) {
		w.fill(off)
	}
	if off < w.start || off >= w.start+int64(w.n) {
		return nil
	}
	i := int(off - w.start)
	return w.buf[i:min(i+n, w.n)]
}

func (w *window) fill(off int64) {
	want := sniffNext
	if w.spent == 0 {
		want = sniffFirst
	}
	want = int(min(int64(want), w.size-off))
	if w.err != nil || w.spent+want > sniffBudget {
		return
	}
	n, err := w.r.ReadAt(w.buf[:want], off)
	if err != nil && err != io.EOF {
		w.err = err
	}
	w.start, w.n = off, max(n, 0)
	w.spent += want
}

func be16(b []byte) int { return int(b[0])<<8 | int(b[1]) }
func le16(b []byte) int { return int(b[1])<<8 | int(b[0]) }
func le24(b []byte) int { return int(b[2])<<16 | int(b[1])<<8 | int(b[0]) }
func be32(b []byte) int64 {
	return int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])
}
func le32(b []byte) int64 {
	return int64(b[3])<<24 | int64(b[2])<<16 | int64(b[1])<<8 | int64(b[0])
}
